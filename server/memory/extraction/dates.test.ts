import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Millis } from '../../kernel/clock.ts';
import { findDate, isoDay } from './dates.ts';

/** A Tuesday. */
const SAID = Date.parse('2026-12-01T10:00:00Z') as Millis;
const on = (sentence: string, zone = 'UTC', saidAt = SAID) => {
  const found = findDate(sentence, { saidAt, zone });
  return found === null ? null : isoDay(found.at, zone);
};

describe('a date in words', () => {
  test.each([
    ['since Monday', '2026-11-30'],
    ['since Tuesday', '2026-12-01'],
    ['since Wednesday', '2026-11-25'],
    ['last Tuesday', '2026-11-24'],
    ['next Tuesday', '2026-12-08'],
    ['from Monday on', '2026-12-07'],
    ['yesterday', '2026-11-30'],
    ['tomorrow', '2026-12-02'],
    ['the day before yesterday', '2026-11-29'],
    ['two weeks ago', '2026-11-17'],
    ['a month ago', '2026-11-01'],
    ['last week', '2026-11-24'],
    ['next month', '2027-01-01'],
    ['as of 2026-10-09', '2026-10-09'],
    ['on May 3, 2025', '2025-05-03'],
    ['on 3rd of May 2025', '2025-05-03'],
    ['since May 3', '2026-05-03'],
    ['since December 24', '2025-12-24'],
    ['until December 24', '2026-12-24'],
    ['in March 2024', '2024-03-01'],
    ['in October', '2026-10-01'],
    ['since December', '2026-12-01'],
  ])('%s', (words, day) => {
    expect(on(`production is on Fly ${words}`)).toBe(day);
  });

  test.each([
    'we may 3 times try',
    'Mondays',
    '2026-13-40',
    'since the sun rose',
    'in 9999-01-01',
    'v1.2.3',
    'February 30',
    'the October release',
    'it may break',
  ])('is not read into: %s', (words) => {
    expect(on(words)).toBeNull();
  });

  test('is a day of the zone in which it was said', () => {
    const late = Date.parse('2026-12-01T23:30:00Z') as Millis;
    const at = (zone: string) => findDate('since yesterday', { saidAt: late, zone })?.at;
    expect(at('UTC')).toBe(Date.parse('2026-11-30T00:00:00Z'));
    expect(at('Europe/Berlin')).toBe(Date.parse('2026-11-30T23:00:00Z'));
    expect(at('America/Los_Angeles')).toBe(Date.parse('2026-11-30T08:00:00Z'));
    expect(at('no zone at all')).toBe(Date.parse('2026-11-30T00:00:00Z'));
  });

  test('begins at the first instant of its day, also on days on which clocks change', () => {
    const start = (day: string, zone: string) => findDate(`on ${day}`, { saidAt: SAID, zone })?.at;
    expect(start('2026-03-29', 'Europe/Berlin')).toBe(Date.parse('2026-03-28T23:00:00Z'));
    expect(start('2026-10-25', 'Europe/Berlin')).toBe(Date.parse('2026-10-24T22:00:00Z'));
    expect(start('2026-10-26', 'Europe/Berlin')).toBe(Date.parse('2026-10-25T23:00:00Z'));
    // Midnight of this day was skipped.
    expect(start('2024-09-08', 'America/Santiago')).toBe(Date.parse('2024-09-08T04:00:00Z'));
  });

  test('that is written out is that day in any zone', () => {
    const zones = ['UTC', 'Asia/Kolkata', 'America/New_York', 'Pacific/Auckland', 'America/Sao_Paulo'];
    const days = fc.date({ min: new Date('2015-01-01'), max: new Date('2030-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(days, fc.constantFrom(...zones), (date, zone) => {
        const day = date.toISOString().slice(0, 10);
        expect(on(`as of ${day}`, zone)).toBe(day);
        const before = findDate(`as of ${day}`, { saidAt: SAID, zone });
        expect(isoDay(((before?.at ?? 0) - 1) as Millis, zone)).not.toBe(day);
      }),
      { numRuns: 300 },
    );
  });
});
