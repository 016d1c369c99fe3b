/** Limits per minute of one credential and model. What is left out is not limited. */
export type RateLimits = {
  readonly requestsPerMinute?: number;
  /** Anthropic: input and cache writes, not reads. OpenAI: all input and output. */
  readonly inputTokensPerMinute?: number;
  /** Anthropic only. */
  readonly outputTokensPerMinute?: number;
  /** True to leave the `retry-after` header out. */
  readonly withoutRetryAfter?: boolean;
};

/** What a limit is counted in. */
export type LimitKind = 'requests' | 'input-tokens' | 'output-tokens';

/** A limit that is used up. `retryMs` is when the bucket holds enough again. */
export type LimitHit = { readonly kind: LimitKind; readonly limit: number; readonly retryMs: number };

type Bucket = { left: number; atMs: number };

const MINUTE_MS = 60_000;
const KINDS: readonly LimitKind[] = ['requests', 'input-tokens', 'output-tokens'];

/** Token buckets: each fills by its limit per minute and holds a minute's worth at most. */
export class RateBuckets {
  readonly #buckets = new Map<string, Bucket>();

  /** Fills all buckets. */
  clear(): void {
    this.#buckets.clear();
  }

  /**
   * Takes one request from the buckets of a key. When one of them is empty, nothing is taken and the hit is given:
   * requests need one, tokens more than none (a request's size is known only behind it).
   */
  take(key: string, limits: RateLimits, nowMs: number): LimitHit | undefined {
    for (const kind of KINDS) {
      const limit = limitOf(limits, kind);
      if (limit === undefined) continue;
      const { left } = this.#bucket(`${kind}/${key}`, limit, nowMs);
      const needed = kind === 'requests' ? 1 : Math.min(1, limit);
      if (left >= needed) continue;
      return { kind, limit, retryMs: Math.ceil(((needed - left) * MINUTE_MS) / limit) };
    }
    this.#spend(`requests/${key}`, 1);
    return undefined;
  }

  /** Takes what an answer used. Buckets may fall below nothing. */
  spend(key: string, inputTokens: number, outputTokens: number): void {
    this.#spend(`input-tokens/${key}`, inputTokens);
    this.#spend(`output-tokens/${key}`, outputTokens);
  }

  /** What is left in a bucket, rounded down; the limit itself where nothing was taken yet. */
  left(key: string, limits: RateLimits, kind: LimitKind, nowMs: number): number | undefined {
    const limit = limitOf(limits, kind);
    if (limit === undefined) return undefined;
    return Math.max(0, Math.floor(this.#bucket(`${kind}/${key}`, limit, nowMs).left));
  }

  #bucket(name: string, limit: number, nowMs: number): Bucket {
    const bucket = this.#buckets.get(name) ?? { left: limit, atMs: nowMs };
    bucket.left = Math.min(limit, bucket.left + ((nowMs - bucket.atMs) * limit) / MINUTE_MS);
    bucket.atMs = nowMs;
    this.#buckets.set(name, bucket);
    return bucket;
  }

  #spend(name: string, amount: number): void {
    const bucket = this.#buckets.get(name);
    if (bucket !== undefined) bucket.left -= amount;
  }
}

/** The limit of a kind; `undefined` where it is not limited. */
export function limitOf(limits: RateLimits, kind: LimitKind): number | undefined {
  if (kind === 'requests') return limits.requestsPerMinute;
  return kind === 'input-tokens' ? limits.inputTokensPerMinute : limits.outputTokensPerMinute;
}
