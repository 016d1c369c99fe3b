import type { IncomingMessage } from 'node:http';
import { headersOf, type RawHeaders } from './headers.ts';

/**
 * The largest request body that passes, in bytes: a little above the providers' own 32 MB, so that their own
 * refusal is what an agent sees wherever it can be theirs.
 */
export const MAX_BODY_BYTES = 32 * 1024 * 1024 + 64 * 1024;

/** What became of a request's body. */
export type Received =
  | { readonly kind: 'whole'; readonly body: Buffer }
  /** More than the bound, said by `Content-Length` before the first byte or found while reading. */
  | { readonly kind: 'too_large' }
  /** The client left before the last byte. */
  | { readonly kind: 'gone' };

const EMPTY = Buffer.alloc(0);

/** How a request says where its body ends. */
export interface Framing {
  /** Bytes by `Content-Length`; null without it. */
  readonly declared: number | null;
  readonly chunked: boolean;
}

/**
 * Reads the framing headers.
 * @returns null where they leave any doubt. Node's parser refuses most of that by itself (two lengths, a length beside
 *   chunks); this is also for what it lets through and a next hop might read otherwise.
 */
export function framingOf(raw: RawHeaders): Framing | null {
  const lengths = headersOf(raw, 'content-length');
  const codings = headersOf(raw, 'transfer-encoding');
  const [length] = lengths;
  const [coding] = codings;
  if (lengths.length + codings.length > 1) return null;
  if (length !== undefined && !/^\d{1,15}$/.test(length)) return null;
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked') return null;
  return { declared: length === undefined ? null : Number(length), chunked: coding !== undefined };
}

/**
 * Reads a request's body into one buffer of exactly its size and calls `done` once, in the same tick as the last
 * byte. A known length is allocated once and filled; a body that came in one piece is that piece.
 */
export function receiveBody(
  request: IncomingMessage,
  framing: Framing,
  limit: number,
  done: (result: Received) => void,
): void {
  const { declared, chunked } = framing;
  if (declared === 0 || (declared === null && !chunked)) {
    request.resume();
    done({ kind: 'whole', body: EMPTY });
    return;
  }
  if (declared !== null && declared > limit) {
    done({ kind: 'too_large' });
    return;
  }
  new BodyReader(request, declared, limit, done);
}

class BodyReader {
  readonly #request: IncomingMessage;
  readonly #declared: number | null;
  readonly #limit: number;
  readonly #done: (result: Received) => void;
  #whole: Buffer | null = null;
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(
    request: IncomingMessage,
    declared: number | null,
    limit: number,
    done: (result: Received) => void,
  ) {
    this.#request = request;
    this.#declared = declared;
    this.#limit = limit;
    this.#done = done;
    request.on('data', this.#onData);
    request.on('end', this.#onEnd);
    request.on('close', this.#onClose);
    request.on('error', this.#onClose);
  }

  #onData = (chunk: Buffer): void => {
    const at = this.#size;
    this.#size += chunk.length;
    if (this.#size > this.#limit) {
      this.#finish({ kind: 'too_large' });
    } else if (this.#declared === null || chunk.length === this.#declared) {
      this.#chunks.push(chunk);
    } else {
      this.#whole ??= Buffer.allocUnsafeSlow(this.#declared);
      this.#whole.set(chunk, at);
    }
  };

  #onEnd = (): void => {
    const [only] = this.#chunks;
    const body = this.#whole ?? (this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks));
    this.#finish({ kind: 'whole', body });
  };

  #onClose = (): void => this.#finish({ kind: 'gone' });

  #finish(result: Received): void {
    this.#request.off('data', this.#onData);
    this.#request.off('end', this.#onEnd);
    this.#request.off('close', this.#onClose);
    this.#whole = null;
    this.#chunks = [];
    this.#done(result);
  }
}
