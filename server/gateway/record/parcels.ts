import type { ToWorker } from './protocol.ts';

/** Bytes that go to the worker in one message; copying as many takes this thread well under a millisecond. */
export const PIECE_BYTES = 512 * 1024;

/** An event that is to be handed on, less its body. */
export type Parcel = Extract<ToWorker, { readonly request: unknown } | { readonly answer: unknown }>;

/**
 * Hands events to the worker in the order in which they come. Bytes are copied on the way, since the given ones may still
 * be read by a socket; a body of more than one piece goes piece by piece, a turn of the event loop between them, so that
 * nothing else in this thread waits for a large copy.
 */
export class Outbox {
  readonly #post: (message: ToWorker, transfer: readonly ArrayBuffer[]) => void;
  #waiting: { readonly parcel: Parcel; readonly pieces: Iterator<Uint8Array>; at: number; of: number }[] = [];
  #running = false;

  constructor(post: (message: ToWorker, transfer: readonly ArrayBuffer[]) => void) {
    this.#post = post;
  }

  /** @param body the event's body in the pieces that it came in; null where the event has none */
  send(parcel: Parcel, body: readonly Uint8Array[] | null): void {
    const of = body?.reduce((sum, one) => sum + one.byteLength, 0) ?? 0;
    this.#waiting.push({ parcel, pieces: piecesOf(body ?? [], of), at: 0, of });
    if (!this.#running) this.#turn();
  }

  /** Forgets what has not been handed on. */
  clear(): void {
    this.#waiting = [];
  }

  /** Hands on what fits into one turn, and goes on in the next. */
  #turn = (): void => {
    this.#running = true;
    let bytes = 0;
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const { parcel, pieces, of } = first;
      const piece = pieces.next().value as Uint8Array<ArrayBuffer> | undefined;
      // Read before the piece is given away: nothing is left of it then.
      const size = piece?.byteLength ?? 0;
      const ends = first.at + size >= of;
      if (ends) this.#waiting.shift();
      if (piece === undefined) this.#post(parcel, []);
      else if (ends && first.at === 0) this.#post(withBody(parcel, piece), [piece.buffer]);
      else {
        this.#post({ job: parcel.job, piece, at: first.at, of }, [piece.buffer]);
        if (ends) this.#post(parcel, []);
        first.at += size;
      }
      bytes += size;
      if (bytes >= PIECE_BYTES) {
        setImmediate(this.#turn);
        return;
      }
    }
    this.#running = false;
  };
}

function withBody(parcel: Parcel, body: Uint8Array): Parcel {
  if ('request' in parcel) return { ...parcel, request: { ...parcel.request, body } };
  return { ...parcel, answer: { ...parcel.answer, body } };
}

/** The bytes in copies of at most one piece each. */
function* piecesOf(chunks: readonly Uint8Array[], of: number): Generator<Uint8Array<ArrayBuffer>> {
  let left = of;
  let piece = new Uint8Array(Math.min(PIECE_BYTES, left));
  let filled = 0;
  for (const chunk of chunks) {
    for (let from = 0; from < chunk.byteLength; ) {
      const taken = chunk.subarray(from, from + piece.byteLength - filled);
      piece.set(taken, filled);
      filled += taken.byteLength;
      from += taken.byteLength;
      if (filled < piece.byteLength) continue;
      left -= filled;
      yield piece;
      piece = new Uint8Array(Math.min(PIECE_BYTES, left));
      filled = 0;
    }
  }
}

/** The worker's end: puts bodies together again and gives each event on with its own. */
export class Inbox {
  readonly #take: (parcel: Parcel) => void;
  readonly #bodies = new Map<number, Uint8Array>();

  constructor(take: (parcel: Parcel) => void) {
    this.#take = take;
  }

  receive(message: ToWorker): void {
    const { job } = message;
    const body = this.#bodies.get(job);
    if (!('piece' in message)) {
      this.#bodies.delete(job);
      this.#take(body === undefined ? message : withBody(message, body));
      return;
    }
    const whole = body ?? new Uint8Array(message.of);
    whole.set(message.piece, message.at);
    this.#bodies.set(job, whole);
  }
}
