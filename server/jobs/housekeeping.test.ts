import { expect, test } from 'vitest';
import type { ArchiveHousekeeper } from '../archive/index.ts';
import { type Millis, manualClock } from '../kernel/clock.ts';
import { LOCAL_ACCOUNT } from '../kernel/ids.ts';
import { createLogger } from '../kernel/log.ts';
import { createMetrics } from '../kernel/metrics.ts';
import { type Housekeeping, startHousekeeping } from './housekeeping.ts';

const HOUR = 3_600_000;
const OFF = { state: 'off', deleted: 0, due: 0, until: null } as const;

/** A housekeeper that notes what it is asked, on a clock and with timers that the test moves. */
function setUp(over: Partial<ArchiveHousekeeper> = {}, ownServer = true) {
  const clock = manualClock(1_800_000_000_000);
  const asked: string[] = [];
  const timers = new Map<number, { readonly run: () => void; readonly due: number }>();
  let made = 0;
  const housekeeper: ArchiveHousekeeper = {
    renewPlans: async () => void asked.push('renew'),
    carryOutDeletions: async () => {
      asked.push('carry out');
      return { done: 0, next: null };
    },
    expire: async (_account, isFirst) => {
      asked.push(isFirst ? 'expire first' : 'expire');
      return OFF;
    },
    dropForgottenPlaces: async () => 0,
    clean: async ({ thorough }) => {
      asked.push(thorough ? 'clean thoroughly' : 'clean');
      return { rewritten: [] };
    },
    ...over,
  };
  const work: Housekeeping = startHousekeeping({
    housekeeper,
    accountId: LOCAL_ACCOUNT,
    clock,
    log: createLogger('silent', 'test'),
    metrics: createMetrics(),
    ownServer,
    timers: {
      start(run, ms) {
        made += 1;
        timers.set(made, { run, due: clock.monotonic() + ms });
        return made;
      },
      stop: (timer) => void timers.delete(timer as number),
    },
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  /** Lets time pass: every timer that comes due rings in its turn. */
  const pass = async (ms: number) => {
    await settle();
    const end = clock.monotonic() + ms;
    for (;;) {
      const [next] = [...timers].sort(([, a], [, b]) => a.due - b.due);
      if (next === undefined || next[1].due > end) break;
      clock.advance(Math.max(0, next[1].due - clock.monotonic()));
      timers.delete(next[0]);
      next[1].run();
      await settle();
    }
    clock.advance(end - clock.monotonic());
  };
  const since = () => asked.splice(0);
  return { work, pass, since, clock };
}

test('a start carries out what was planned before it, and deletes what is too old; then every hour', async () => {
  const { pass, since } = setUp();
  await pass(0);
  expect(since().sort()).toEqual(['carry out', 'expire first', 'renew']);
  await pass(HOUR - 1);
  expect(since().filter((one) => one.startsWith('expire'))).toEqual([]);
  await pass(1);
  expect(since().filter((one) => one.startsWith('expire'))).toEqual(['expire']);
});

test('a deletion is carried out when it is due, however long that is', async () => {
  let due: number | null = null;
  const carried: number[] = [];
  const { work, pass, clock } = setUp({
    carryOutDeletions: async () => {
      if (due !== null && due <= clock.now()) {
        carried.push(clock.now());
        due = null;
      }
      return { done: 0, next: due as Millis | null };
    },
  });
  await pass(0);
  due = clock.now() + 12_000;
  const wanted = due;
  work.plansChanged();
  await pass(11_999);
  expect(carried).toEqual([]);
  await pass(1);
  expect(carried).toEqual([wanted]);
});

test('files are cleaned once it has been quiet after a deletion, and not without one', async () => {
  const { work, pass, since } = setUp();
  await pass(2 * HOUR);
  expect(since().filter((one) => one.startsWith('clean'))).toEqual([]);
  for (let n = 0; n < 10; n += 1) {
    work.deleted();
    await pass(5_000);
  }
  expect(since().filter((one) => one.startsWith('clean'))).toEqual([]);
  await pass(5_000);
  expect(since().filter((one) => one.startsWith('clean'))).toEqual(['clean thoroughly']);
});

test("an operator's server keeps its own rules for files", async () => {
  const { work, pass, since } = setUp({}, false);
  work.deleted();
  await pass(HOUR / 2);
  expect(since().filter((one) => one.startsWith('clean'))).toEqual(['clean']);
});

test('what goes by its age is written out of the files once a day, and vacuumed each time', async () => {
  const { pass, since } = setUp({ expire: async () => ({ ...OFF, state: 'deleted', deleted: 1 }) });
  await pass(25 * HOUR);
  const cleanings = since().filter((one) => one.startsWith('clean'));
  expect(cleanings.filter((one) => one === 'clean thoroughly')).toHaveLength(2);
  expect(cleanings).toHaveLength(25);
});

test('a fault is tried again and holds up nothing else', async () => {
  let tries = 0;
  const { pass, since } = setUp({
    expire: () => {
      tries += 1;
      return Promise.reject(new Error('the database is away'));
    },
  });
  await pass(5 * 60_000);
  expect(tries).toBeGreaterThan(3);
  expect(since().filter((one) => one === 'carry out').length).toBeGreaterThan(3);
});

test('a person is told before sessions go because of a clock that may be wrong, and of clocks that disagree', async () => {
  const until = Date.UTC(2031, 0, 1) as Millis;
  const doubting = setUp({ expire: async () => ({ state: 'doubting', deleted: 0, due: 7, until }) });
  await doubting.pass(0);
  expect(doubting.work.note()).toContain('7 sessions are older');
  expect(doubting.work.note()).toContain('2031-01-01T00:00:00.000Z');
  const waiting = setUp({ expire: async () => ({ state: 'waiting', deleted: 0, due: 7, until }) });
  await waiting.pass(0);
  expect(waiting.work.note()).toBeNull();
  const apart = setUp({ expire: async () => ({ ...OFF, state: 'clocks_disagree' }) });
  await apart.pass(0);
  expect(apart.work.note()).toContain('disagree');
});

test('a stop ends all of it', async () => {
  const { work, pass, since } = setUp();
  await pass(0);
  since();
  await work.stop();
  work.plansChanged();
  work.deleted();
  await pass(10 * HOUR);
  expect(since()).toEqual([]);
});
