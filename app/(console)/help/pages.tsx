import Link from 'next/link';
import type { ReactNode } from 'react';

/** One page of the help. */
export interface HelpPage {
  readonly slug: string;
  readonly title: string;
  /** What a reader finds here, in a line. */
  readonly about: string;
  readonly body: ReactNode;
}

const Run = ({ children }: { readonly children: string }) => (
  <pre className="wrap-text my-2 rounded-md border border-line bg-sunken px-3 py-2">{children}</pre>
);

/** The pages, in reading order. */
export const HELP_PAGES: readonly HelpPage[] = [
  {
    slug: 'start',
    title: 'Quick start',
    about: 'From nothing to the first session',
    body: (
      <>
        <p>
          Context Mode stands between a coding agent and its provider. It passes every byte on and keeps what
          was said.
        </p>
        <h2>Connect</h2>
        <Run>npx @context-mode/cli connect</Run>
        <p>
          The command shows each change before it makes it. Then start the agent again and type something: the
          first session appears on <Link href="/">Home</Link> by itself.
        </p>
        <h2>Read</h2>
        <p>
          The <Link href="/archive">Archive</Link> lists every session. A session opens as a conversation:
          what you typed stands out, answers are plain, a tool call is one line that unfolds, and what the
          agent put in by itself is folded and faint. Enter opens a part at the right, exactly as it is
          stored.
        </p>
        <h2>Find</h2>
        <p>
          <kbd>⌘K</kbd> goes to any screen, session or document. <kbd>/</kbd> searches on the page. In a
          transcript, <kbd>n</kbd> and <kbd>N</kbd> walk from hit to hit. <kbd>?</kbd> lists all keys.
        </p>
      </>
    ),
  },
  {
    slug: 'connect',
    title: 'Connecting agents',
    about: 'What is changed, by hand, and when nothing arrives',
    body: (
      <>
        <p>Each agent needs one setting: the address that it takes for its provider.</p>
        <h2>Claude Code by hand</h2>
        <p>
          In the shell, or under <code>env</code> in <code>~/.claude/settings.json</code>:
        </p>
        <Run>ANTHROPIC_BASE_URL=http://127.0.0.1:4141/anthropic</Run>
        <h2>Codex by hand</h2>
        <p>
          At the top of <code>~/.codex/config.toml</code>. Codex does not read <code>OPENAI_BASE_URL</code>.
        </p>
        <Run>openai_base_url = "http://127.0.0.1:4141/openai/v1"</Run>
        <p>If you started Context Mode on another port, use the addresses that Settings shows.</p>
        <h2>When nothing arrives</h2>
        <ul>
          <li>The agent was running before: it reads its settings only at the start.</li>
          <li>
            A shell variable outranks the file:{' '}
            <code>{"env | grep -E 'ANTHROPIC_BASE_URL|CLAUDE_CODE_USE_'"}</code>.
          </li>
          <li>
            Another base URL is set somewhere: <code>npx @context-mode/cli doctor</code> names it.
          </li>
        </ul>
        <h2>When the gateway is stopped</h2>
        <p>
          A connected agent cannot reach its provider while Context Mode is stopped. Start it again, or take
          the setting out with <code>npx @context-mode/cli disconnect</code>.
        </p>
      </>
    ),
  },
  {
    slug: 'kept',
    title: 'What is kept, what is masked',
    about: 'Where your words lie and what leaves the machine',
    body: (
      <>
        <h2>Kept</h2>
        <p>
          Every message, answer and tool result of a conversation, with images and files, once, exactly as it
          came. System prompts and tool lists are kept once for each form. For each request: its times, sizes,
          outcome and the tokens that the provider counted. All of it lies in the data folder that Settings
          names, or in your own PostgreSQL if you set one.
        </p>
        <h2>Masked</h2>
        <p>
          Secrets and e-mail addresses are replaced before anything is written. The same secret gets the same
          mask, so you can still see that two things were equal. A document with masks says so: it is not the
          real text. Masking finds what has the form of a secret; a password that looks like an ordinary word
          is not found.
        </p>
        <h2>Confirmed</h2>
        <p>
          Soon after it is written, each text is read back from the database and its hash compared. From then
          on it is marked <em>confirmed</em>.
        </p>
        <h2>Not kept</h2>
        <p>
          Your provider's keys pass through in memory and are written nowhere. Requests that belong to no
          conversation (lists of models, for example) are counted and not kept.
        </p>
        <h2>What leaves</h2>
        <p>
          The requests of your agents to their providers, unchanged. Nothing else: no telemetry, no update
          check.
        </p>
      </>
    ),
  },
  {
    slug: 'archive',
    title: 'The archive',
    about: 'Sessions, documents, export, deletion',
    body: (
      <>
        <h2>Sessions and sub-agents</h2>
        <p>
          A session is a conversation as the agent names it. Sub-agents are threads of their session and stand
          in its transcript, marked. A request that cannot be placed with certainty is kept as unplaced rather
          than guessed.
        </p>
        <h2>Documents</h2>
        <p>
          Each part has an id that begins with <code>context-mode-msg-</code>. A tool call and its result are
          one document. <em>Exact</em> shows the stored bytes with their offsets; every character that cannot
          be seen has a sign.
        </p>
        <p>
          Text that an agent read is shown as text and never run, whatever it contains. Characters that would
          mislead the eye, such as terminal escapes and changes of direction, are shown as signs in the
          readable view too.
        </p>
        <h2>Export</h2>
        <p>
          A session's menu exports it as JSON Lines. Scripts on this machine can read everything at{' '}
          <code>/api/v1</code>, described at <a href="/api/v1/openapi.json">/api/v1/openapi.json</a>.
        </p>
        <h2>Deletion</h2>
        <p>
          A session's menu deletes it. For twelve seconds it can be taken back; then the session is really
          gone, with everything that only it refers to. If Context Mode is stopped within these seconds,
          nothing is deleted.
        </p>
      </>
    ),
  },
  {
    slug: 'leaving',
    title: 'Leaving',
    about: 'Disconnect, take your data, remove everything',
    body: (
      <>
        <h2>Disconnect</h2>
        <Run>npx @context-mode/cli disconnect</Run>
        <p>
          Each file is put back as it was, byte for byte, unless it was changed since; then only our own
          setting is taken out.
        </p>
        <h2>Take your data</h2>
        <p>Export the sessions you want as JSON Lines from their menus.</p>
        <h2>Remove</h2>
        <p>Stop Context Mode and delete the data folder that Settings names. Nothing lies anywhere else.</p>
      </>
    ),
  },
  {
    slug: 'measured',
    title: 'What is not measured',
    about: 'Where we do not know, and say so',
    body: (
      <>
        <ul>
          <li>
            Claude Code and Codex with a subscription instead of a key have not been tried against the real
            services.
          </li>
          <li>
            The <code>/chatgpt</code> door, which Codex uses with a subscription, has not been tried against
            the real service.
          </li>
          <li>Other agents pass through the same doors, but no test runs them yet.</li>
          <li>
            Masking has been tested on known forms of secrets; how many it misses in real use has not been
            measured.
          </li>
        </ul>
      </>
    ),
  },
];
