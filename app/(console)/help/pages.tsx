import Link from 'next/link';
import type { HelpPage } from './help-page.ts';
import { RECALL_PAGE } from './recall-page.tsx';

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
          Context Mode stands between a coding agent and its provider. It keeps what was said, and keeps long
          sessions inside their window (<Link href="/help/recall">Recall</Link>); all else passes byte for
          byte.
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
          <Link href="/archive/search">Search</Link> looks through everything; <kbd>⌘K</kbd> goes to any
          screen, session or document. <kbd>/</kbd> searches on the page. In a transcript, <kbd>n</kbd> and{' '}
          <kbd>N</kbd> walk from hit to hit. <kbd>?</kbd> lists all keys.
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
        <h2>OpenCode by hand</h2>
        <p>
          In <code>~/.config/opencode/opencode.json</code> (or <code>opencode.jsonc</code>). Both addresses
          end in <code>/v1</code>.
        </p>
        <Run>{`"provider": {
  "anthropic": { "options": { "baseURL": "http://127.0.0.1:4141/anthropic/v1" } },
  "openai": { "options": { "baseURL": "http://127.0.0.1:4141/openai/v1" } }
}`}</Run>
        <h2>Pi by hand</h2>
        <p>
          In <code>~/.pi/agent/models.json</code>. Here only the second address ends in <code>/v1</code>. On
          Anthropic’s protocol Pi names no session: its conversations are told by their history, and get
          Recall by that; a request for which it does not decide passes as it came and carries a note that
          says so. A compaction that keeps no tool call begins a new session.
        </p>
        <Run>{`"providers": {
  "anthropic": { "baseUrl": "http://127.0.0.1:4141/anthropic" },
  "openai": { "baseUrl": "http://127.0.0.1:4141/openai/v1" }
}`}</Run>
        <p>
          Requests of both agents to providers that speak Chat Completions pass and are listed; their messages
          are not read.
        </p>
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
        <h2>Pause</h2>
        <p>
          <code>npx @context-mode/cli pause 1h</code>, or <em>Recording</em> in{' '}
          <Link href="/settings">Settings</Link>: nothing is recorded until the time is over or you resume,
          and nothing new is begun; bytes pass. What a conversation carries already (our tool, a layout) is
          sent as before. Agents send their whole history with every request: a session that goes on after the
          pause brings what was said meanwhile along, and it is archived then. A session that begins and ends
          in the pause leaves nothing.
        </p>
        <h2>What leaves</h2>
        <p>
          The requests of your agents to their providers: as they came, or as{' '}
          <Link href="/help/recall">Recall</Link> lays them out. Nothing else: no telemetry, no update check.
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
        <h2>Reading a session</h2>
        <p>
          A session of any length opens at once: only what you look at is loaded. <kbd>/</kbd> searches in it,{' '}
          <kbd>n</kbd> and <kbd>N</kbd> walk from hit to hit. <kbd>:</kbd> goes to a position (
          <code>1200</code>) or a time (<code>14:05</code>, <code>2026-11-30 14:05</code>). An address that
          ends in <code>#1200</code> opens there.
        </p>
        <h2>Documents</h2>
        <p>
          Each part has an id that begins with <code>context-mode-msg-</code>. A tool call and its result are
          one document. <em>Exact</em> shows the stored bytes with their offsets; every character that cannot
          be seen has a sign. <em>Facts</em> has size, hash, times, and the sessions that hold the document.
        </p>
        <p>
          A text of more than 2 MB is not loaded whole: its beginning and its end are shown, you read on where
          you need to, and searching in it finds words anywhere in it. The download is always the whole.
        </p>
        <p>
          Where a document shows a file that the agent changed later, it says so, with the way to the change
          and to the newest read of the file. What counts is plain to see in a call: file tools, redirections,{' '}
          <code>mv</code>, <code>rm</code>, <code>sed -i</code>, <code>git checkout --</code> and their like.
          What a script or a build changes is not seen.
        </p>
        <p>
          Text that an agent read is shown as text and never run, whatever it contains. Characters that would
          mislead the eye, such as terminal escapes and changes of direction, are shown as signs in the
          readable view too.
        </p>
        <h2>Export and import</h2>
        <p>
          A session's menu exports it as JSON Lines. The lists of sessions and of hits are saved, as JSON
          Lines or CSV, by the button at the top of each. To carry sessions into another archive with the ids
          they have:
        </p>
        <Run>npx @context-mode/cli export --all sessions.jsonl --keys keys.json</Run>
        <Run>npx @context-mode/cli import sessions.jsonl --keys keys.json</Run>
        <p>
          Ids are made with a key of the archive, so the other archive must be empty and take over the key.
          The key file is secret: keep it apart, and delete it after the import. Importing twice changes
          nothing. Without the key, <code>import --foreign</code> takes sessions in to be read; their agents
          begin anew.
        </p>
        <p>
          Scripts on this machine can read everything at <code>/api/v1</code>, described at{' '}
          <a href="/api/v1/openapi.json">/api/v1/openapi.json</a>. What they delete there is gone at once and
          cannot be taken back.
        </p>
        <h2>Deletion</h2>
        <p>
          A session's menu deletes it. For twelve seconds it can be taken back; then the session is really
          gone, with everything that only it refers to, from the search as well. What another session shares
          with it stays there. If its agent goes on talking, a new session begins with what it sends: end the
          conversation first if all of it is to be gone.
        </p>
        <p>
          <Link href="/settings">Settings</Link> deletes a project with all of its sessions, or everything. If
          Context Mode is stopped before a deletion is due, the next start waits twelve seconds again and then
          carries it out. A list of what was deleted and when is kept, without any of its words.
        </p>
        <p>
          A few seconds later the database's files are cleaned, so that the bytes are gone from the disk as
          well. Tables of more than 256 MB are not written anew for that: there, deleted bytes may lie in free
          space until newer ones are written over them. On a PostgreSQL of your own, its log, replicas and
          backups follow your rules.
        </p>
        <h2>Retention</h2>
        <p>
          Everything is kept for ever until you say otherwise in <Link href="/settings">Settings</Link>, for
          all sessions or for a project. Sessions that were not seen for so many days are then deleted by
          themselves, some at a time, looked for every hour. A new setting deletes nothing for an hour. If the
          clock makes a jump, nothing is deleted for a day, and a banner says what would go.
        </p>
        <h2>When the disk is nearly full</h2>
        <p>
          Below 2 GB of free space new sessions pass unrecorded, and a banner says so. Sessions that have
          begun go on being recorded. With room again, the next request of each conversation brings all of it.{' '}
          <code>CONTEXT_MODE_MIN_FREE_MB</code> sets another mark; 0 turns it off.
        </p>
      </>
    ),
  },
  {
    slug: 'search',
    title: 'Searching',
    about: 'Words, phrases, names, and what narrows them',
    body: (
      <>
        <p>
          <Link href="/archive/search">Search</Link> looks through every word that was typed, answered,
          thought, and every call and result of a tool, in all sessions. Write a question or a few words; the
          best text comes first.
        </p>
        <h2>What you can write</h2>
        <ul>
          <li>
            <code>refund window</code>: any of the words. Texts with all of them, close together, come first.
          </li>
          <li>
            <code>"refund window"</code>: the words in this order, with their punctuation:{' '}
            <code>"TypeError: x is not"</code>.
          </li>
          <li>
            <code>-invoice</code>: only texts without this word. Options such as <code>-p</code> or{' '}
            <code>--no-cache</code> are looked for as they are; put others in quotation marks.
          </li>
          <li>
            <code>refund*</code>: every word that begins so.
          </li>
          <li>
            Names are found by their parts: <code>refund window</code> finds <code>refundWindow</code>,{' '}
            <code>refund_window</code> and <code>REFUND-WINDOW</code>; <code>billing/quota</code> finds{' '}
            <code>src/billing/quota.ts</code>.
          </li>
        </ul>
        <p>Capitals and accents do not matter. Masked secrets cannot be found, because they are not kept.</p>
        <h2>Narrowing</h2>
        <p>
          By project, kind, and time; under <em>More filters</em> by who said it, tool, path (its end is
          enough), and thread. A session's menu searches in that session alone. Words and filters stand in the
          address, so a search can be kept as a bookmark.
        </p>
        <h2>Reading hits</h2>
        <p>
          <kbd>j</kbd>, <kbd>k</kbd> and the arrows walk, <kbd>Enter</kbd> opens the document at the match,{' '}
          <kbd>t</kbd> opens its session there. In the document, <kbd>n</kbd> and <kbd>N</kbd> go from match
          to match. Where a word is very common, a line above the hits says how far it was looked for.
        </p>
        <h2>From a terminal</h2>
        <Run>npx @context-mode/cli search refund window</Run>
        <Run>npx @context-mode/cli read ID</Run>
        <p>The first lists hits with their ids, the second prints a document whole.</p>
      </>
    ),
  },
  RECALL_PAGE,
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
        <Run>npx @context-mode/cli export --all sessions.jsonl</Run>
        <p>Single sessions are exported from their menus.</p>
        <h2>Remove</h2>
        <p>
          Stop Context Mode and delete the data folder that Settings names. Nothing lies anywhere else, with
          one exception: where root started it, <code>database.json</code> in the data folder may name a
          folder under <code>/var/lib/context-mode</code>. The database is there; delete that one too.
        </p>
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
          <li>OpenCode and Pi were tried with keys alone, not with a sign-in by the browser.</li>
          <li>
            Agents other than Claude Code, Codex, OpenCode and Pi pass through the same doors, but no test
            runs them yet.
          </li>
          <li>
            Masking has been tested on known forms of secrets; how many it misses in real use has not been
            measured.
          </li>
        </ul>
      </>
    ),
  },
];
