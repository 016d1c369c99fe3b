import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Calibration, calibrated, startingCalibration } from './index.ts';

const start = startingCalibration('claude-opus-4-8');
const observation = fc.record({
  estimated: fc.oneof(
    fc.integer({ min: -10, max: 2_000_000 }),
    fc.constantFrom(0, Number.NaN, Number.POSITIVE_INFINITY),
  ),
  counted: fc.oneof(fc.integer({ min: -10, max: 2_000_000 }), fc.constantFrom(0, Number.NaN)),
});
const settledOn = (state: Calibration, estimated: number, ratio: number, times: number) => {
  let now = state;
  for (let at = 0; at < times; at += 1) now = calibrated(now, { estimated, counted: estimated * ratio });
  return now.factor;
};

describe('a calibration', () => {
  test('starts by the model’s family; a model that nobody knows counts like the dearest', () => {
    const starts = (model: string) => startingCalibration(model).factor;
    for (const model of [
      'claude-opus-4-8',
      'claude-opus-4-7',
      'claude-sonnet-5-5',
      'claude-haiku-5-5',
      'someone-else',
    ]) {
      expect(starts(model)).toBe(1);
    }
    for (const model of [
      'claude-opus-4-6',
      'claude-sonnet-4-5-20250929',
      'claude-haiku-4-5-20251001',
      'claude-sonnet-4-20250514',
      'claude-3-5-sonnet-20241022',
    ]) {
      expect(starts(model)).toBeCloseTo(2.5 / 3.4);
    }
    for (const model of ['gpt-5.4', 'gpt-6.2-sol', 'o3']) expect(starts(model)).toBe(2.5 / 4);
  });

  test('is within its bounds whatever it is told, and no observation moves it beyond twice or half of itself', () => {
    fc.assert(
      fc.property(fc.array(observation, { maxLength: 20 }), (all) => {
        let state = start;
        for (const one of all) {
          const next = calibrated(state, one);
          expect(next.factor).toBeGreaterThanOrEqual(Math.max(0.4, state.factor / 2 - 1e-9));
          expect(next.factor).toBeLessThanOrEqual(Math.min(2, state.factor * 2 + 1e-9));
          state = next;
        }
      }),
    );
  });

  test('finds the ratio of a thread, wherever in its bounds it is, within three whole prompts', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.45, max: 1.9, noNaN: true }), (ratio) => {
        expect(settledOn(start, 20_000, ratio, 3) / ratio).toBeGreaterThan(0.9);
        expect(settledOn(start, 20_000, ratio, 3) / ratio).toBeLessThan(1.1);
      }),
    );
  });

  test('follows a thread that turns to another kind of text', () => {
    const settled = { factor: 1, weight: 200_000 };
    expect(settledOn(settled, 50_000, 0.7, 12)).toBeLessThan(0.75);
  });

  test('is hardly moved by one wrong count, and not at all by what is too small to tell', () => {
    const settled = { factor: 0.8, weight: 150_000 };
    expect(calibrated(settled, { estimated: 5_000, counted: 500_000 }).factor).toBeLessThan(0.83);
    expect(calibrated(settled, { estimated: 300, counted: 900 })).toBe(settled);
    expect(calibrated(settled, { estimated: 5_000, counted: 0 })).toBe(settled);
  });
});
