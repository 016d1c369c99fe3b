import fc from 'fast-check';
import { expect, it } from 'vitest';
import { placeNamed, positionAt } from './place-words.ts';

const DAY = new Date(2026, 10, 30, 18, 0).getTime();
const moment = (...parts: [number, number, number, number?, number?, number?]) => ({
  moment: new Date(parts[0], parts[1] - 1, parts[2], parts[3] ?? 0, parts[4] ?? 0, parts[5] ?? 0).getTime(),
});

it('a number is a position, with or without its sign', () => {
  expect(placeNamed(' 1200 ', DAY)).toEqual({ seq: 1200 });
  expect(placeNamed('#7', DAY)).toEqual({ seq: 7 });
});

it('a time is one of the day that is read, a day may stand before it or alone', () => {
  expect(placeNamed('9:05', DAY)).toEqual(moment(2026, 11, 30, 9, 5));
  expect(placeNamed('14:05:30', DAY)).toEqual(moment(2026, 11, 30, 14, 5, 30));
  expect(placeNamed('2026-02-03', DAY)).toEqual(moment(2026, 2, 3));
  expect(placeNamed('2026-2-3 4:05', DAY)).toEqual(moment(2026, 2, 3, 4, 5));
  expect(placeNamed('2026-02-03T04:05', DAY)).toEqual(moment(2026, 2, 3, 4, 5));
});

it('what names nothing is told apart', () => {
  for (const words of ['', 'noon', '25:00', '12:61', '2026-02-30', '2026-11-3014:05', '-3', '1.5']) {
    expect(placeNamed(words, DAY), words).toBeNull();
  }
});

it('the first position at or behind a moment is found, with few questions', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(500), { minLength: 1, maxLength: 300 }).map((times) => times.sort((a, b) => a - b)),
      fc.nat(520),
      fc.integer({ min: 1, max: 9 }),
      async (times, wanted, first) => {
        let asked = 0;
        const found = await positionAt(wanted, first, first + times.length - 1, async (seq) => {
          asked += 1;
          return times[seq - first] ?? 0;
        });
        const index = times.findIndex((time) => time >= wanted);
        expect(found).toBe(first + (index < 0 ? times.length - 1 : index));
        expect(asked).toBeLessThanOrEqual(Math.ceil(Math.log2(times.length)) + 1);
      },
    ),
  );
});
