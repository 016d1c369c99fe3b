import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Cell, csvLine } from './csv.ts';

/** Reads one line of CSV whose cells may hold line feeds. */
function cellsOf(line: string): string[] {
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    let text = '';
    if (line[at] === '"') {
      at += 1;
      while (line[at] !== '"' || line[at + 1] === '"') {
        text += line[at];
        at += line[at] === '"' ? 2 : 1;
      }
      at += 1;
    } else {
      while (at < line.length && line[at] !== ',') {
        text += line[at];
        at += 1;
      }
    }
    cells.push(text);
    if (at >= line.length) return cells;
    at += 1;
  }
}

it('every cell comes out as it went in, and none is a formula', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', '=', '-', '1', ' ') });
  const cell: fc.Arbitrary<Cell> = fc.oneof(text, fc.integer(), fc.constant(null));
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1, maxLength: 6 }), (cells) => {
      const read = cellsOf(csvLine(cells));
      expect(read.map((one) => one.replace(/^'(?=[=+\-@\t\r])/, ''))).toEqual(
        cells.map((one) => (one === null ? '' : String(one))),
      );
      for (const [at, one] of cells.entries()) {
        if (typeof one === 'string') expect(read[at]).not.toMatch(/^[=+\-@\t\r]/);
      }
    }),
  );
});
