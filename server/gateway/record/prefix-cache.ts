import type { MessageHash } from '../../archive/index.ts';
import { hexOf, type Slice } from '../../conversation/index.ts';

/** A request whose chain is known and stored: its bytes, its elements, and the message behind each. */
export interface KnownRequest {
  readonly body: Uint8Array;
  readonly elements: readonly Slice[];
  readonly positions: readonly MessageHash[];
  readonly root: MessageHash;
  /** The account's count of deletions when the chain was stored. */
  readonly erasures: number;
}

/** Where the walk through a request may begin: so many elements are known, the chain stands at `at` behind them. */
export interface KnownStart {
  readonly count: number;
  readonly at: MessageHash;
  readonly positions: readonly MessageHash[];
}

/** Elements at the end of what is common that are walked again: the last forms may join with what follows them. */
const MARGIN = 3;

/**
 * The newest request of each thread, so that the next one, which repeats it, need not be hashed and looked up from its
 * beginning. Oldest threads go first when the bodies together are more than `limitBytes`.
 */
export class PrefixCache {
  readonly #threads = new Map<string, KnownRequest>();
  readonly #limitBytes: number;
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** What of a request is known by the thread's request before it; null: nothing, or it is no longer sure. */
  startOf(
    thread: string,
    request: Pick<KnownRequest, 'body' | 'elements' | 'root' | 'erasures'>,
  ): KnownStart | null {
    const known = this.#threads.get(thread);
    if (known === undefined || known.erasures !== request.erasures) return null;
    if (hexOf(known.root) !== hexOf(request.root)) return null;
    return startAt(known, commonElements(known, request) - MARGIN);
  }

  /** Keeps a request whose chain has been stored. */
  keep(thread: string, request: KnownRequest): void {
    this.#drop(thread);
    this.#threads.set(thread, request);
    this.#bytes += request.body.byteLength;
    for (const oldest of this.#threads.keys()) {
      if (this.#bytes <= this.#limitBytes) break;
      this.#drop(oldest);
    }
  }

  #drop(thread: string): void {
    this.#bytes -= this.#threads.get(thread)?.body.byteLength ?? 0;
    this.#threads.delete(thread);
  }
}

/** How many leading elements of two requests have the same bytes. */
export function commonElements(
  one: Pick<KnownRequest, 'body' | 'elements'>,
  other: Pick<KnownRequest, 'body' | 'elements'>,
): number {
  const bytes = Buffer.from(one.body.buffer, one.body.byteOffset, one.body.byteLength);
  const most = Math.min(one.elements.length, other.elements.length);
  for (let index = sameStretch(one, other, bytes, most); index < most; index += 1) {
    const a = one.elements[index] as Slice;
    const b = other.elements[index] as Slice;
    if (a.end - a.start !== b.end - b.start) return index;
    if (bytes.compare(other.body, b.start, b.end, a.start, a.end) !== 0) return index;
  }
  return most;
}

/** Elements that are compared at once. */
const STRETCH = 64;

/** How many leading elements stand at the same places with the same bytes between them, in whole stretches. */
function sameStretch(
  one: Pick<KnownRequest, 'elements'>,
  other: Pick<KnownRequest, 'body' | 'elements'>,
  bytes: Buffer,
  most: number,
): number {
  let same = 0;
  for (let next = STRETCH; next <= most; next += STRETCH) {
    const start = one.elements[same]?.start ?? 0;
    const end = one.elements[next - 1]?.end ?? 0;
    for (let index = same; index < next; index += 1) {
      const [a, b] = [one.elements[index], other.elements[index]];
      if (a?.start !== b?.start || a?.end !== b?.end) return same;
    }
    if (bytes.compare(other.body, start, end, start, end) !== 0) return same;
    same = next;
  }
  return same;
}

/**
 * The last place at or before `count` between two messages: not behind reasoning, which belongs to what follows it, and
 * not before a system message that is a part of the message before it. Each of those stands where its neighbour does.
 */
function startAt({ positions }: KnownRequest, count: number): KnownStart | null {
  const standsAt = (index: number) => hexOf(positions[index] as MessageHash);
  for (let end = Math.min(count, positions.length - 1); end > 1; end -= 1) {
    const here = standsAt(end - 1);
    if (here !== standsAt(end - 2) && here !== standsAt(end)) {
      return { count: end, at: positions[end - 1] as MessageHash, positions: positions.slice(0, end) };
    }
  }
  return null;
}
