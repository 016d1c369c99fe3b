const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Cuts a stream of server-sent events behind each blank line, on bytes alone. What it gives back, joined, is what it was
 * given. An event is whole when its blank line has arrived; a stream's last bytes without one are had from `rest`.
 */
export class EventSplitter {
  #pending: Buffer[] = [];
  /** How far the end of a blank line has been seen: bytes of line ends in a row. */
  #ends = 0;
  #afterReturn = false;

  /** Takes the next bytes and gives the events that they complete, blank lines included. */
  push(bytes: Uint8Array): Buffer[] {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const events: Buffer[] = [];
    let start = 0;
    // A bare CR ended the event, and no LF came to it.
    if (this.#afterReturn && this.#ends >= 2 && buffer.length > 0 && buffer[0] !== LINE_FEED) {
      events.push(this.#take(Buffer.alloc(0)));
    }
    for (let at = 0; at < buffer.length; at += 1) {
      if (!this.#endsEvent(buffer[at] ?? 0, buffer[at + 1])) continue;
      events.push(this.#take(buffer.subarray(start, at + 1)));
      start = at + 1;
    }
    if (start < buffer.length) this.#pending.push(buffer.subarray(start));
    return events;
  }

  /** What has no blank line behind it yet; it is no longer held afterwards. */
  rest(): Buffer {
    return this.#take(Buffer.alloc(0));
  }

  #take(last: Buffer): Buffer {
    const event = this.#pending.length === 0 ? last : Buffer.concat([...this.#pending, last]);
    this.#pending = [];
    this.#ends = 0;
    this.#afterReturn = false;
    return event;
  }

  /** Counts line ends (LF, CR, CRLF); a second one in a row ends the event. A CR waits for its LF where that is next. */
  #endsEvent(byte: number, next: number | undefined): boolean {
    if (byte === LINE_FEED && this.#afterReturn) {
      this.#afterReturn = false;
      return this.#ends >= 2;
    }
    this.#afterReturn = byte === CARRIAGE_RETURN;
    if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) {
      this.#ends = 0;
      return false;
    }
    this.#ends += 1;
    if (this.#ends < 2) return false;
    return byte === LINE_FEED || (next !== undefined && next !== LINE_FEED);
  }
}
