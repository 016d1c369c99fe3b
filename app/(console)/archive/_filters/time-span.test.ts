import { expect, it } from 'vitest';
import { boundsOf } from './time-span.ts';

const NOW = new Date(2026, 10, 30, 14, 5).getTime();
const day = (month: number, date: number) => new Date(2026, month - 1, date).toISOString();
const span = (name: 'today' | '7d' | '30d' | 'between' | 'all', since = '', until = '') =>
  boundsOf({ span: name, since, until }, NOW);

it('a span begins at the midnight of its first day', () => {
  expect(span('all')).toEqual({});
  expect(span('today')).toEqual({ from: day(11, 30) });
  expect(span('7d')).toEqual({ from: day(11, 24) });
  expect(span('30d')).toEqual({ from: day(11, 1) });
});

it('both days of a chosen span belong to it, and one alone is enough', () => {
  expect(span('between', '2026-11-02', '2026-11-03')).toEqual({ from: day(11, 2), to: day(11, 4) });
  expect(span('between', '', '2026-10-31')).toEqual({ to: day(11, 1) });
  expect(span('between', 'yesterday', '')).toEqual({});
});

it('without a clock only the span without bounds is known', () => {
  expect(boundsOf({ span: 'today', since: '', until: '' }, 0)).toBeNull();
  expect(boundsOf({ span: 'all', since: '', until: '' }, 0)).toEqual({});
});
