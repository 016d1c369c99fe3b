import fc from 'fast-check';
import { expect, it } from 'vitest';
import { piecesOf } from './words.tsx';

it('prose is cut at its fences and the fences are gone', () => {
  expect(piecesOf('Look:\n```ts\nconst a = 1;\n```\nDone.')).toEqual([
    { code: false, language: '', text: 'Look:' },
    { code: true, language: 'ts', text: 'const a = 1;' },
    { code: false, language: '', text: 'Done.' },
  ]);
});

it('a fence that is not closed runs to the end', () => {
  expect(piecesOf('```\nx')).toEqual([{ code: true, language: '', text: 'x' }]);
});

it('no line but a fence or a blank at an edge is lost', () => {
  const line = fc.constantFrom('one', '  two', '```', '```js', 'three ``` four');
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const kept = piecesOf(lines.join('\n')).flatMap((piece) => piece.text.split('\n'));
      expect(kept.filter((text) => !text.startsWith('```'))).toEqual(
        lines.filter((text) => !text.startsWith('```')),
      );
    }),
  );
});
