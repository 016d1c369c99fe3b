import { createHash } from 'node:crypto';
import { hexOf, type MessageHash } from '../../conversation/index.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { ThreadName } from '../../recall/index.ts';
import type { ProtocolAdapter, ReadRequest } from '../adapter.ts';
import type { AnswerHandler, UpstreamCall } from '../upstream.ts';
import { archivedChain } from './archived.ts';
import { type ConversationBeginning, readBeginning } from './conversation.ts';
import type { Prepared } from './prepared.ts';
import type { ComposeParts } from './types.ts';

/** A request of an agent that names no session. */
export interface UnnamedRequest {
  readonly id: Uuid;
  readonly accountId: Uuid;
  readonly adapter: ProtocolAdapter;
  readonly read: ReadRequest;
  readonly body: Buffer;
}

/** The session of such a request; `begun`: it is the session's first one, whose answer decides what the same words mean. */
export interface Placed {
  readonly name: ThreadName;
  readonly begun: Begun | null;
}

/** What became of the newest first request of a session: `open` as long as its answer is on its way. */
export interface Begun {
  readonly session: string;
  state: 'open' | 'failed' | 'answered';
}

type Parts = Pick<ComposeParts, 'recall' | 'archive'>;

const NOBODY: ThreadName = { agent: 'unknown', session: '', thread: '' };

/** Conversations that are remembered by how they begin. */
const MOST = 5_000;
/** Elements from which on the first two are those of every later request, byte for byte. */
const SETTLED_ELEMENTS = 4;
/** Calls at the end of a history that its session is looked for by. */
const CALLS = 20;
/** Sessions with the same first words among which the one of an answer is looked for. */
const MOST_ALIKE = 8;

/**
 * Tells the sessions of an agent that names none, by what its conversations say. A request without an answer is the first
 * of a session, unless the same one was sent before and not answered. A history belongs to the session that its first
 * answer was given in; where nobody knows that answer, to the one in which the archive has its calls.
 */
export class UnnamedSessions {
  readonly #agent: ThreadName['agent'];
  /** By the bytes of a beginning, or by its first answer. */
  readonly #sessions = new Map<string, string>();
  /** First requests by their words and folder, oldest first. */
  readonly #begun = new Map<string, Begun[]>();
  /** Sessions whose first answer is known. */
  readonly #answered = new Set<string>();

  constructor(agent: ThreadName['agent']) {
    this.#agent = agent;
  }

  clear(): void {
    this.#sessions.clear();
    this.#begun.clear();
    this.#answered.clear();
  }

  /**
   * The session of a request; null: nothing tells it.
   * @param mayBegin a request without an answer may be taken for the first of a session
   * @throws where store or archive do not answer
   */
  async place(parts: Parts, request: UnnamedRequest, mayBegin: boolean): Promise<Placed | null> {
    const { accountId, read } = request;
    const raw = read.elements.length >= SETTLED_ELEMENTS ? bytesKey(request) : null;
    const known = raw === null ? undefined : this.#sessions.get(raw);
    if (known !== undefined) return { name: this.#name(known), begun: null };
    const key = await parts.archive.accountKey(accountId);
    const beginning = await readBeginning(key, request.adapter, read, request.body);
    if (beginning.answer === null) return mayBegin ? this.#begin(request, beginning.typed) : null;
    const session = await this.#sessionOf(parts, request, beginning, beginning.answer);
    if (session === null) return null;
    this.#keep(answerKey(accountId, beginning.answer), session);
    if (raw !== null) this.#keep(raw, session);
    this.#answered.add(session);
    return { name: this.#name(session), begun: null };
  }

  #name(session: string): ThreadName {
    return { agent: this.#agent, session, thread: '' };
  }

  /** @param typed the words that were typed so far, by their marks: more may have been added to what was not answered */
  #begin(request: UnnamedRequest, typed: readonly MessageHash[]): Placed | null {
    const newest = typed.at(-1);
    if (newest === undefined) return null;
    const again = typed
      .flatMap((mark) => this.#begun.get(wordsKey(request, mark)) ?? [])
      .find(({ state }) => state === 'failed');
    const begun: Begun = again ?? { session: request.id, state: 'open' };
    begun.state = 'open';
    const key = wordsKey(request, newest);
    const others = (this.#begun.get(key) ?? []).filter((one) => one !== begun);
    this.#begun.delete(key);
    this.#begun.set(key, [...others, begun].slice(-MOST_ALIKE));
    forgetOldest(this.#begun);
    return { name: this.#name(begun.session), begun };
  }

  async #sessionOf(
    parts: Parts,
    request: UnnamedRequest,
    beginning: ConversationBeginning,
    answer: MessageHash,
  ): Promise<string | null> {
    const { accountId, adapter, read, body } = request;
    const known = this.#sessions.get(answerKey(accountId, answer));
    if (known !== undefined) return known;
    const { typed } = beginning;
    const rows = await parts.recall.beginnings(accountId, NOBODY, [...typed, answer]);
    // Those of deleted sessions have no name.
    const ours = rows.filter(({ thread }) => thread.agent === this.#agent && thread.session !== '');
    const atAnswer = ours.findLast(({ began }) => hexOf(began) === hexOf(answer));
    if (atAnswer !== undefined) return atAnswer.thread.session;
    if (beginning.isOnlyAnswer) {
      const here = typed.flatMap((mark) => this.#begun.get(wordsKey(request, mark)) ?? []);
      const sessions = new Set([
        ...ours.map(({ thread }) => thread.session),
        ...here.map((one) => one.session),
      ]);
      const candidates = await this.#withoutAnswer(parts, accountId, [...sessions], typed);
      if (candidates.length > 0) return this.#whoseAnswer(parts, request, candidates, beginning.elements);
    }
    const calls = callsOf(adapter, read, body);
    if (calls.length === 0) return null;
    const found = await parts.archive.sessionOfChain(accountId, this.#agent, { newest: null, calls });
    return found?.clientSessionId ?? null;
  }

  /** Sessions of which no first answer is known yet: the others have one of their own. */
  async #withoutAnswer(
    parts: Parts,
    accountId: Uuid,
    sessions: readonly string[],
    typed: readonly MessageHash[],
  ): Promise<readonly string[]> {
    const open: string[] = [];
    const words = new Set(typed.map((mark) => hexOf(mark)));
    for (const session of sessions.slice(-MOST_ALIKE).filter((one) => !this.#answered.has(one))) {
      const own = await parts.recall.beginnings(accountId, this.#name(session), []);
      if (own.every(({ began }) => words.has(hexOf(began)))) open.push(session);
    }
    return open;
  }

  /** The session that gave the first answer, as the archive has it; as long as it has not, the newest. */
  async #whoseAnswer(
    parts: Parts,
    request: UnnamedRequest,
    sessions: readonly string[],
    elements: number,
  ): Promise<string | null> {
    if (sessions.length === 1) return sessions[0] ?? null;
    const { accountId, adapter, body } = request;
    const read = { ...request.read, elements: request.read.elements.slice(0, elements) };
    const key = await parts.archive.accountKey(accountId);
    for (const session of sessions) {
      const thread = this.#name(session);
      const chain = await archivedChain(parts, { accountId, key, thread, adapter, read, body });
      const answer = chain?.positions.at(-1);
      if (answer === undefined) continue;
      const given = await parts.recall.answered(accountId, thread, 0 as Millis, [answer]);
      if (given.length > 0) return session;
    }
    return sessions.at(-1) ?? null;
  }

  #keep(key: string, session: string): void {
    this.#sessions.delete(key);
    this.#sessions.set(key, session);
    forgetOldest(this.#sessions);
    if (this.#answered.size > MOST) this.#answered.clear();
  }
}

/** Sends a session's first request, and sees what becomes of it. */
function sendBegun(
  begun: Begun,
  handler: AnswerHandler,
  send: (handler: AnswerHandler) => UpstreamCall,
): UpstreamCall {
  const call = send(watching(begun, handler));
  return {
    pause: () => call.pause(),
    resume: () => call.resume(),
    abort() {
      if (begun.state === 'open') begun.state = 'failed';
      call.abort();
    },
  };
}

function watching(begun: Begun, handler: AnswerHandler): AnswerHandler {
  let isRefused = false;
  return {
    onHead(status, reason, headers) {
      isRefused = status >= 400;
      if (isRefused) begun.state = 'failed';
      handler.onHead(status, reason, headers);
    },
    onBytes: (bytes) => handler.onBytes(bytes),
    onEnd() {
      if (!isRefused) begun.state = 'answered';
      handler.onEnd();
    },
    onFault(fault) {
      begun.state = 'failed';
      handler.onFault(fault);
    },
  };
}

function bytesKey({ accountId, read, body }: UnnamedRequest): string {
  const hash = createHash('sha256').update(accountId);
  for (const { start, end } of read.elements.slice(0, 2)) hash.update('\0').update(body.subarray(start, end));
  return `bytes ${hash.digest('base64url')}`;
}

function answerKey(accountId: Uuid, answer: MessageHash): string {
  return `answer ${accountId} ${hexOf(answer)}`;
}

function wordsKey({ accountId, read }: UnnamedRequest, words: MessageHash): string {
  return `${accountId} ${hexOf(words)} ${read.identity.place.folder ?? ''}`;
}

/** The ids of the newest calls of a history. */
function callsOf(adapter: ProtocolAdapter, read: ReadRequest, body: Buffer): readonly string[] {
  const ids: string[] = [];
  for (const { start, end } of read.elements.toReversed()) {
    if (ids.length >= CALLS) break;
    ids.push(...(adapter.resultsAlone(body.subarray(start, end)) ?? []));
  }
  return ids;
}

function forgetOldest(entries: Map<string, unknown>): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= MOST) break;
    entries.delete(oldest);
  }
}

/** A request with the session that it begins, where it begins one. */
export function asFirst(placed: Placed | null, ready: Prepared): Prepared {
  if (placed === null || placed.begun === null) return ready;
  const { begun } = placed;
  return {
    ...ready,
    session: begun.session,
    send: (upstreams, handler) => sendBegun(begun, handler, (seeing) => ready.send(upstreams, seeing)),
  };
}
