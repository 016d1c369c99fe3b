import { headerOf, type RawHeaders } from '../headers.ts';
import { SILENCE_MS, type Timers } from '../keep-alive.ts';
import type { AnswerHandler, UpstreamCall, UpstreamFault, UpstreamRequest, Upstreams } from '../upstream.ts';
import { type HiddenRound, type HiddenStream, type HiddenWhole, NOTHING_CAME } from './types.ts';

/** How an answer with hidden rounds goes on. */
export interface HiddenLoop {
  readonly stream: HiddenStream;
  readonly whole: HiddenWhole;
  /**
   * The request that follows a round which called our tool alone, once everything that it carries is kept; null: it
   * cannot be, and the answer breaks off.
   * @param headers of the upstream answer that the round was
   */
  next(round: HiddenRound, headers: RawHeaders): Promise<UpstreamRequest | null>;
  /**
   * A round after which the answer ends or goes on without us; `broken` also where the client has left. What the client
   * may answer at once (its own calls beside ours) waits for the promise, which never rejects; null: nothing waits.
   */
  ended(round: HiddenRound): Promise<void> | null;
}

/** What an upstream answer is to the loop. `pass`: nothing of ours can be in it. */
type Mode = 'stream' | 'whole' | 'pass';

/** Bytes of a whole answer that are held; a larger one breaks off. */
const MAX_WHOLE_BYTES = 64 * 1024 * 1024;
/** Longest that a client is told that its answer goes on while a hidden round runs; then it may give up. */
const RUNNING_MS = 240_000;

/**
 * A call whose answer may take several upstream answers. To its handler it is one: one head, one body, one end, and
 * nothing of our tool in it. What streams goes on as it comes.
 */
export function sendHidden(
  upstreams: Pick<Upstreams, 'send'>,
  request: UpstreamRequest,
  loop: HiddenLoop,
  handler: AnswerHandler,
  timers: Timers,
): UpstreamCall {
  return new LoopedCall(upstreams, request, loop, handler, timers);
}

class LoopedCall implements UpstreamCall, AnswerHandler {
  readonly #upstreams: Pick<Upstreams, 'send'>;
  readonly #loop: HiddenLoop;
  readonly #handler: AnswerHandler;
  readonly #timers: Timers;
  #call: UpstreamCall;
  #mode: Mode | null = null;
  #round = 0;
  /** Of the upstream answer under way. */
  #headers: RawHeaders = [];
  /** Tells the client that its answer goes on; null: nothing is hidden now. */
  #running: unknown = null;
  #paused = false;
  #over = false;
  /** The head of a whole answer, held until its body is known. */
  #head: { readonly status: number; readonly reason: string; readonly headers: RawHeaders } | null = null;
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor(
    upstreams: Pick<Upstreams, 'send'>,
    request: UpstreamRequest,
    loop: HiddenLoop,
    handler: AnswerHandler,
    timers: Timers,
  ) {
    this.#upstreams = upstreams;
    this.#loop = loop;
    this.#handler = handler;
    this.#timers = timers;
    this.#call = upstreams.send(request, this);
  }

  pause(): void {
    this.#paused = true;
    this.#call.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#call.resume();
  }

  abort(): void {
    if (this.#over) return;
    this.#finish();
    this.#call.abort();
    this.#breakOff();
  }

  onHead(status: number, reason: string, headers: RawHeaders): void {
    if (this.#over) return;
    this.#headers = headers;
    const mode = modeOf(status, headers);
    if (this.#round > 0 && this.#mode === 'stream' && mode !== 'stream') {
      // The client has had its head: what the provider refuses now can only be a fault to it.
      this.onFault({ code: 'HIDDEN_ROUND_REFUSED', reset: false });
      this.#call.abort();
      return;
    }
    const first = this.#round === 0;
    this.#mode = mode;
    if (mode === 'whole') this.#head = { status, reason, headers };
    else if (first || this.#head !== null) {
      this.#head = null;
      this.#handler.onHead(status, reason, mode === 'stream' ? withLength(headers, null) : headers);
    }
  }

  onBytes(bytes: Buffer): void {
    if (this.#over) return;
    if (this.#mode === 'pass') this.#handler.onBytes(bytes);
    else if (this.#mode === 'stream') this.#deliver(this.#loop.stream.push(bytes));
    else this.#hold(bytes);
  }

  onEnd(): void {
    if (this.#over) return;
    if (this.#mode === 'stream') {
      const { bytes, round } = this.#loop.stream.endRound();
      this.#roundEnded(round, () => {
        this.#deliver(bytes);
        this.#end();
      });
    } else if (this.#mode === 'whole') {
      const { round, client } = this.#loop.whole.take(Buffer.concat(this.#held));
      this.#held = [];
      this.#heldBytes = 0;
      this.#roundEnded(round, () => this.#endWhole(client));
    } else this.#end();
  }

  onFault(fault: UpstreamFault): void {
    if (this.#over) return;
    this.#finish();
    this.#deliver(this.#breakOff());
    this.#handler.onFault(fault);
  }

  /** Tells the loop what the client has of an answer that is over without an end, and gives what is left of it. */
  #breakOff(): readonly Uint8Array[] {
    if (this.#mode === 'whole') void this.#loop.ended(NOTHING_CAME);
    if (this.#mode !== 'stream') return [];
    const { bytes, round } = this.#loop.stream.endRound();
    void this.#loop.ended({ ...round, outcome: 'broken' });
    return bytes;
  }

  #roundEnded(round: HiddenRound, end: () => void): void {
    if (round.outcome !== 'continue') {
      const kept = this.#loop.ended(round);
      if (kept === null) end();
      else void kept.then(() => (this.#over ? undefined : end()));
      return;
    }
    if (this.#mode === 'stream') this.#sayRunning(0);
    this.#loop.next(round, this.#headers).then(
      (request) => this.#goOn(request),
      () => this.#goOn(null),
    );
  }

  #goOn(request: UpstreamRequest | null): void {
    if (this.#over) return;
    if (request === null) {
      this.onFault({ code: 'HIDDEN_ROUND_FAILED', reset: false });
      return;
    }
    this.#round += 1;
    this.#call = this.#upstreams.send(request, this);
    if (this.#paused) this.#call.pause();
  }

  /** While nothing of the next answer has reached the client, it is told now and then that there is one. */
  #sayRunning(told: number): void {
    if (told * SILENCE_MS >= RUNNING_MS) return;
    this.#running = this.#timers.after(SILENCE_MS, () => {
      const event = this.#paused ? null : this.#loop.stream.sayRunning();
      if (event !== null) this.#handBytes(event);
      this.#sayRunning(told + 1);
    });
  }

  #stopRunning(): void {
    if (this.#running !== null) this.#timers.cancel(this.#running);
    this.#running = null;
  }

  #finish(): void {
    this.#over = true;
    this.#stopRunning();
  }

  #end(): void {
    this.#finish();
    this.#handler.onEnd();
  }

  #endWhole(client: Buffer): void {
    if (this.#head !== null) {
      const { status, reason, headers } = this.#head;
      this.#handler.onHead(status, reason, withLength(headers, client.length));
    }
    if (client.length > 0) this.#handler.onBytes(client);
    this.#end();
  }

  #deliver(pieces: readonly Uint8Array[]): void {
    for (const piece of pieces) {
      if (piece.length === 0) continue;
      this.#stopRunning();
      this.#handBytes(piece);
    }
  }

  #handBytes(bytes: Uint8Array): void {
    this.#handler.onBytes(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  }

  #hold(bytes: Buffer): void {
    this.#heldBytes += bytes.length;
    if (this.#heldBytes <= MAX_WHOLE_BYTES) this.#held.push(bytes);
    else {
      this.onFault({ code: 'ANSWER_TOO_LARGE', reset: false });
      this.#call.abort();
    }
  }
}

function modeOf(status: number, headers: RawHeaders): Mode {
  const coding = headerOf(headers, 'content-encoding');
  if (status !== 200 || (coding !== null && coding.trim().toLowerCase() !== 'identity')) return 'pass';
  const type = headerOf(headers, 'content-type') ?? '';
  if (/^\s*text\/event-stream\s*(;|$)/i.test(type)) return 'stream';
  return /^\s*application\/json\s*(;|$)/i.test(type) ? 'whole' : 'pass';
}

/** A head with the length that the body has for the client; null: a stream, whose end tells. */
function withLength(headers: RawHeaders, length: number | null): string[] {
  const kept: string[] = [];
  let sized = false;
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? '';
    if (name.toLowerCase() !== 'content-length') kept.push(name, headers[at + 1] ?? '');
    else if (!sized && length !== null) {
      kept.push(name, String(length));
      sized = true;
    }
  }
  return kept;
}
