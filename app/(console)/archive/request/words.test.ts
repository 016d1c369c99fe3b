import { expect, it } from 'vitest';
import { becauseWords, layoutWords, uneditedWords } from './words.ts';

it('a reason that has no words yet is shown as it is, never hidden', () => {
  expect(uneditedWords('deadline')).toContain('longer than a request may wait');
  expect(uneditedWords('of_tomorrow')).toBe('Reason: of_tomorrow.');
  expect(becauseWords('gain_too_small')).toContain('too little');
  expect(becauseWords('of_tomorrow')).toBe('of tomorrow');
});

it('a layout says whether this request made it, and why', () => {
  const layout = { message: 'aa', madeHere: true, reason: 'window', at: null };
  expect(layoutWords({ layout, edited: true })).toBe(
    'This request made the layout, because the prompt would have passed its limit.',
  );
  expect(layoutWords({ layout: { ...layout, madeHere: false, reason: null }, edited: true })).toBe(
    'Under a layout that was made before.',
  );
  expect(layoutWords({ layout: null, edited: false })).toBe('No layout is in force.');
  expect(layoutWords({ layout: null, edited: true })).toContain('only what is marked below differs');
});
