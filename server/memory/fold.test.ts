import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Uuid } from '../kernel/ids.ts';
import { foldSlot } from './fold.ts';
import { anyStatements, arity, claim, end, reopen, shown, shuffled, taken } from './testing.ts';
import type { SlotHistory, Statement } from './types.ts';

const windows = (...statements: readonly Statement[]) => shown(foldSlot(statements).windows);

describe('a slot of one value', () => {
  test('changes where its next statement begins: the windows meet', () => {
    expect(windows(claim('Render', 1), claim('Fly', 5))).toEqual(['Render [1, 5)', 'Fly [5, now)']);
  });

  test('takes a late value in as history, cut to the room between its neighbours', () => {
    expect(windows(claim('A', 1), claim('C', 9), claim('B', 4))).toEqual([
      'A [1, 4)',
      'B [4, 9)',
      'C [9, now)',
    ]);
  });

  test('is confirmed by what says the same again; what says it earlier moves its start back', () => {
    const [first, again, earlier] = [claim('A', 5), claim('A', 7), claim('A', 2)];
    const [window] = foldSlot([first, again]).windows;
    expect(window).toMatchObject({ fact: first.id, from: 5, to: null, confirmedBy: [again.id] });
    expect(foldSlot([first, again, earlier]).windows).toMatchObject([
      { fact: earlier.id, from: 2, confirmedBy: [first.id, again.id] },
    ]);
  });

  test('is what it was before once more where that is said again behind another value', () => {
    expect(windows(claim('love', 1), claim('hate', 2), claim('love', 3))).toEqual([
      'love [1, 2)',
      'hate [2, 3)',
      'love [3, now)',
    ]);
  });

  test('ends without a value, and only with the value that an end names', () => {
    expect(windows(claim('A', 1), end(null, 4), claim('B', 6))).toEqual(['A [1, 4)', 'B [6, now)']);
    expect(windows(claim('A', 1), end('B', 4))).toEqual(['A [1, now)']);
    expect(windows(claim('A', 1), end('A', 4), claim('B', 4))).toEqual(['A [1, 4)', 'B [4, now)']);
    expect(windows(claim('A', 1), end('A', 4, { saidAt: 9 }), claim('A', 4))).toEqual(['A [1, 4)']);
  });

  test('is at one instant what the higher authority says, then the later source, document, place and id', () => {
    const at = (...statements: readonly Statement[]) => windows(...statements)[0];
    const person = { authority: 'person', saidAt: 1 } as const;
    expect(at(claim('A', 5, person), claim('B', 5, { saidAt: 9 }))).toBe('A [5, now)');
    expect(at(claim('A', 5), claim('B', 5, { authority: 'import', saidAt: 9 }))).toBe('A [5, now)');
    expect(at(claim('A', 5, { saidAt: 9 }), claim('B', 5, { docid: 'z' }))).toBe('A [5, now)');
    expect(at(claim('A', 5, { docid: 'b' }), claim('B', 5, { docid: 'a', offset: 7 }))).toBe('A [5, now)');
    expect(at(claim('A', 5, { offset: 2 }), claim('B', 5, { offset: 1 }))).toBe('A [5, now)');
    expect(at(claim('A', 5, { id: 'b' as Uuid }), claim('B', 5, { id: 'a' as Uuid }))).toBe('A [5, now)');
  });

  test('goes on without a statement that was taken back, and with it when that is taken back', () => {
    const [old, wrong] = [claim('A', 1), claim('B', 5)];
    const back = taken(wrong.id, 7);
    expect(windows(old, wrong, back)).toEqual(['A [1, now)']);
    expect(windows(old, wrong, back, taken(back.id, 8, 'undone'))).toEqual(['A [1, 5)', 'B [5, now)']);
    expect(foldSlot([old, wrong, back]).voided).toEqual(new Map([[wrong.id, back.id]]));
  });
});

describe('a reopen', () => {
  test('leaves out what was said of its stretch by an extractor, whenever that arrives', () => {
    const statements = [claim('A', 1), claim('B', 5), reopen('A', 5, 10)];
    expect(windows(...statements)).toEqual(['A [1, now)']);
    expect(windows(...statements, claim('C', 10, { saidAt: 99 }))).toEqual(['A [1, now)']);
    expect(windows(...statements, claim('C', 11))).toEqual(['A [1, 11)', 'C [11, now)']);
    expect(windows(...statements, claim('C', 3))).toEqual(['A [1, 3)', 'C [3, 5)', 'A [5, now)']);
  });

  test('leaves out a person only where that person decided earlier', () => {
    const by = (saidAt: number) => claim('C', 7, { authority: 'person', saidAt });
    const statements = [claim('A', 1), claim('B', 5), reopen('A', 5, 10)];
    expect(windows(...statements, by(9))).toEqual(['A [1, now)']);
    expect(windows(...statements, by(11))).toEqual(['A [1, 7)', 'C [7, now)']);
  });

  test('that a later one leaves out leaves nothing out', () => {
    const [a, b, c] = [claim('A', 1), claim('B', 5), claim('C', 8)];
    const [first, second] = [reopen('A', 5, 10), reopen('B', 5, 12)];
    const history = foldSlot([a, b, c, first, second]);
    expect(shown(history.windows)).toEqual(['A [1, 5)', 'B [5, now)']);
    expect(history.leftOut.get(first.id)).toBe(second.id);
  });

  test('keeps open what would close ahead of the decision', () => {
    expect(windows(claim('A', 1), claim('B', 20), reopen('A', 20, 10))).toEqual(['A [1, now)']);
  });
});

describe('a slot of many values', () => {
  const many = arity('many', 0);

  test('has a timeline for each value; an end without a value ends all', () => {
    expect(windows(many, claim('pg', 1), claim('redis', 3), end('pg', 5))).toEqual([
      'pg [1, 5)',
      'redis [3, now)',
    ]);
    expect(windows(many, claim('pg', 1), claim('redis', 3), end(null, 5))).toEqual([
      'pg [1, 5)',
      'redis [3, 5)',
    ]);
    expect(windows(many, claim('pg', 1), claim('redis', 3), end('pg', 5), reopen('pg', 5, 9))).toEqual([
      'pg [1, now)',
      'redis [3, now)',
    ]);
  });

  test('is one of one value again when that is said with more weight, or the saying is taken back', () => {
    const said = [claim('pg', 1), claim('redis', 3)];
    const byExtractor = arity('many', 9, { authority: 'extractor' });
    expect(windows(byExtractor, arity('one', 5), ...said)).toEqual(['pg [1, 3)', 'redis [3, now)']);
    expect(windows(many, ...said, taken(many.id, 9, 'undone'))).toEqual(['pg [1, 3)', 'redis [3, now)']);
  });
});

test('an event is one at each instant, however often it is told', () => {
  const history = foldSlot([claim('2.0', 4), claim('2.0', 4), claim('2.0', 6), claim('1.0', 1)], 'event');
  expect(shown(history.windows)).toEqual(['1.0 [1, 1)', '2.0 [4, 4)', '2.0 [6, 6)']);
  expect(history.windows[1]?.confirmedBy).toHaveLength(1);
});

const plain = ({ windows, leftOut, voided, arity }: SlotHistory) => ({
  windows,
  arity,
  leftOut: [...leftOut].toSorted(),
  voided: [...voided].toSorted(),
});
const inAnyOrder = fc
  .tuple(anyStatements(['one', 'many', 'event', 'pair']), fc.constantFrom('one', 'many'))
  .chain(([statements, usual]) =>
    fc.tuple(fc.constant(statements), shuffled(statements), fc.constant(usual as 'one' | 'many')),
  );

describe('any statements', () => {
  test('give one history in whatever order they come, reopens and what takes back among them', () => {
    fc.assert(
      fc.property(inAnyOrder, ([statements, shuffle, usual]) => {
        expect(plain(foldSlot(shuffle, usual))).toEqual(plain(foldSlot(statements, usual)));
      }),
      { numRuns: 2000 },
    );
  });

  test('give the same history when they come twice', () => {
    fc.assert(
      fc.property(anyStatements(), (statements) => {
        const known = new Map([...statements, ...statements].map((statement) => [statement.id, statement]));
        expect(plain(foldSlot([...known.values()]))).toEqual(plain(foldSlot(statements)));
      }),
    );
  });

  test('give a slot of one value at most one value at each instant, and windows of some length that never repeat', () => {
    fc.assert(
      fc.property(anyStatements(), (statements) => {
        const { windows } = foldSlot(statements);
        for (const [index, window] of windows.entries()) {
          const next = windows[index + 1];
          expect(window.to === null || window.to > window.from).toBe(true);
          if (next === undefined) continue;
          expect(window.to).not.toBeNull();
          expect(window.to as number).toBeLessThanOrEqual(next.from);
          if (window.to === next.from) expect(next.value.key).not.toBe(window.value.key);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('give a window only what a statement that stands says, and each statement at most one place', () => {
    fc.assert(
      fc.property(anyStatements(['one', 'many', 'event']), (statements) => {
        const { windows, leftOut, voided } = foldSlot(statements);
        const used = windows.flatMap((window) => [window.fact, ...window.confirmedBy]);
        expect(new Set(used).size).toBe(used.length);
        for (const id of used) expect(leftOut.has(id) || voided.has(id)).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  test('that are taken back one and all give nothing', () => {
    fc.assert(
      fc.property(anyStatements(), (statements) => {
        const said = statements.filter((statement) => statement.kind !== 'void');
        const back = said.map((statement) => taken(statement.id, 50));
        expect(foldSlot([...said, ...back]).windows).toEqual([]);
      }),
    );
  });
});
