import { expect, test, vi } from 'vitest';
import { LOCAL_ACCOUNT, type Uuid } from '../../kernel/ids.ts';
import type { Queryable } from './connection.ts';
import { type LiveEvent, tellSoon } from './live.ts';

const SESSION = '01a229f1-2be8-754e-9327-4168d49aa17a' as Uuid;

/** A pool that keeps the events of each statement; the first so many statements fail. */
function fakePool(failing = 0) {
  const told: LiveEvent[][] = [];
  let left = failing;
  const query = async ({ values }: { values: [Uuid[], LiveEvent['kind'][], (Uuid | null)[]] }) => {
    if (left > 0) {
      left -= 1;
      throw new Error('the database is away');
    }
    const [accounts, kinds, sessions] = values;
    told.push(
      accounts.map((accountId, n) => ({
        accountId,
        kind: kinds[n] as LiveEvent['kind'],
        sessionId: sessions[n] as Uuid | null,
      })),
    );
  };
  return { pool: { query } as unknown as Queryable, told };
}

const event = (kind: LiveEvent['kind'], sessionId: Uuid | null = SESSION): LiveEvent => ({
  accountId: LOCAL_ACCOUNT,
  kind,
  sessionId,
});

test('events of one moment are told in one statement, each once; later ones again', async () => {
  vi.useFakeTimers();
  try {
    const { pool, told } = fakePool();
    for (let n = 0; n < 5; n += 1) {
      tellSoon(pool, event('request'));
      tellSoon(pool, event('log'));
    }
    tellSoon(pool, event('request', null));
    expect(told).toEqual([]);
    await vi.advanceTimersByTimeAsync(100);
    expect(told).toEqual([[event('request'), event('log'), event('request', null)]]);
    tellSoon(pool, event('log'));
    await vi.advanceTimersByTimeAsync(100);
    expect(told).toHaveLength(2);
  } finally {
    vi.useRealTimers();
  }
});

test('what the database does not take harms neither its sender nor the events after it', async () => {
  vi.useFakeTimers();
  try {
    const { pool, told } = fakePool(1);
    tellSoon(pool, event('request'));
    await vi.advanceTimersByTimeAsync(100);
    tellSoon(pool, event('log'));
    await vi.advanceTimersByTimeAsync(100);
    expect(told).toEqual([[event('log')]]);
  } finally {
    vi.useRealTimers();
  }
});
