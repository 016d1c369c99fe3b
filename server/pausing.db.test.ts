import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { scene } from './archive/store/testing.ts';
import type { Database } from './db/index.ts';
import { testDatabase } from './db/testing.ts';
import { type ManualClock, type Millis, manualClock } from './kernel/clock.ts';
import type { Uuid } from './kernel/ids.ts';
import { createLogger } from './kernel/log.ts';
import { createPausing, type Pausing } from './pausing.ts';

const START = 1_800_000_000_000;
let database: Database;
let pool: pg.Pool;
let accountId: Uuid;
let clock: ManualClock;
let scenes = 0;

beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool;
});
afterAll(() => database.stop());
beforeEach(async () => {
  scenes += 1;
  accountId = (await scene(pool, `account ${scenes}`)).accountId;
  clock = manualClock(START);
});

const process = (isAlone: boolean): Pausing =>
  createPausing({ clock, log: createLogger('silent', 'test') }, accountId, isAlone);
const at = (ms: number) => (START + ms) as Millis;

test('a pause holds from its beginning to its end, and for a process that starts in it', async () => {
  const first = process(true);
  await first.open(pool);
  expect(first.now()).toBeNull();
  await first.set(pool, { since: at(0), until: at(1_000) });
  const second = process(true);
  expect(second.isPaused(at(0))).toBe(false);
  await second.open(pool);
  for (const one of [first, second]) {
    expect([-1, 0, 999, 1_000].map((ms) => one.isPaused(at(ms)))).toEqual([false, true, true, false]);
    expect(one.now()).toEqual({ since: at(0), until: at(1_000) });
  }
});

test('without an end it holds until it is ended, which a later start finds ended', async () => {
  const first = process(true);
  await first.open(pool);
  await first.set(pool, { since: at(0), until: null });
  expect(first.isPaused(at(1e12))).toBe(true);
  await first.set(pool, null);
  const second = process(true);
  await second.open(pool);
  for (const one of [first, second]) expect(one.isPaused(at(5))).toBe(false);
});

test('what one gateway begins and ends, another of the same database keeps to', async () => {
  const [one, other] = [process(false), process(false)];
  await Promise.all([one.open(pool), other.open(pool)]);
  try {
    await one.set(pool, { since: at(0), until: null });
    await vi.waitFor(() => expect(other.isPaused(at(1))).toBe(true), 5_000);
    await other.set(pool, null);
    await vi.waitFor(() => expect(one.isPaused(at(1))).toBe(false), 5_000);
  } finally {
    one.close();
    other.close();
  }
});

test('a pause that cannot be written changes nothing', async () => {
  const one = process(true);
  await one.open(pool);
  const broken = { query: () => Promise.reject(new Error('gone')) } as unknown as pg.Pool;
  await expect(one.set(broken, { since: at(0), until: null })).rejects.toThrow('gone');
  expect(one.isPaused(at(1))).toBe(false);
});
