import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MessageHash } from '../../archive/index.ts';
import { commonElements, type KnownRequest, PrefixCache } from './prefix-cache.ts';

const hash = (text: string) => createHash('sha256').update(text).digest() as Uint8Array as MessageHash;
const root = hash('root');

/** A request of these elements; `at` names the message behind each (by default one each). */
function requestOf(
  elements: readonly string[],
  at: readonly string[] = elements.map((_, n) => `${n}`),
): KnownRequest {
  const body = Buffer.from(elements.join(','));
  let from = 0;
  const slices = elements.map((element) => {
    const start = from;
    from += Buffer.byteLength(element) + 1;
    return { start, end: from - 1 };
  });
  return { body, elements: slices, positions: at.map(hash), root, erasures: 0 };
}

describe('the start of a request that repeats the one before', () => {
  it('has the same bytes up to where it is taken as known', () => {
    const texts = fc.array(
      fc.string({ maxLength: 6 }).map((text) => `"${text}"`),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(texts, texts, fc.nat(20), (old, fresh, shared) => {
        const before = requestOf(old);
        const now = requestOf([...old.slice(0, shared), ...fresh]);
        const common = commonElements(before, now);
        expect(common).toBeGreaterThanOrEqual(Math.min(shared, old.length));
        const cache = new PrefixCache(1_000_000);
        cache.keep('t', before);
        const start = cache.startOf('t', now);
        if (start === null) return;
        expect(start.count).toBeLessThan(common);
        expect(start.positions).toEqual(before.positions.slice(0, start.count));
        for (let n = 0; n < start.count; n += 1) {
          const { start: from, end } = now.elements[n] ?? { start: 0, end: 0 };
          expect(now.body.subarray(from, end).toString()).toBe(old[n]);
        }
      }),
    );
  });

  it('never stands behind reasoning or before a part of the message before it', () => {
    const at = ['a', 'b', 'b', 'c', 'c', 'd', 'e', 'f', 'g'];
    const before = requestOf(
      at.map((_, n) => `"${n}"`),
      at,
    );
    const cache = new PrefixCache(1_000_000);
    for (let shared = 0; shared <= at.length; shared += 1) {
      cache.keep('t', before);
      const now = requestOf(at.map((_, n) => (n < shared ? `"${n}"` : `"x${n}"`)));
      const count = cache.startOf('t', now)?.count ?? 0;
      expect(at[count - 1] === at[count] && count > 0).toBe(false);
    }
  });

  it('is not known after a deletion, under another root, or in another thread', () => {
    const cache = new PrefixCache(1_000_000);
    const before = requestOf(['1', '2', '3', '4', '5', '6', '7', '8']);
    cache.keep('t', before);
    expect(cache.startOf('t', before)).not.toBeNull();
    expect(cache.startOf('t', { ...before, erasures: 1 })).toBeNull();
    expect(cache.startOf('t', { ...before, root: hash('other') })).toBeNull();
    expect(cache.startOf('u', before)).toBeNull();
  });

  it('is forgotten, oldest thread first, when the bodies become too many', () => {
    const cache = new PrefixCache(40);
    const before = requestOf(['1', '2', '3', '4', '5', '6', '7', '8']);
    for (const thread of ['a', 'b', 'c']) cache.keep(thread, before);
    expect([cache.startOf('a', before), cache.startOf('c', before)?.count]).toEqual([null, 5]);
  });
});
