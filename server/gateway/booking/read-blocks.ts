import { createHash, createHmac } from 'node:crypto';
import type { CachePosition, Lifetime } from '../../ledger/index.ts';

/** A JSON object as `JSON.parse` gives it. */
export type Fields = Readonly<Record<string, unknown>>;

/** Estimated tokens of a block, an item or a tool, given parsed and without cache marks. */
export type CountTokens = (block: unknown) => number;

/** What is read of one part of a prompt. */
export interface ReadBlock {
  /** Stands for the part's content; marks are no part of it. */
  readonly hash: string;
  readonly tokens: number;
  readonly mark: Lifetime | null;
}

/** Parts that are kept to be recognised: agents send their whole history each time. */
const MOST_KEPT = 40_000;

/** Remembers what was made of bytes, so that the same bytes are read once. */
export class BlockMemo<Read> {
  readonly #known = new Map<string, Read>();

  /** What `read` makes of these bytes. */
  of(bytes: Uint8Array, read: () => Read): Read {
    const name = createHash('sha1').update(bytes).digest('binary');
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const made = read();
    this.#known.set(name, made);
    if (this.#known.size > MOST_KEPT) {
      const [oldest] = this.#known.keys();
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    return made;
  }
}

/** Joins the parts of a prompt to positions: each hash stands for everything up to it, under the account's key. */
export class PositionChain {
  readonly positions: CachePosition[] = [];
  #hash: string;
  #tokens = 0;

  constructor(key: Uint8Array, scope: unknown) {
    this.#hash = createHmac('sha256', key).update(JSON.stringify(scope)).digest('binary');
  }

  /** What changes everything behind it without being a part of the prompt. */
  mix(settings: unknown): void {
    this.#hash = chained(this.#hash, JSON.stringify(settings));
  }

  add({ hash, tokens, mark }: ReadBlock): void {
    this.#hash = chained(this.#hash, hash);
    this.#tokens += tokens;
    this.positions.push({ hash: shortened(this.#hash), tokens: this.#tokens, mark });
  }

  /** A place inside a part that is added next: what stands before it and the part up to there. */
  addWithin({ hash, tokens, mark }: ReadBlock): void {
    this.positions.push({
      hash: shortened(chained(this.#hash, hash)),
      tokens: this.#tokens + tokens,
      mark,
    });
  }

  /** The last place gets a mark, unless it has one. */
  markLast(mark: Lifetime): void {
    const last = this.positions.at(-1);
    if (last !== undefined && last.mark === null)
      this.positions[this.positions.length - 1] = { ...last, mark };
  }
}

/** The hash of a part's content. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('binary');
}

function chained(before: string, added: string): string {
  return createHash('sha256').update(before, 'latin1').update('\n').update(added, 'latin1').digest('binary');
}

/** 128 bits name a place well enough. */
function shortened(hash: string): string {
  return Buffer.from(hash.slice(0, 16), 'latin1').toString('base64url');
}

/** Bytes as parsed JSON; null where they are none. */
export function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  } catch {
    return null;
  }
}
