import {
  type ArchiveWriter,
  type MessageHash,
  type NewMark,
  type NewMessage,
  type RecordBatch,
  StaleRead,
  type ThreadState,
} from '../../archive/index.ts';
import { hexOf, type Identity, type Message, rootHash } from '../../conversation/index.ts';
import { breathe } from '../../kernel/breath.ts';
import type { Clock, Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { maskNameOrNull } from '../../redaction/index.ts';
import { anthropicAdapter } from '../anthropic/index.ts';
import { openaiAdapter } from '../openai/index.ts';
import { maskItems } from '../record/mask-items.ts';
import { maskingWriter } from '../record/masking-writer.ts';
import { inTimeOrder, type TimedMessage } from './order.ts';
import { type Placed, Placing } from './place-messages.ts';
import type { ImportedTranscript, Transcript, TranscriptMessage, TranscriptThread } from './types.ts';

/** Messages and bytes that are written in one transaction. */
const MESSAGES_AT_ONCE = 200;
const BYTES_AT_ONCE = 4 * 1024 * 1024;
/** How often an import begins anew because something was deleted under it. */
const ATTEMPTS = 5;
/** Faults that are told one by one. */
const TOLD_FAULTS = 20;
const NOT_SENT = 'words of the agent at an end, which it has not sent yet';

/**
 * Writes what an agent's files hold of a session into the archive, as the door would have: masked, under the same names,
 * in the order of its times, with its branches. What is there already is left as it is. A batch of messages is one
 * transaction; what was broken off is gone on with by importing again.
 */
export async function importTranscript(
  store: ArchiveWriter,
  clock: Clock,
  accountId: Uuid,
  transcript: Transcript,
): Promise<ImportedTranscript> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await new TranscriptImport(store, clock, accountId, transcript).run();
    } catch (thrown) {
      if (!(thrown instanceof StaleRead) || attempt === ATTEMPTS) throw thrown;
    }
  }
}

/** A thread while it is written. */
interface OpenThread {
  readonly state: ThreadState;
  readonly root: MessageHash;
  /** True where the archive held nothing of it when the import began: then its log is made here. */
  readonly isFresh: boolean;
  /** Its newest message. */
  head: MessageHash | null;
  /** Where its last message stands. */
  last: MessageHash | null;
  hasLog: boolean;
}

/** Where a message stands, as what goes on from it needs to know. */
interface Stand extends Pick<Placed, 'hash' | 'isKnown'> {
  /** Reasoning that the next message takes along. */
  readonly reasoning: readonly Message[];
}

/** Messages of one thread, each behind the one before, that go into one transaction. */
interface Run {
  readonly thread: OpenThread;
  readonly from: MessageHash;
  readonly at: Millis;
  readonly messages: NewMessage[];
  readonly aliases: RecordBatch['aliases'][number][];
  readonly marks: NewMark[];
  head: MessageHash;
  bytes: number;
}

class TranscriptImport {
  readonly #writer: ArchiveWriter;
  readonly #clock: Clock;
  readonly #accountId: Uuid;
  readonly #transcript: Transcript;
  readonly #stands = new Map<TranscriptMessage, Stand>();
  readonly #threads = new Map<TranscriptThread, OpenThread>();
  readonly #counts = { messages: 0, added: 0, notSent: 0 };
  #key: Uint8Array = new Uint8Array(0);
  #folder: string | null = null;
  #run: Run | null = null;

  constructor(store: ArchiveWriter, clock: Clock, accountId: Uuid, transcript: Transcript) {
    this.#writer = maskingWriter(store);
    this.#clock = clock;
    this.#accountId = accountId;
    this.#transcript = transcript;
  }

  async run(): Promise<ImportedTranscript> {
    const { agent, threads, place } = this.#transcript;
    const key = await this.#writer.accountKey(this.#accountId);
    this.#key = key;
    this.#folder = await maskNameOrNull(place.folder, key);
    const adapter = agent === 'codex' ? openaiAdapter : anthropicAdapter;
    const placing = new Placing({ writer: this.#writer, accountId: this.#accountId, key, agent, adapter });
    const ordered = inTimeOrder(threads, this.#clock.now());
    await placing.prepare(
      ordered.flatMap(({ message }) => [message.element, ...message.beside.map((one) => one.element)]),
    );
    const ends = endsOf(ordered);
    for (const one of ordered) {
      await breathe();
      await this.#take(one, placing, ends.has(one.message));
    }
    await this.#write();
    await this.#completeLogs(ordered.at(-1)?.at ?? this.#clock.now());
    return this.#report();
  }

  async #take(
    { thread: named, message: read, at }: TimedMessage,
    placing: Placing,
    isEnd: boolean,
  ): Promise<void> {
    const thread = await this.#open(named, at);
    const before = read.parent === null ? null : (this.#stands.get(read.parent) ?? null);
    const parent = before?.hash ?? thread.root;
    const placed = await placing.place(read.element, parent, {
      isStored: before?.isKnown ?? true,
      reasoning: before?.reasoning ?? [],
    });
    const { message } = placed;
    if (message.transparent) {
      const isKnown = before?.isKnown ?? true;
      this.#stands.set(read, { hash: parent, isKnown, reasoning: placed.reasoning });
      return;
    }
    const { hash, isKnown } = placed;
    this.#stands.set(read, { hash, isKnown, reasoning: [] });
    if (isEnd && !isKnown && isWaiting(message)) {
      this.#counts.notSent += 1;
      return;
    }
    this.#counts.messages += 1;
    thread.last = hash;
    // What a log holds already is left as it is.
    if (isKnown && !thread.isFresh) return this.#write();
    const run = await this.#runAt(thread, parent, at);
    if (!isKnown) {
      this.#counts.added += 1;
      if (read.compacted) run.marks.push({ kind: 'client_compaction', message: null, data: {} });
      run.aliases.push(...placing.aliasesOf(parent, read.element, placed));
    }
    await this.#put(run, parent, placed, at);
    run.head = hash;
    for (const { element, at: saidAt } of read.beside) {
      const beside = await placing.place(element, hash, { isStored: isKnown, reasoning: [] });
      if (beside.isKnown) continue;
      await this.#put(run, hash, beside, saidAt === null ? at : clamp(saidAt, at));
      run.aliases.push({ parent: hash, slice: placing.sliceOf(element), message: beside.hash });
    }
  }

  async #put(run: Run, parent: MessageHash, placed: Placed, at: Millis): Promise<void> {
    const { hash, message, reasoning } = placed;
    const own = placed.masked ?? (await maskItems(message.items, this.#key));
    const before = await maskItems(
      reasoning.flatMap((one: Message) => one.items),
      this.#key,
    );
    run.messages.push({
      hash,
      parent,
      role: message.role,
      origin: 'received',
      items: [...before, ...own],
      at,
    });
    run.bytes += own.reduce((sum, item) => sum + item.text.length + (item.body?.length ?? 0), 0);
  }

  /** The run that a message behind `parent` belongs to: the one that is open, if it ends there and has room. */
  async #runAt(thread: OpenThread, parent: MessageHash, at: Millis): Promise<Run> {
    const run = this.#run;
    if (
      run !== null &&
      run.thread === thread &&
      hexOf(run.head) === hexOf(parent) &&
      run.messages.length < MESSAGES_AT_ONCE &&
      run.bytes < BYTES_AT_ONCE
    )
      return run;
    await this.#write();
    this.#run = {
      thread,
      from: parent,
      at,
      messages: [],
      aliases: [],
      marks: [],
      head: parent,
      bytes: 0,
    };
    return this.#run;
  }

  /** Writes the open run. The head moves where the run goes on from it, or the log is made here. */
  async #write(): Promise<void> {
    const run = this.#run;
    this.#run = null;
    if (run === null || run.messages.length === 0) return;
    const { thread } = run;
    const goesOn = thread.head !== null && hexOf(thread.head) === hexOf(run.from);
    const moves = thread.isFresh || goesOn;
    await this.#writer.append({
      accountId: this.#accountId,
      thread: thread.state,
      at: run.at,
      messages: run.messages,
      aliases: run.aliases,
      marks: run.marks,
      asOf: thread.state.erasures,
      head: moves ? run.head : null,
      folder: this.#folder,
    });
    if (moves) thread.head = run.head;
    thread.hasLog = true;
  }

  /** A session all of whose messages are there, from another one that it was forked off, still has a log of its own. */
  async #completeLogs(at: Millis): Promise<void> {
    for (const thread of this.#threads.values()) {
      if (!thread.isFresh || thread.hasLog || thread.last === null) continue;
      await this.#writer.append({
        accountId: this.#accountId,
        thread: thread.state,
        at,
        messages: [],
        aliases: [],
        marks: [],
        asOf: thread.state.erasures,
        head: thread.last,
        folder: this.#folder,
      });
    }
  }

  async #open(named: TranscriptThread, at: Millis): Promise<OpenThread> {
    const known = this.#threads.get(named);
    if (known !== undefined) return known;
    const { place: claim } = this.#transcript;
    const place = await this.#writer.resolvePlace(this.#accountId, claim, at);
    const state = await this.#writer.openThread(this.#accountId, this.#identity(named), place, at);
    if (state === null) throw new Error('a transcript that names no session');
    const thread: OpenThread = {
      state,
      root: rootHash(this.#key, state.place?.projectId ?? place?.projectId ?? null),
      isFresh: state.head === null,
      head: state.head,
      last: null,
      hasLog: state.head !== null,
    };
    this.#threads.set(named, thread);
    return thread;
  }

  #identity({ clientThreadId, parentThreadId }: TranscriptThread): Identity {
    const { agent, agentVersion, clientSessionId, place } = this.#transcript;
    const kind = clientThreadId === null ? 'main' : 'subagent';
    return {
      agent,
      agentVersion,
      clientSessionId,
      clientThreadId,
      parentThreadId,
      kind,
      place,
      uncertain: null,
    };
  }

  #report(): ImportedTranscript {
    const { clientSessionId, leftOut, faults } = this.#transcript;
    const { messages, added, notSent } = this.#counts;
    const threads = [...this.#threads.values()];
    const wasThere = threads.some((thread) => !thread.isFresh);
    const left = [...leftOut, ...(notSent > 0 ? [[NOT_SENT, notSent] as const] : [])];
    return {
      id: threads[0]?.state.sessionId ?? '',
      clientSessionId,
      state: !wasThere && threads.length > 0 ? 'imported' : added > 0 ? 'extended' : 'present',
      messages,
      added,
      leftOut: left.map(([what, count]) => ({ what, count })),
      faults: faults.slice(0, TOLD_FAULTS),
    };
  }
}

/** Messages behind which no other stands. */
function endsOf(ordered: readonly TimedMessage[]): ReadonlySet<TranscriptMessage> {
  const ends = new Set(ordered.map(({ message }) => message));
  for (const { message } of ordered) if (message.parent !== null) ends.delete(message.parent);
  return ends;
}

/** A user message of the agent's own words alone: at an end it waits to be sent together with what is typed next. */
function isWaiting({ role, items }: Message): boolean {
  return role === 'user' && items.every((item) => item.kind === 'injected');
}

function clamp(at: Millis, least: Millis): Millis {
  return Math.max(at, least) as Millis;
}
