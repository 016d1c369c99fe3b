import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  ago,
  byteSize,
  clockSeconds,
  dayOf,
  dollars,
  duration,
  exactMoment,
  integer,
  shortMoment,
  tokens,
} from './format.ts';

const plain = (text: string) => text.replaceAll('\u2009', '_');

it('groups digits by thin spaces', () => {
  expect([0, 999, 1000, 1234567, -4500].map((value) => plain(integer(value)))).toEqual([
    '0',
    '999',
    '1_000',
    '1_234_567',
    '−4_500',
  ]);
});

it('an integer without its thin spaces is the number again', () => {
  fc.assert(fc.property(fc.nat(), (value) => Number(integer(value).replaceAll('\u2009', '')) === value));
});

it('sizes keep three digits and change unit before four', () => {
  expect(
    [0, 999, 1000, 1234, 99_949, 999_499, 999_500, 10_485_760].map((size) => plain(byteSize(size))),
  ).toEqual(['0_B', '999_B', '1.00_kB', '1.23_kB', '99.9_kB', '999_kB', '1.00_MB', '10.5_MB']);
});

it('durations are said in the unit that a reader would use', () => {
  expect(
    [0.42, 9.96, 38.4, 999.6, 4210, 59_960, 185_000, 7_800_000].map((ms) => plain(duration(ms))),
  ).toEqual(['0.4_ms', '10_ms', '38_ms', '1.00_s', '4.21_s', '1_min 00_s', '3_min 05_s', '2_h 10_min']);
});

it('tokens are short from a thousand on', () => {
  expect([999, 12_345, 999_500].map((count) => plain(tokens(count)))).toEqual(['999', '12.3_k', '1.00_M']);
});

it('times are relative within a day and not beyond', () => {
  const now = Date.UTC(2026, 10, 30, 12);
  expect([0, 9_000, 61_000, 3_600_000].map((back) => plain(ago(now - back, now) ?? '-'))).toEqual([
    'just now',
    'just now',
    '1_min ago',
    '1_h ago',
  ]);
  expect(ago(now - 86_400_000, now)).toBeNull();
  expect(ago(now + 120_000, now)).toBeNull();
});

it('moments are written in the zone asked for and in UTC', () => {
  const at = Date.UTC(2026, 10, 30, 23, 5, 9);
  const berlin = { timeZone: 'Europe/Berlin' };
  expect(dayOf(at, berlin)).toBe('Tue 1 Dec 2026');
  expect(clockSeconds(at, berlin)).toBe('00:05:09');
  expect(shortMoment(at, berlin)).toBe('1 Dec 00:05');
  expect(exactMoment(at, berlin)).toBe('Tue 1 Dec 2026 00:05:09 Europe/Berlin\nMon 30 Nov 2026 23:05:09 UTC');
});

it('dollars have three significant digits, whatever their size', () => {
  const shown = ['0.000000000', '0.000000001', '0.012345678', '0.099960000', '0.999600000', '1.005000000']
    .concat('9.996000000', '42.420000000', '999.400000000', '1240.400000000', '-0.012345678', '-0.000000000')
    .map(dollars);
  expect(shown).toEqual(
    ['$0', '$0.000000001', '$0.0123', '$0.100', '$1.00', '$1.00', '$10.0', '$42.4', '$999'].concat(
      `$1${'\u2009'}240`,
      '−$0.0123',
      '$0',
    ),
  );
});
