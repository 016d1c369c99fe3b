import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Millis } from '../kernel/clock.ts';
import { decideRun, type RunState, runBound } from './retention.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const T0 = Date.UTC(2026, 10, 30, 9);
const SET = (T0 - 30 * DAY) as Millis;
const at = (ms: number) => ms as Millis;

function run(now: number, state: RunState, database = now, setAt: Millis = SET, isFirst = false) {
  return decideRun({ processNow: at(now), databaseNow: at(database), setAt, isFirst, ...state });
}

const calm: RunState = { ranAt: at(T0 - HOUR), graceUntil: null };

test('hours pass and each run deletes', () => {
  let state = calm;
  for (let hour = 0; hour < 200; hour += 1) {
    const verdict = run(T0 + hour * HOUR, state);
    expect(verdict).toMatchObject({ act: 'delete', now: T0 + hour * HOUR });
    if (verdict.act === 'delete') state = verdict.state;
  }
  expect(state.ranAt).toBe(T0 + 199 * HOUR);
});

test('clocks that disagree delete nothing and leave what is remembered alone', () => {
  expect(run(T0 + 365 * DAY, calm, T0)).toEqual({ act: 'clocks_disagree' });
  expect(run(T0, calm, T0 - 10 * DAY)).toEqual({ act: 'clocks_disagree' });
});

test('of two clocks that nearly agree the earlier counts', () => {
  expect(run(T0 + 60_000, calm, T0)).toMatchObject({ act: 'delete', now: T0 });
});

test('a setting that is new deletes nothing for an hour', () => {
  expect(run(T0, calm, T0, at(T0 - 60_000))).toMatchObject({ act: 'wait', until: T0 - 60_000 + HOUR });
  expect(run(T0 + HOUR, calm, T0 + HOUR, at(T0 - 60_000)).act).toBe('delete');
});

test('a setting from a future that was none does not hold for ever', () => {
  expect(run(T0, calm, T0, at(T0 + 4000 * DAY)).act).toBe('delete');
});

test('whatever a clock does, nothing is deleted in the day after it jumped, and a wait is told first', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.integer({ min: 1, max: 3 * HOUR }),
          fc.integer({ min: 4 * DAY, max: 4000 * DAY }),
          fc.integer({ min: -4000 * DAY, max: -HOUR }),
        ),
        { minLength: 1, maxLength: 200 },
      ),
      (steps) => {
        let state: RunState = { ranAt: at(T0), graceUntil: null };
        let now = T0;
        let calmSince = Number.NEGATIVE_INFINITY;
        for (const step of steps) {
          now += step;
          const jumped = step > 3 * DAY || step <= -HOUR;
          // What the clock says that passed since the last jump, in steps that a clock makes by running.
          calmSince = jumped ? 0 : calmSince + step;
          const verdict = run(now, state, now, at(0));
          if (verdict.act === 'clocks_disagree') throw new Error('the clocks agree');
          if (verdict.act === 'delete') expect(calmSince < DAY && calmSince >= 0).toBe(false);
          else expect(verdict.until - now).toBeLessThanOrEqual(DAY);
          state = verdict.state;
        }
      },
    ),
  );
});

test('a machine that is on for some hours a week deletes once it has told of it', () => {
  let state = calm;
  const acts: string[] = [];
  for (let week = 1; week <= 3; week += 1) {
    for (let hour = 0; hour < 3; hour += 1) {
      const verdict = run(T0 + week * 7 * DAY + hour * HOUR, state, undefined, SET, hour === 0);
      acts.push(verdict.act);
      if (verdict.act !== 'clocks_disagree') state = verdict.state;
    }
  }
  expect(acts.join(' ')).toBe('wait wait wait delete delete delete wait wait wait');
});

test('a run takes a hundred sessions or a twentieth of all', () => {
  expect([0, 100, 2000, 2001, 100_000].map(runBound)).toEqual([100, 100, 100, 101, 5000]);
});
