import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Millis } from '../kernel/clock.ts';
import { foldSlot } from './fold.ts';
import { replaySlot, type SlotWrite, versionsAsOf } from './replay.ts';
import { anyStatements, arity, claim, end, reopen, shuffled, taken, versionsShown } from './testing.ts';
import type { FactVersion, Statement } from './types.ts';

/** Writes at 101, 102, … */
const writes = (...groups: readonly (Statement | readonly Statement[])[]): SlotWrite[] =>
  groups.map((group, index) => ({
    at: (101 + index) as Millis,
    statements: Array.isArray(group) ? group : [group as Statement],
  }));
const history = (...groups: readonly (Statement | readonly Statement[])[]) =>
  versionsShown(replaySlot(writes(...groups)));
const values = (versions: readonly FactVersion[]) => versions.map((version) => version.value.text);

describe('the versions of a fact', () => {
  test('a new value closes the old version and says by which it was superseded', () => {
    expect(history(claim('A', 1), claim('B', 5))).toEqual([
      'A [1, now) known [101, 102) asserted, then superseded',
      'A [1, 5) known [102, now) superseded',
      'B [5, now) known [102, now) asserted',
    ]);
    const b = claim('B', 5);
    const after = replaySlot(writes(claim('A', 1), b));
    expect(after.find((version) => version.validTo === 5)?.causedBy).toBe(b.id);
  });

  test('a late value comes out closed, as history, and leaves what is now as it is', () => {
    expect(history(claim('C', 9), claim('B', 4))).toEqual([
      'C [9, now) known [101, now) asserted',
      'B [4, 9) known [102, now) late_history',
    ]);
  });

  test('what says the same later changes no version; earlier, it moves the start', () => {
    expect(history(claim('A', 5), claim('A', 7))).toEqual(['A [5, now) known [101, now) asserted']);
    expect(history(claim('A', 5), claim('A', 2))).toEqual([
      'A [5, now) known [101, 102) asserted, then late_history',
      'A [2, now) known [102, now) late_history',
    ]);
  });

  test('an end, a retraction, a correction, a reopen, its undoing and a change of arity are told apart', () => {
    expect(history(claim('A', 1), end(null, 4)).at(-1)).toBe('A [1, 4) known [102, now) ended');
    const b = claim('B', 5);
    expect(history(claim('A', 1), b, taken(b.id, 9))).toEqual([
      'A [1, now) known [101, 102) asserted, then superseded',
      'A [1, 5) known [102, 103) superseded, then retracted',
      'B [5, now) known [102, 103) asserted, then retracted',
      'A [1, now) known [103, now) retracted',
    ]);
    expect(history(b, [taken(b.id, 9, 'corrected'), claim('C', 5, { authority: 'person' })])).toEqual([
      'B [5, now) known [101, 102) asserted, then corrected',
      'C [5, now) known [102, now) corrected',
    ]);
    const again = reopen('A', 5, 10);
    expect(history([claim('A', 1), b], again, taken(again.id, 11, 'undone'))).toEqual([
      'A [1, 5) known [101, 102) asserted, then reopened',
      'B [5, now) known [101, 102) asserted, then reopened',
      'A [1, now) known [102, 103) reopened, then undone',
      'A [1, 5) known [103, now) undone',
      'B [5, now) known [103, now) undone',
    ]);
    expect(history([claim('A', 1), b], arity('many', 9))).toEqual([
      'A [1, 5) known [101, 102) asserted, then arity_change',
      'B [5, now) known [101, 102) asserted, then arity_change',
      'A [1, now) known [102, now) arity_change',
      'B [5, now) known [102, now) arity_change',
    ]);
  });

  test('both what was true and what was believed on a day can be asked', () => {
    const versions = replaySlot(writes(claim('A', 1), claim('C', 9), claim('B', 4)));
    const at = (validAt: number, knownAt: number | null) =>
      values(versionsAsOf(versions, { validAt: validAt as Millis, knownAt: knownAt as Millis | null }));
    expect(at(5, null)).toEqual(['B']);
    expect(at(5, 102)).toEqual(['A']);
    expect(at(9, null)).toEqual(['C']);
    expect(at(9, 101)).toEqual(['A']);
    expect(at(0, null)).toEqual([]);
    expect(at(5, 100)).toEqual([]);
  });
});

/** Any statements, in any order of arrival, some of them written together. */
const anyWrites = anyStatements(['one', 'many', 'event'])
  .chain((statements) => fc.tuple(shuffled(statements), fc.array(fc.boolean(), { maxLength: 20 })))
  .map(([statements, joins]) => {
    const groups: Statement[][] = [];
    for (const [index, statement] of statements.entries()) {
      if (joins[index] === true && groups.length > 0) groups.at(-1)?.push(statement);
      else groups.push([statement]);
    }
    return writes(...groups);
  });

const inForce = (versions: readonly FactVersion[], at: number) =>
  versions
    .filter((v) => v.recordedFrom <= at && (v.recordedTo === null || v.recordedTo > at))
    .map((v) => [v.fact, v.value.key, v.validFrom, v.validTo, v.closedBy, v.arity])
    .toSorted();

describe('any writes', () => {
  test('are held for true at each recorded time as what was written until then says', () => {
    fc.assert(
      fc.property(anyWrites, (all) => {
        const versions = replaySlot(all);
        for (const [index, { at }] of all.entries()) {
          const known = all.slice(0, index + 1).flatMap((write) => write.statements);
          const { windows, arity } = foldSlot(known);
          const expected = windows.map((w) => [w.fact, w.value.key, w.from, w.to, w.closedBy, arity]);
          expect(inForce(versions, at)).toEqual(expected.toSorted());
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('leave every earlier version in place: only its end in recorded time is added', () => {
    const key = (version: FactVersion) =>
      JSON.stringify({ ...version, recordedTo: null, endCause: null, endedBy: null });
    fc.assert(
      fc.property(anyWrites, (all) => {
        for (let count = 1; count < all.length; count += 1) {
          const later = replaySlot(all.slice(0, count + 1));
          const kept = new Map(later.map((version) => [key(version), version]));
          for (const version of replaySlot(all.slice(0, count))) {
            const now = kept.get(key(version));
            expect(now).toBeDefined();
            if (version.recordedTo !== null) expect(now).toEqual(version);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test('never have two values of a slot of one at once on both clocks, nor one value twice', () => {
    const meet = (aFrom: number, aTo: number | null, bFrom: number, bTo: number | null) =>
      (aTo === null || aTo > bFrom) && (bTo === null || bTo > aFrom);
    fc.assert(
      fc.property(anyWrites, (all) => {
        const versions = replaySlot(all).filter((version) => version.arity !== 'event');
        for (const [index, one] of versions.entries()) {
          for (const other of versions.slice(index + 1)) {
            if (one.arity !== 'one' && one.value.key !== other.value.key) continue;
            const together =
              meet(one.validFrom, one.validTo, other.validFrom, other.validTo) &&
              meet(one.recordedFrom, one.recordedTo, other.recordedFrom, other.recordedTo);
            expect(together).toBe(false);
          }
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('end with one history by valid time, whatever order they came in', () => {
    const both = anyStatements(['one', 'many']).chain((s) => fc.tuple(shuffled(s), shuffled(s)));
    fc.assert(
      fc.property(both, ([one, other]) => {
        const last = (statements: readonly Statement[]) => inForce(replaySlot(writes(...statements)), 9999);
        expect(last(one)).toEqual(last(other));
      }),
      { numRuns: 1000 },
    );
  });

  test('replay to the same versions, and writing them all again changes nothing', () => {
    fc.assert(
      fc.property(anyWrites, (all) => {
        const versions = replaySlot(all);
        expect(replaySlot(all)).toEqual(versions);
        expect(replaySlot([...all, ...writes(...all.map((write) => write.statements))])).toEqual(versions);
      }),
      { numRuns: 300 },
    );
  });

  test('say of each version why it began, and of each that is over why', () => {
    fc.assert(
      fc.property(anyWrites, (all) => {
        for (const version of replaySlot(all)) {
          expect(version.causedBy).not.toBeNull();
          expect(version.endCause === null).toBe(version.recordedTo === null);
          expect(version.endedBy === null).toBe(version.recordedTo === null);
        }
      }),
      { numRuns: 300 },
    );
  });
});
