import fc from 'fast-check';
import { expect, it } from 'vitest';
import { exactRuns, readableRuns } from './invisible.ts';

const shown = (runs: ReturnType<typeof exactRuns>) => runs.map((run) => run.text).join('');

it('terminal escapes, direction overrides and NUL are signs in the readable text', () => {
  expect(shown(readableRuns('a\u001b[31mred\u0000\u202egnp.exe'))).toBe('a◦redNUL⟨U+202E⟩gnp.exe');
});

it('a terminal command is one dot that names it, and a bare escape is named', () => {
  expect(readableRuns('\u001b[1;31mx\u001b')).toEqual([
    { text: '◦', stands: 'terminal command ESC[1;31m' },
    { text: 'x', stands: null },
    { text: 'ESC', stands: 'U+001B escape' },
  ]);
});

it('line feeds and tabs stand as they are in the readable text', () => {
  expect(readableRuns('a\n\tb\r\nc')).toEqual([{ text: 'a\n\tb\nc', stands: null }]);
});

it('a lone surrogate is named and a pair is left whole', () => {
  expect(shown(exactRuns('x\ud800y😀\udc00'))).toBe('x⟨U+D800⟩y😀⟨U+DC00⟩');
});

it('the exact text names blanks that look like spaces', () => {
  const runs = exactRuns('a\u00a0b\u200bc\ufeff');
  expect(runs.filter((run) => run.stands !== null).map((run) => run.stands)).toEqual([
    'U+00A0 no-break space',
    'U+200B zero-width space',
    'U+FEFF byte order mark',
  ]);
});

it('nothing that can be seen is lost or changed', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'ß', '日', '😀', '<', '&', '"') }), (text) => {
      expect(exactRuns(text)).toEqual(text === '' ? [] : [{ text, stands: null }]);
    }),
  );
});
