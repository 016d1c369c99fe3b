import Link from 'next/link';
import type { HelpPage } from './help-page.ts';

/** What Recall does, what it never does, and how it is switched off. */
export const RECALL_PAGE: HelpPage = {
  slug: 'recall',
  title: 'Recall',
  about: 'Long sessions inside their window, without a summary',
  body: (
    <>
      <p>
        A long conversation outgrows the model's window. Agents then write a summary and go on with that: what
        the summary left out is gone for the model. Recall does not summarise. It decides which part of the
        conversation the model sees; the agent keeps all of it, and so does the archive.
      </p>
      <h2>What it does</h2>
      <ul>
        <li>
          When a prompt comes near its limit, the older part leaves the model's view and an <em>index</em>{' '}
          stands in its place: every word you typed, as you typed it, and a line for each tool call and each
          answer, with an id. The newest part stays as it is. This is a <em>layout</em>.
        </li>
        <li>
          The model gets a tool, <code>context-mode-search</code>, with which it searches and reads back what
          has left its view, word for word. The gateway answers it; your agent sees neither call nor answer.
        </li>
        <li>
          What your agent put at the beginning for the model to live by (project instructions, environment,
          skills, tool lists) stays in view in its own bytes.
        </li>
        <li>
          Outputs of commands above about 6 000 tokens are sent with their beginning, their end and the lines
          that look like errors. The whole is in the archive, and the model is told how to read it.
        </li>
      </ul>
      <h2>When</h2>
      <p>
        At three moments alone: when a prompt would pass its limit; after a pause so long that the provider
        has to read the whole prompt anew anyway; and when the cheaper requests have paid for the change.
        Between them nothing moves, so that the provider's cache holds.
      </p>
      <h2>What it never does</h2>
      <ul>
        <li>It writes no summary and asks no other model.</li>
        <li>
          Nothing leaves the view before the archive has read it back and found it the same. Nothing is
          deleted by it.
        </li>
        <li>It changes nothing in your agent: its own history and its files stay complete.</li>
        <li>
          It does not hold a request up. If a step fails or takes too long, the request goes out as your agent
          sent it, and the list of requests says so.
        </li>
        <li>It does not touch conversations that it cannot tell apart with certainty.</li>
      </ul>
      <h2>See it</h2>
      <p>
        A session's <em>Window</em> shows the layout in force, what the next one would be and cost, and all
        that were made. A request's <em>What the model saw</em> shows both sides beside each other: what was
        sent as it came, what was left out, what was put in, and why. Numbers of tokens there are estimates
        unless it says that the provider counted them; money is by list prices, and is not told where no price
        is known. In an index, secrets that you typed are masked on the screen; the model got what you typed.
      </p>
      <h2>What it remembers</h2>
      <p>
        What you type is read behind the turn, on this machine, by rules: “production is deployed to Render”,
        “we use pnpm”, “do not touch the retry code”. A new value closes the old one, and nothing is lost by
        that. A new conversation begins with the facts that fit what you type, six at most, in one marked
        text; where none fits there is none. Facts belong to the repository they were said in. Claims that the
        model alone made wait until you accept them. <code>npx @context-mode/cli facts</code> lists them,{' '}
        <code>remember</code> states one, <code>reopen</code> takes a wrong close back; <em>Memory</em> in{' '}
        <Link href="/settings">Settings</Link> switches it off.
      </p>
      <h2>What it cost</h2>
      <p>
        <Link href="/ledger">Ledger</Link> says what was paid, what the same requests would have cost without
        Context Mode, and which feature made the difference, at list prices or your own (
        <code>config.jsonc</code>). What was never sent is estimated, and what the reckoning does not explain
        has a line of its own.
      </p>
      <h2>Take it back, pause, switch off</h2>
      <p>
        In a session's <em>Window</em>, <em>Take the layout back</em> brings the older part into view again
        with the next request, if it fits; if not, it says so. <em>Pause</em> makes no new layout until you
        resume. While everything is paused (Settings, or <code>context-mode pause</code>) no new layout is
        made anywhere and no conversation gets the tool that does not have it.{' '}
        <Link href="/settings">Settings</Link> switches Recall, the tool and trimming off for everything or
        for a project, sets how much stays in view, and the limit. Switching off stops new work alone: what a
        conversation carries already is sent as before, because taking it out in the middle would cost the
        cache and may be refused by the provider.
      </p>
      <h2>What is not measured</h2>
      <ul>
        <li>
          How much it saves and how well models find what they need with real providers over long days has not
          been measured. Tests run against a simulated provider that judges requests by the rules that the
          real ones have shown.
        </li>
        <li>
          Reasoning that was made before a layout is left out, because providers bind it to what the model
          saw. What that costs in quality has not been measured.
        </li>
        <li>Estimates of tokens can be off until the provider has counted a request of the conversation.</li>
      </ul>
    </>
  ),
};
