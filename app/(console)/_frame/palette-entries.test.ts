import { expect, it } from 'vitest';
import { documentIdIn, isNamed, paletteGroups } from './palette-entries.ts';

const nothing = { sessions: [], document: null };

it('without words every screen and every act is offered', () => {
  expect(paletteGroups('', nothing).map((group) => group.title)).toEqual(['Screens', 'Archive', 'Do']);
});

it('words narrow what is offered, in any order and case', () => {
  expect(paletteGroups('THEME dark', nothing)).toMatchObject([
    { title: 'Archive' },
    { title: 'Do', entries: [{ act: { theme: 'dark' } }] },
  ]);
  expect(isNamed('ve arc', 'Archive')).toBe(true);
  expect(isNamed('archive x', 'Archive')).toBe(false);
});

it('digits of an id are read as one, words are not', () => {
  expect(documentIdIn(' 3F2A91c ')).toBe('context-mode-msg-3f2a91c');
  expect(documentIdIn('context-mode-msg-3f2a91c04b7e')).toBe('context-mode-msg-3f2a91c04b7e');
  expect(documentIdIn('refund')).toBeNull();
  expect(documentIdIn('abc')).toBeNull();
});

it('any words can be looked for in the archive', () => {
  expect(paletteGroups('no & name', nothing)).toMatchObject([
    {
      title: 'Archive',
      entries: [
        { words: 'Search the archive for “no & name”', act: { go: '/archive/search?q=no+%26+name' } },
      ],
    },
  ]);
});
