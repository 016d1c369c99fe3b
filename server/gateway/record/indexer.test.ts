import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LOCAL_ACCOUNT, type Uuid } from '../../kernel/ids.ts';
import { createLogger } from '../../kernel/log.ts';
import { createIndexer } from './indexer.ts';

const OTHER = '01a229f1-2be8-754e-9327-4168d49aa17a' as Uuid;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** An indexer over a store that has some pieces of work for each account, and fails as often as is said. */
function setUp(work: Map<Uuid, number>, failures = 0) {
  let left = failures;
  let atOnce = 0;
  let most = 0;
  const writer = {
    accountsToIndex: async () => [...work].flatMap(([account, pieces]) => (pieces > 0 ? [account] : [])),
    index: async (account: Uuid) => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await Promise.resolve();
      atOnce -= 1;
      if (left > 0) {
        left -= 1;
        throw new Error('the database is away');
      }
      const pieces = Math.max(0, (work.get(account) ?? 0) - 1);
      work.set(account, pieces);
      return { indexed: 1, more: pieces > 0 };
    },
  };
  return { indexer: createIndexer({ writer, log: createLogger('silent', 'test') }), most: () => most };
}

test('what was written is worked off to its end, one piece at a time', async () => {
  const work = new Map([[LOCAL_ACCOUNT, 5]]);
  const { indexer, most } = setUp(work);
  for (let n = 0; n < 10; n += 1) indexer.soon(LOCAL_ACCOUNT);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(work.get(LOCAL_ACCOUNT)).toBe(0);
  expect(most()).toBe(1);
});

test('what is left from before, or comes from elsewhere, is found without anybody saying so', async () => {
  const work = new Map([
    [LOCAL_ACCOUNT, 2],
    [OTHER, 3],
  ]);
  const { indexer } = setUp(work);
  indexer.begin();
  await vi.advanceTimersByTimeAsync(1_000);
  expect([...work.values()]).toEqual([0, 0]);
  work.set(OTHER, 1);
  await vi.advanceTimersByTimeAsync(11_000);
  expect(work.get(OTHER)).toBe(0);
});

test('a fault is tried again until it has passed', async () => {
  const work = new Map([[LOCAL_ACCOUNT, 2]]);
  const { indexer } = setUp(work, 3);
  indexer.soon(LOCAL_ACCOUNT);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(work.get(LOCAL_ACCOUNT)).toBe(2);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(work.get(LOCAL_ACCOUNT)).toBe(0);
});

test('while agents send without a pause what they send is indexed in few pieces, not one for each', async () => {
  const work = new Map([[LOCAL_ACCOUNT, 0]]);
  let pieces = 0;
  const writer = {
    accountsToIndex: async () => [],
    index: async (account: Uuid) => {
      pieces += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      const indexed = work.get(account) ?? 0;
      work.set(account, 0);
      return { indexed, more: false };
    },
  };
  const indexer = createIndexer({ writer, log: createLogger('silent', 'test') });
  for (let n = 0; n < 50; n += 1) {
    work.set(LOCAL_ACCOUNT, (work.get(LOCAL_ACCOUNT) ?? 0) + 1);
    indexer.soon(LOCAL_ACCOUNT);
    await vi.advanceTimersByTimeAsync(40);
  }
  await vi.advanceTimersByTimeAsync(1_000);
  expect(work.get(LOCAL_ACCOUNT)).toBe(0);
  expect(pieces).toBeLessThan(10);
});
