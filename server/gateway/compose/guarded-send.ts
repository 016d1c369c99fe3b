import { viewOf } from '../../conversation/index.ts';
import { decodeBody } from '../decode.ts';
import { headerOf, type RawHeaders } from '../headers.ts';
import { EventSplitter } from '../hidden/split-events.ts';
import type { Timers } from '../keep-alive.ts';
import { dataOf, readEvents, textOf } from '../reading/events.ts';
import { classifyRefusal, type Refusal, refusalInEvent } from '../refused/index.ts';
import type { AnswerHandler, UpstreamCall, UpstreamFault, UpstreamRequest, Upstreams } from '../upstream.ts';

/** A refusal as the provider gave it, in a body or in the first event that tells anything. */
export interface RefusedAnswer {
  readonly status: number;
  readonly headers: RawHeaders;
  /** The body, decoded as far as it can be, or what has come of the stream. */
  readonly body: Buffer;
}

/** What is done about a refusal of a request that was put together. */
export interface Guard {
  readonly protocol: 'anthropic' | 'openai';
  /**
   * The request that is tried instead, once everything that it carries is kept; null: the client gets the refusal. Asked
   * again where that is refused too. Must come to an end by itself; a rejection counts as null.
   */
  judge(refusal: Refusal, answer: RefusedAnswer): Promise<UpstreamRequest | null>;
}

/**
 * Where an answer stands: its head has not come; its body is held, or its first events are; it is being judged; it goes to
 * the client as it comes.
 */
type Stage = 'waits' | 'body' | 'events' | 'judged' | 'through';

/** Bytes of an answer that are held; a larger one goes on unjudged. */
const MAX_HELD_BYTES = 1024 * 1024;
/** Longest that the first events of a stream are held back. */
const HELD_MS = 15_000;
/** Events that a stream begins with before the provider has looked at the prompt. */
const BEGINNINGS: ReadonlySet<string> = new Set([
  'response.created',
  'response.queued',
  'response.in_progress',
]);

/**
 * A call whose answer may be a refusal that is answered by another request. To its handler it is one call with one answer:
 * the first that is no refusal, or the refusal that is let through, byte for byte. Refusals are a status of 400 or 413, and
 * on Responses also an event of failure before any other but {@link BEGINNINGS}: these are held back until then.
 */
export function sendGuarded(
  upstreams: Pick<Upstreams, 'send'>,
  request: UpstreamRequest,
  guard: Guard,
  handler: AnswerHandler,
  timers: Timers,
): UpstreamCall {
  return new GuardedCall(upstreams, request, guard, handler, timers);
}

class GuardedCall implements UpstreamCall, AnswerHandler {
  readonly #upstreams: Pick<Upstreams, 'send'>;
  readonly #guard: Guard;
  readonly #handler: AnswerHandler;
  readonly #timers: Timers;
  /** Null only while the first request is handed over. */
  #call: UpstreamCall | null = null;
  #stage: Stage = 'waits';
  #paused = false;
  #over = false;
  #head: { readonly status: number; readonly reason: string; readonly headers: RawHeaders } | null = null;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #splitter = new EventSplitter();
  #timer: unknown = null;
  /** How an answer ended that is still held; null: it has not. */
  #ended: 'end' | UpstreamFault | null = null;

  constructor(
    upstreams: Pick<Upstreams, 'send'>,
    request: UpstreamRequest,
    guard: Guard,
    handler: AnswerHandler,
    timers: Timers,
  ) {
    this.#upstreams = upstreams;
    this.#guard = guard;
    this.#handler = handler;
    this.#timers = timers;
    this.#send(request);
  }

  pause(): void {
    this.#paused = true;
    this.#call?.pause();
  }

  resume(): void {
    this.#paused = false;
    if (this.#stage !== 'judged') this.#call?.resume();
  }

  abort(): void {
    if (this.#over) return;
    this.#over = true;
    this.#drop();
    this.#call?.abort();
  }

  onHead(status: number, reason: string, headers: RawHeaders): void {
    if (this.#over) return;
    this.#head = { status, reason, headers };
    this.#stage = stageOf(status, headers, this.#guard.protocol);
    if (this.#stage === 'through') this.#release();
    else if (this.#stage === 'events') this.#timer = this.#timers.after(HELD_MS, () => this.#release());
  }

  onBytes(bytes: Buffer): void {
    if (this.#over) return;
    if (this.#stage === 'through') {
      this.#handler.onBytes(bytes);
      return;
    }
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#stage === 'events') this.#look(bytes);
    if (this.#heldBytes > MAX_HELD_BYTES && (this.#stage === 'body' || this.#stage === 'events'))
      this.#release();
  }

  onEnd(): void {
    if (this.#over) return;
    this.#ended = 'end';
    if (this.#stage === 'body') this.#judge(this.#refusedBody(Buffer.concat(this.#held)));
    else if (this.#stage !== 'judged') this.#release();
  }

  onFault(fault: UpstreamFault): void {
    if (this.#over) return;
    this.#ended = fault;
    if (this.#stage !== 'judged') this.#release();
  }

  #send(request: UpstreamRequest): void {
    this.#stage = 'waits';
    this.#head = null;
    this.#ended = null;
    this.#splitter = new EventSplitter();
    this.#drop();
    this.#call = this.#upstreams.send(request, this);
    if (this.#paused) this.#call.pause();
  }

  /** Looks through the events that the newest bytes complete, as long as they tell nothing. */
  #look(bytes: Buffer): void {
    for (const event of this.#splitter.push(bytes)) {
      const refusal = refusalInEvent(event);
      if (refusal !== null) this.#judge(this.#refused(refusal, Buffer.concat(this.#held)));
      else if (!tellsNothing(event)) this.#release();
      if (this.#stage !== 'events') return;
    }
  }

  async #refusedBody(bytes: Buffer): Promise<UpstreamRequest | null> {
    const { status = 0, headers = [] } = this.#head ?? {};
    const coding = headerOf(headers, 'content-encoding') ?? '';
    const decoded = await decodeBody(bytes, coding, { limit: MAX_HELD_BYTES });
    const body = viewOf(decoded ?? new Uint8Array());
    const refusal = classifyRefusal(this.#guard.protocol, status, body);
    return refusal === null ? null : this.#refused(refusal, body);
  }

  async #refused(refusal: Refusal, body: Buffer): Promise<UpstreamRequest | null> {
    const { status = 0, headers = [] } = this.#head ?? {};
    return this.#guard.judge(refusal, { status, headers, body });
  }

  #judge(asked: Promise<UpstreamRequest | null>): void {
    this.#stopTimer();
    this.#stage = 'judged';
    if (this.#ended === null) this.#call?.pause();
    asked.then(
      (request) => this.#goOn(request),
      () => this.#goOn(null),
    );
  }

  #goOn(request: UpstreamRequest | null): void {
    if (this.#over) return;
    if (request === null) {
      this.#release();
      return;
    }
    if (this.#ended === null) this.#call?.abort();
    this.#send(request);
  }

  /** From here on the client gets the answer as it is: head, what was held, and how it ended if it has. */
  #release(): void {
    const wasJudged = this.#stage === 'judged';
    const held = this.#held;
    this.#stage = 'through';
    this.#drop();
    if (this.#head !== null) {
      const { status, reason, headers } = this.#head;
      this.#head = null;
      this.#handler.onHead(status, reason, headers);
    }
    for (const bytes of held) if (!this.#over) this.#handler.onBytes(bytes);
    if (this.#over) return;
    if (this.#ended !== null) this.#finish(this.#ended);
    else if (wasJudged && !this.#paused) this.#call?.resume();
  }

  #finish(ended: 'end' | UpstreamFault): void {
    this.#over = true;
    if (ended === 'end') this.#handler.onEnd();
    else this.#handler.onFault(ended);
  }

  #drop(): void {
    this.#stopTimer();
    this.#held = [];
    this.#heldBytes = 0;
  }

  #stopTimer(): void {
    if (this.#timer !== null) this.#timers.cancel(this.#timer);
    this.#timer = null;
  }
}

/** A refusal's body is decoded once it is whole; a stream that is encoded goes on. */
function stageOf(status: number, headers: RawHeaders, protocol: Guard['protocol']): Stage {
  if (status === 400 || status === 413) return 'body';
  const coding = headerOf(headers, 'content-encoding');
  if (coding !== null && coding.trim().toLowerCase() !== 'identity') return 'through';
  const isStream = /^\s*text\/event-stream\s*(;|$)/i.test(headerOf(headers, 'content-type') ?? '');
  return protocol === 'openai' && status === 200 && isStream ? 'events' : 'through';
}

/** True for a beginning, and for what is no event at all (a comment). */
function tellsNothing(event: Buffer): boolean {
  const [read] = [...readEvents(event)];
  return read === undefined || BEGINNINGS.has(textOf(dataOf(read)?.type) ?? '');
}
