import type { CachedPrompt, CacheEntry, CachePosition, Lifetime, PromptSplit } from './types.ts';

/** Breakpoint that counts: one of a prompt that is long enough up to there. */
interface Mark {
  readonly index: number;
  readonly lifetime: Lifetime;
}

/** What a prompt's use of the cache depends on beside the prompt. */
export interface CacheUse {
  /** Entries by the hash of their place; those of {@link placesLookedAt} are enough. */
  readonly entries: ReadonlyMap<string, CacheEntry>;
  /** The start of the request: lifetimes run from here. */
  readonly at: number;
  /** When its answer began: from then on what it writes can be read. */
  readonly answeredAt: number;
}

/** A prompt's split and what the cache holds after it. */
export interface UsedCache {
  readonly split: PromptSplit;
  /** Entries that the request made or kept alive. */
  readonly entries: ReadonlyMap<string, CacheEntry>;
}

/** Hashes of all places of a prompt that its use may read or write. */
export function placesLookedAt(prompt: CachedPrompt): readonly string[] {
  const { positions, rules } = prompt;
  const marks = marksOf(prompt);
  const looked = new Set<number>(marks.map(({ index }) => index));
  for (const start of startsOf(prompt, marks)) {
    for (let at = start; at >= 0 && at > start - rules.lookBack; at -= 1) looked.add(at);
  }
  return [...looked].flatMap((index) => positions[index]?.hash ?? []);
}

/**
 * How a provider's prompt cache takes a prompt: what is read from it, what is written to it and for how long, and what goes
 * as ordinary input. A pure function: the same entries and moments give the same split.
 */
export function takePrompt(prompt: CachedPrompt, use: CacheUse): UsedCache {
  const { positions, rules } = prompt;
  const marks = marksOf(prompt);
  const changed = new Map<string, CacheEntry>();
  const hit = highestHit(prompt, marks, use, changed);
  const found = hit === null ? 0 : (positions[hit]?.tokens ?? 0);
  const read = found - (found % rules.step);
  for (const { index, lifetime } of marks) write(positions[index], rules.lifetimes[lifetime], use, changed);
  const total = positions.at(-1)?.tokens ?? 0;
  return { split: splitOf(prompt, marks, read, total), entries: changed };
}

function marksOf({ positions, rules }: CachedPrompt): readonly Mark[] {
  const marks: Mark[] = [];
  // What is written everywhere is looked for near the end alone.
  const first = rules.writes === 'everywhere' ? Math.max(0, positions.length - rules.lookBack) : 0;
  for (let index = first; index < positions.length; index += 1) {
    const { mark, tokens } = positions[index] as CachePosition;
    const lifetime = rules.writes === 'everywhere' ? (mark ?? 'short') : mark;
    if (lifetime !== null && tokens >= rules.minimum) marks.push({ index, lifetime });
  }
  return marks;
}

function startsOf({ positions, rules }: CachedPrompt, marks: readonly Mark[]): readonly number[] {
  if (marks.length === 0) return [];
  return rules.readsFrom === 'end' ? [positions.length - 1] : marks.map(({ index }) => index);
}

/** The furthest place that is found in the cache. What is found on the way stays alive. */
function highestHit(
  prompt: CachedPrompt,
  marks: readonly Mark[],
  { entries, at }: CacheUse,
  changed: Map<string, CacheEntry>,
): number | null {
  const { positions, rules } = prompt;
  let best: number | null = null;
  for (const start of startsOf(prompt, marks)) {
    for (let index = start; index >= 0 && index > start - rules.lookBack; index -= 1) {
      const { hash, tokens } = positions[index] as CachePosition;
      const entry = entries.get(hash);
      if (entry === undefined || entry.readableAt > at || entry.expiresAt <= at) continue;
      if (tokens < rules.minimum) break;
      changed.set(hash, { ...entry, expiresAt: Math.max(entry.expiresAt, at + entry.lifetimeMs) });
      if (best === null || index > best) best = index;
      break;
    }
  }
  return best;
}

/** An entry that lives goes on with the longer of both lifetimes; else there is a new one. */
function write(
  position: CachePosition | undefined,
  lifetimeMs: number,
  { entries, at, answeredAt }: CacheUse,
  changed: Map<string, CacheEntry>,
): void {
  if (position === undefined) return;
  const old = changed.get(position.hash) ?? entries.get(position.hash);
  const lives = old !== undefined && old.expiresAt > at;
  const longest = lives ? Math.max(old.lifetimeMs, lifetimeMs) : lifetimeMs;
  changed.set(position.hash, {
    lifetimeMs: longest,
    expiresAt: Math.max(lives ? old.expiresAt : 0, at + longest),
    readableAt: lives ? Math.min(old.readableAt, answeredAt) : answeredAt,
  });
}

function splitOf(prompt: CachedPrompt, marks: readonly Mark[], read: number, total: number): PromptSplit {
  const { positions, rules } = prompt;
  const billed = rules.writes === 'marks' ? marks : [];
  const ends = billed.map(({ index, lifetime }) => ({ lifetime, tokens: positions[index]?.tokens ?? 0 }));
  const end = Math.max(read, ...ends.map(({ tokens }) => tokens));
  const lastLong = Math.max(
    read,
    ...ends.filter(({ lifetime }) => lifetime === 'long').map(({ tokens }) => tokens),
  );
  const long = rules.longUpTo === 'last' ? lastLong - read : longStretches(ends, read);
  return wholeTokens({ input: total - end, write: end - read - long, writeLong: long, read }, total);
}

/** Tokens of the stretches that end at a long breakpoint. */
function longStretches(
  ends: readonly { readonly lifetime: Lifetime; readonly tokens: number }[],
  read: number,
): number {
  let at = read;
  let long = 0;
  for (const { lifetime, tokens } of ends.toSorted((one, other) => one.tokens - other.tokens)) {
    if (lifetime === 'long') long += Math.max(0, tokens - at);
    at = Math.max(at, tokens);
  }
  return long;
}

/** Whole tokens that add up to the whole prompt, rounded at the borders between the buckets. */
function wholeTokens({ read, writeLong, write }: PromptSplit, total: number): PromptSplit {
  const [one, two, three, all] = [
    Math.round(read),
    Math.round(read + writeLong),
    Math.round(read + writeLong + write),
    Math.round(total),
  ] as const;
  return { read: one, writeLong: two - one, write: three - two, input: all - three };
}
