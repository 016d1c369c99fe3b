import { expect, it } from 'vitest';
import { isNarrowed, type SearchState, searchAddress, searchOf } from './search-state.ts';

const NOTHING: SearchState = {
  q: '',
  project: '',
  session: '',
  thread: '',
  kind: '',
  role: '',
  tool: '',
  path: '',
  span: 'all',
  since: '',
  until: '',
};
const NOW = new Date(2026, 10, 30, 14, 5).getTime();

it('without words nothing is asked, whatever narrows it', () => {
  expect(searchOf({ ...NOTHING, q: '  ', kind: 'input' }, NOW)).toBeNull();
});

it('only what narrows is asked with the words', () => {
  expect(searchOf({ ...NOTHING, q: ' refund ' }, 0)).toEqual({ q: 'refund' });
  expect(searchOf({ ...NOTHING, q: 'x', tool: ' Bash ', thread: 'main', span: 'today' }, NOW)).toEqual({
    q: 'x',
    tool: 'Bash',
    thread: 'main',
    from: new Date(2026, 10, 30).toISOString(),
  });
});

it('a span that needs the present day waits until it is known', () => {
  expect(searchOf({ ...NOTHING, q: 'x', span: '7d' }, 0)).toBeNull();
});

it('words alone narrow nothing, each filter does', () => {
  expect(isNarrowed({ ...NOTHING, q: 'x' })).toBe(false);
  expect(isNarrowed({ ...NOTHING, span: '30d' })).toBe(true);
  expect(isNarrowed({ ...NOTHING, path: 'a.ts' })).toBe(true);
});

it('an address carries what is said and nothing else', () => {
  expect(searchAddress({})).toBe('/archive/search');
  expect(searchAddress({ q: 'a & "b"', project: '' })).toBe('/archive/search?q=a+%26+%22b%22');
});
