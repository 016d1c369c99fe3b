import { type PlaceClaim, viewOf } from '../../conversation/index.ts';
import type { Millis } from '../../kernel/clock.ts';
import { openaiAdapter } from '../openai/index.ts';
import { Books } from './books.ts';
import { LineObject } from './line.ts';
import type { FileLine, Transcript, TranscriptMessage, TranscriptReader } from './types.ts';

/** Types of lines that hold the agent's own books (codex-cli 0.171). */
const BOOKS: ReadonlySet<string> = new Set([
  'event_msg',
  'inter_agent_communication_metadata',
  'token_usage_record',
  'turn_context',
  'world_state',
]);
/** Items that the agent keeps for itself. */
const NEVER_SENT: ReadonlySet<string> = new Set(['ghost_snapshot', 'other']);

const OWN_BOOKS = "lines of the agent's own books";
const OWN_ITEMS = 'items that the agent keeps for itself';
const SUMMARIES = 'summaries of compactions, which stand in what follows them';
const TITLES = 'threads that looked for a title';

/** What a file says of itself in its first line. */
interface About {
  readonly thread: string;
  readonly session: string;
  readonly parent: string | null;
  readonly isSubagent: boolean;
  readonly isTitle: boolean;
  readonly version: string | null;
  readonly place: PlaceClaim;
}

/** An item while the chain is put together. */
interface Entry {
  parent: Entry | null;
  readonly element: Uint8Array;
  readonly at: Millis | null;
  readonly compacted: boolean;
  /** A call whose output has not come, or the output of one. */
  readonly call: { readonly id: string; readonly isOutput: boolean; readonly isCustom: boolean } | null;
}

interface File {
  readonly about: About;
  readonly entries: Entry[];
  head: Entry | null;
  /** True between a compaction and the first item behind it. */
  begins: boolean;
}

/** Reads the rollouts of one session of Codex: its own, and one for each sub-agent. */
export class CodexReader implements TranscriptReader {
  readonly #books = new Books();
  readonly #files = new Map<string, File>();
  #heldBytes = 0;

  get heldBytes(): number {
    return this.#heldBytes;
  }

  take({ file, number, bytes }: FileLine): void {
    const fault = bytes === null ? 'The line is too long.' : this.#read(file, bytes);
    if (fault !== null) this.#books.fault(file, number, fault);
  }

  end(): Transcript | null {
    const files = [...this.#files.values()];
    const main = files.find(({ about }) => !about.isSubagent) ?? files[0];
    if (main === undefined) return null;
    const { session, version, place } = main.about;
    const kept = files.filter(({ about }) => !about.isTitle);
    if (kept.length < files.length) this.#books.leaveOut(TITLES, files.length - kept.length);
    return {
      agent: 'codex',
      agentVersion: version,
      clientSessionId: session,
      place,
      threads: kept.map(({ about, entries }) => ({
        clientThreadId: about.isSubagent ? about.thread : null,
        parentThreadId: about.parent === session ? null : about.parent,
        messages: messagesOf(withAborted(entries)),
      })),
      leftOut: this.#books.leftOut,
      faults: this.#books.faults,
    };
  }

  /** Takes a line in; a text says why it cannot be read. */
  #read(name: string, bytes: Uint8Array): string | null {
    const line = LineObject.read(bytes);
    if (line === null) return 'The line is not whole, or no JSON.';
    const type = line.text('type') ?? '';
    const payload = line.object('payload');
    if (payload === null) return 'The line holds nothing.';
    const known = this.#files.get(name);
    if (type === 'session_meta') {
      // The first one counts: a fork repeats that of its origin.
      if (known !== undefined) return null;
      const about = aboutOf(payload);
      if (about === null) return 'The line names no session.';
      this.#files.set(name, { about, entries: [], head: null, begins: false });
      return null;
    }
    if (known === undefined) return 'No line before it names a session.';
    this.#heldBytes += this.#takeInto(known, line, type, payload);
    return null;
  }

  /** Answers how many bytes were kept. */
  #takeInto(file: File, line: LineObject, type: string, payload: LineObject): number {
    const at = line.time('timestamp');
    const kind = payload.text('type') ?? '';
    const items: Uint8Array[] = [];
    if (type === 'response_item' && NEVER_SENT.has(kind)) this.#books.leaveOut(OWN_ITEMS);
    else if (type === 'response_item') items.push(line.raw('payload') as Uint8Array);
    else if (type === 'compacted') {
      if (isSummary(file, payload)) this.#books.leaveOut(SUMMARIES);
      file.head = null;
      file.begins = true;
      items.push(...(payload.entries('replacement_history') ?? []));
    } else if (BOOKS.has(type)) {
      if (kind === 'thread_rolled_back') rollBack(file, payload);
      this.#books.leaveOut(OWN_BOOKS);
    } else
      this.#books.leaveOut(`lines of a kind that is not known (${type === '' ? 'without a type' : type})`);
    for (const item of items) append(file, item, at);
    return items.reduce((sum, item) => sum + item.length, 0);
  }
}

/**
 * True where the newest message is the summary that a compaction makes a part of what follows: it was asked for beside
 * the conversation. It is taken out.
 */
function isSummary(file: File, compacted: LineObject): boolean {
  const newest = file.entries.at(-1);
  const item = newest === undefined ? null : LineObject.read(newest.element);
  if (newest === undefined || item?.text('role') !== 'assistant') return false;
  const [part] = item.entries('content') ?? [];
  const text = (part === undefined ? null : LineObject.read(part))?.raw('text') ?? null;
  const summary = compacted.raw('message');
  if (text === null || summary === null || text.length <= 2) return false;
  if (!viewOf(summary).includes(viewOf(text.subarray(1, -1)))) return false;
  file.entries.pop();
  return true;
}

function aboutOf(meta: LineObject): About | null {
  const thread = meta.text('id');
  if (thread === null) return null;
  const git = meta.object('git');
  const source = meta.text('thread_source');
  const parent = meta.text('parent_thread_id');
  return {
    thread,
    session: meta.text('session_id') ?? thread,
    parent,
    isSubagent: parent !== null || source === 'subagent',
    isTitle: source === 'thread_title',
    version: meta.text('cli_version'),
    place: {
      folder: meta.text('cwd'),
      root: null,
      remoteUrl: git?.text('repository_url') ?? null,
      branch: null,
      commit: git?.text('commit_hash') ?? null,
      isRepository: git === null ? null : true,
    },
  };
}

function append(file: File, item: Uint8Array, at: Millis | null): void {
  const element = Uint8Array.from(item);
  const entry = { parent: file.head, element, at, compacted: file.begins, call: callOf(element) };
  file.entries.push(entry);
  file.head = entry;
  file.begins = false;
}

function callOf(element: Uint8Array): Entry['call'] {
  const item = LineObject.read(element);
  const type = item?.text('type') ?? '';
  const id = item?.text('call_id') ?? null;
  if (id === null) return null;
  const isCustom = type.startsWith('custom_tool_call');
  if (type === 'function_call' || type === 'custom_tool_call') return { id, isOutput: false, isCustom };
  return type.endsWith('_output') ? { id, isOutput: true, isCustom } : null;
}

/** Takes the chain back to before the last so many typed messages. */
function rollBack(file: File, payload: LineObject): void {
  let left = Number(Buffer.from(payload.raw('num_turns') ?? Buffer.from('0')).toString('latin1'));
  for (let entry = file.head; entry !== null && left > 0; entry = entry.parent) {
    if (!isTyped(entry.element)) continue;
    file.head = entry.parent;
    left -= 1;
  }
}

function isTyped(element: Uint8Array): boolean {
  const { role, items } = openaiAdapter.parseMessage(element);
  return role === 'user' && items.some((item) => item.kind === 'input');
}

/** A call without an output that something follows is sent with the output `aborted` directly behind it. */
function withAborted(entries: readonly Entry[]): readonly Entry[] {
  const answered = new Set(entries.flatMap(({ call }) => (call?.isOutput ? [call.id] : [])));
  const followed = new Set(entries.flatMap(({ parent }) => (parent === null ? [] : [parent])));
  const behind = new Map<Entry, Entry>();
  const whole: Entry[] = [];
  for (const entry of entries) {
    const before = entry.parent === null ? undefined : behind.get(entry.parent);
    if (before !== undefined) entry.parent = before;
    whole.push(entry);
    const { call } = entry;
    if (call === null || call.isOutput || answered.has(call.id) || !followed.has(entry)) continue;
    const type = call.isCustom ? 'custom_tool_call_output' : 'function_call_output';
    const element = Buffer.from(JSON.stringify({ type, call_id: call.id, output: 'aborted' }), 'utf8');
    const aborted: Entry = { parent: entry, element, at: entry.at, compacted: false, call: null };
    behind.set(entry, aborted);
    whole.push(aborted);
  }
  return whole;
}

function messagesOf(entries: readonly Entry[]): readonly TranscriptMessage[] {
  const made = new Map<Entry, TranscriptMessage>();
  return entries.map((entry) => {
    const parent = entry.parent === null ? null : (made.get(entry.parent) ?? null);
    const message = { parent, element: entry.element, at: entry.at, beside: [], compacted: entry.compacted };
    made.set(entry, message);
    return message;
  });
}
