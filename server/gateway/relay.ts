import type { RequestOutcome } from '../archive/types.ts';
import type { Clock, Millis } from '../kernel/clock.ts';
import type { Door } from '../kernel/env.ts';
import type { Uuid } from '../kernel/ids.ts';
import type { Logger } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import type { Bookkeeping } from './booking/bookkeeping.ts';
import type { SentBooking } from './booking/types.ts';
import { Collector, type HeldBytes } from './collect.ts';
import { asItCame, type Composer, type Prepared } from './compose/prepared.ts';
import {
  headerOf,
  headersForClient,
  headersForUpstream,
  type RawHeaders,
  targetWithoutCredentials,
  withoutCredentials,
} from './headers.ts';
import { KeepAlive, type Timers } from './keep-alive.ts';
import { type Refusal, refusal } from './refuse.ts';
import type { Tap, TappedRequest } from './tap.ts';
import type { AnswerHandler, UpstreamCall, UpstreamFault, UpstreamRequest, Upstreams } from './upstream.ts';

/** The client's end of an answer, whatever carries it. */
export interface ClientSide {
  /** Status, reason and headers (names and values in turn). Throws where they cannot be written. */
  head(status: number, reason: string, headers: string[]): void;
  /** Hands bytes on; false asks to wait until the exchange's `drained` is called. */
  write(bytes: Uint8Array): boolean;
  end(): void;
  /** Breaks an answer off behind its head, so that the client sees a fault. `reset`: the upstream did the same. */
  fail(reset: boolean): void;
  /** A whole answer of our own, where no head has gone out. */
  refuse(refused: Refusal): void;
  /** True while the client takes bytes as they come. */
  readonly ready: boolean;
}

/** What all exchanges of a gateway share. */
export interface ExchangeContext {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly tap: Tap | null;
  /** What puts requests together; null: they go as they come. */
  readonly composer: Composer | null;
  readonly accountId: Uuid;
  /** Whether a moment lies in a pause. */
  readonly isPaused: (at: Millis) => boolean;
  readonly upstreams: Upstreams;
  readonly held: HeldBytes;
  /** Called once when an exchange has ended. */
  readonly ended: (exchange: Exchange) => void;
}

/** A request, received whole. */
export interface ExchangeRequest {
  readonly id: Uuid;
  readonly door: Door;
  readonly method: string;
  /** Path and query behind the door. */
  readonly target: string;
  /** The same with the upstream's base path. */
  readonly path: string;
  readonly headers: RawHeaders;
  readonly body: Buffer;
  readonly receivedAt: Millis;
  /** Monotonic moment of the last byte in. */
  readonly wholeAt: number;
  /** Whether the recorder is told; a promise where that is still being found out. */
  readonly recorded: boolean | Promise<boolean>;
}

type Ending = RequestOutcome['ending'];

/** Longest that an answer waits until it is known whose connection asked for it. */
const OWNER_MS = 250;

/**
 * One request on its way to the upstream and its answer on the way back. Bytes go on in the tick in which they
 * come; nothing is awaited between. Ends exactly once.
 */
export class Exchange implements AnswerHandler {
  readonly #context: ExchangeContext;
  readonly #request: ExchangeRequest;
  readonly #client: ClientSide;
  readonly #collector: Collector | null;
  readonly #isPaused: boolean;
  #call: UpstreamCall | null = null;
  #keepAlive: KeepAlive | null = null;
  #book: Bookkeeping | null = null;
  #forms: Prepared['forms'] = undefined;
  #raw: RawHeaders = [];
  #status: number | null = null;
  #headMs: number | null = null;
  #firstByteMs: number | null = null;
  #ownMs = 0;
  #bytes = 0;
  #ending: Ending | null = null;
  #announced = false;
  /** What the upstream said while the answer waits for the owner; null: nothing waits. */
  #waiting: (() => void)[] | null = null;

  constructor(context: ExchangeContext, request: ExchangeRequest, client: ClientSide) {
    this.#context = context;
    this.#request = request;
    this.#client = client;
    this.#isPaused = context.isPaused(request.receivedAt);
    const listened = context.tap !== null && request.recorded !== false && !this.#isPaused;
    this.#collector = listened ? new Collector(context.held) : null;
    if (typeof request.recorded !== 'boolean') this.#waitForOwner(request.recorded);
  }

  /**
   * Keeps the answer back while it is being found out whose connection this is: a client that has its answer may close
   * the connection, and of a closed one nobody can tell any more. It is known long before a provider answers.
   */
  #waitForOwner(recorded: Promise<boolean>): void {
    this.#waiting = [];
    const go = () => {
      const said = this.#waiting;
      this.#waiting = null;
      for (const again of said ?? []) if (this.#ending === null) again();
    };
    const timer = this.#context.timers.after(OWNER_MS, go);
    void recorded.then((yes) => {
      if (!yes) this.#context.metrics.notArchived.inc({ reason: 'not_owner' });
      this.#context.timers.cancel(timer);
      go();
    });
  }

  /** Hands the request to the upstream, put together where it may be, then tells the recorder. */
  start(): void {
    const { door, method, path, headers, body } = this.#request;
    const { upstreams, metrics } = this.#context;
    const { host } = upstreams.base(door);
    const sent = headersForUpstream(headers, host, method, body.length);
    const upstream = { door, method, path, headers: sent, body };
    metrics.streams.inc({ door });
    const prepared = this.#prepare(upstream);
    if (prepared === null) this.#send(asItCame(upstream));
    else void prepared.then((ready) => this.#send(ready));
  }

  #prepare(upstream: UpstreamRequest): Promise<Prepared> | null {
    const { composer, timers } = this.#context;
    const { recorded } = this.#request;
    if (composer === null || recorded === false) return null;
    if (recorded === true) return composer.prepare(this.#tappedRequest(null), upstream);
    const prepare = (isOwned: boolean) =>
      (isOwned ? composer.prepare(this.#tappedRequest(null), upstream) : null) ?? asItCame(upstream);
    return Promise.race([recorded, after(timers, OWNER_MS, false)]).then(prepare);
  }

  /** Sends what is ready; a client that left meanwhile has nothing sent for it. */
  #send(ready: Prepared): void {
    this.#book = ready.book ?? null;
    this.#forms = ready.forms;
    this.#ownMs = this.#elapsed();
    if (this.#ending === null) this.#call = ready.send(this.#context.upstreams, this);
    // Behind the tick in which its bytes are written.
    process.nextTick(() => this.#announce(ready));
  }

  #announce(ready: Prepared): void {
    this.#announced = true;
    if (this.#isPaused) this.#context.metrics.notArchived.inc({ reason: 'paused' });
    this.#tell((tap) => tap.requestReceived(this.#tappedRequest(ready)));
    if (this.#ending !== null) this.#tellEnded(this.#ending);
  }

  /** The client has left: the upstream call is broken off, whatever its stage. */
  gone(): void {
    if (this.#ending !== null) return;
    this.#finish('client_gone');
    this.#call?.abort();
  }

  /** Ends it from here, where the process must stop: the client sees a fault. */
  breakOff(): void {
    this.#waiting = null;
    this.#call?.abort();
    this.onFault({ code: 'GATEWAY_STOPPED', reset: false });
  }

  /** The client takes bytes again. */
  drained(): void {
    if (this.#ending === null) this.#call?.resume();
  }

  onHead(status: number, reason: string, raw: RawHeaders): void {
    if (this.#waiting !== null) return void this.#waiting.push(() => this.onHead(status, reason, raw));
    this.#headMs = this.#elapsed();
    this.#raw = raw;
    const { id, door } = this.#request;
    try {
      this.#client.head(
        status,
        reason,
        headersForClient(raw, id, this.#isPaused ? 'rest;reason=paused' : 'pass'),
      );
    } catch (error) {
      this.#fault('head', error);
      this.#call?.abort();
      this.#client.refuse(unreachable(door, id, 'UNWRITABLE_HEAD'));
      this.#finish('upstream_fault');
      return;
    }
    this.#status = status;
    if (takesComments(raw)) {
      const { timers, clock } = this.#context;
      this.#keepAlive = new KeepAlive(timers, clock, (comment) => {
        if (this.#client.ready) this.#client.write(comment);
      });
    }
  }

  onBytes(bytes: Buffer): void {
    if (this.#waiting !== null) return void this.#waiting.push(() => this.onBytes(bytes));
    this.#firstByteMs ??= this.#elapsed();
    this.#bytes += bytes.length;
    this.#keepAlive?.saw(bytes);
    if (!this.#client.write(bytes)) this.#call?.pause();
    this.#collector?.add(bytes);
  }

  onEnd(): void {
    if (this.#waiting !== null) return void this.#waiting.push(() => this.onEnd());
    this.#client.end();
    this.#finish('complete');
  }

  onFault(fault: UpstreamFault): void {
    if (this.#waiting !== null) return void this.#waiting.push(() => this.onFault(fault));
    if (this.#ending !== null) return;
    const { code, reset } = fault;
    const { id, door } = this.#request;
    this.#context.log.warn({ id, door, code, status: this.#status }, 'upstream fault');
    if (this.#status !== null) {
      this.#client.fail(reset);
      this.#finish('upstream_fault');
      return;
    }
    this.#client.refuse(unreachable(door, id, code));
    this.#finish('upstream_unreachable');
  }

  #elapsed(): number {
    return this.#context.clock.monotonic() - this.#request.wholeAt;
  }

  #finish(ending: Ending): void {
    this.#ending = ending;
    this.#keepAlive?.stop();
    const { door } = this.#request;
    const { metrics } = this.#context;
    metrics.streams.dec({ door });
    if (this.#firstByteMs !== null) metrics.firstByteSeconds.observe({ door }, this.#firstByteMs / 1000);
    const status = this.#status === null ? 'none' : `${Math.floor(this.#status / 100)}xx`;
    metrics.requests.inc({ door, status });
    if (this.#announced) this.#tellEnded(ending);
    // It has ended once the recorder has been told, so that a stop waits for that too.
    const { recorded } = this.#request;
    if (typeof recorded === 'boolean') this.#context.ended(this);
    else void recorded.finally(() => this.#context.ended(this));
  }

  #tappedRequest(ready: Prepared | null): TappedRequest {
    const { id, door, method, target, headers, body, receivedAt } = this.#request;
    return {
      id,
      accountId: this.#context.accountId,
      door,
      method,
      target: targetWithoutCredentials(target),
      headers: withoutCredentials(headers),
      body,
      receivedAt,
      seen: ready?.seen ?? null,
      ...(ready?.session === undefined ? {} : { session: ready.session }),
      ...(this.#isPaused ? { isPaused: true } : {}),
    };
  }

  #tellEnded(ending: Ending): void {
    const kept = this.#collector?.take();
    if (kept === undefined) return;
    const answer = {
      id: this.#request.id,
      accountId: this.#context.accountId,
      door: this.#request.door,
      status: this.#status,
      ending,
      headers: withoutCredentials(this.#raw),
      contentType: headerOf(this.#raw, 'content-type') ?? '',
      contentEncoding: headerOf(this.#raw, 'content-encoding') ?? '',
      providerRequestId: headerOf(this.#raw, 'request-id') ?? headerOf(this.#raw, 'x-request-id'),
      ...kept,
      responseBytes: this.#bytes,
      headMs: this.#headMs,
      firstByteMs: this.#firstByteMs,
      totalMs: this.#elapsed(),
      ownMs: this.#ownMs,
      again: this.#forms?.again ?? null,
      booking: this.#booking(),
    };
    this.#tell((tap) => tap.answerEnded(answer));
  }

  /** What the ledger is told beside the bytes; a fault in it leaves the rest as it is. */
  #booking(): SentBooking | null {
    try {
      return this.#book?.take() ?? null;
    } catch (error) {
      this.#fault('booking', error);
      return null;
    }
  }

  /** Calls the recorder where it is to know of this request; a fault of its own changes nothing here. */
  #tell(call: (tap: Tap) => void): void {
    const { tap } = this.#context;
    const { recorded } = this.#request;
    if (tap === null || recorded === false || this.#isPaused) return;
    const guarded = () => {
      try {
        call(tap);
      } catch (error) {
        this.#fault('tap', error);
      }
    };
    if (recorded === true) guarded();
    else void recorded.then((yes) => (yes ? guarded() : undefined));
  }

  #fault(where: string, error: unknown): void {
    const name = error instanceof Error ? error.name : typeof error;
    this.#context.metrics.faults.inc({ where });
    this.#context.log.error({ id: this.#request.id, where, error: name }, 'fault of the gateway');
  }
}

/** `value`, once `ms` have gone by. */
function after<Value>(timers: Timers, ms: number, value: Value): Promise<Value> {
  return new Promise((resolve) => timers.after(ms, () => resolve(value)));
}

function unreachable(door: Door, id: Uuid, code: string): Refusal {
  const late = code === 'SILENCE_TIMEOUT';
  return refusal(door, id, {
    code: 'unavailable',
    status: late ? 504 : 502,
    reason: late ? 'upstream_timeout' : 'upstream_unreachable',
    message: late
      ? 'The provider took the request and gave no answer in time. Try again.'
      : `The provider could not be reached (${code}). Check the network and the upstream address, then try again.`,
  });
}

/** True for an event stream whose bytes are its own text and whose length is open. */
function takesComments(raw: RawHeaders): boolean {
  const type = headerOf(raw, 'content-type');
  if (type === null || !/^\s*text\/event-stream\s*(;|$)/i.test(type)) return false;
  const coding = headerOf(raw, 'content-encoding');
  if (coding !== null && coding.trim() !== '' && coding.trim().toLowerCase() !== 'identity') return false;
  return headerOf(raw, 'content-length') === null;
}
