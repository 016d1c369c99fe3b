import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Millis } from '../kernel/clock.ts';
import type { Uuid } from '../kernel/ids.ts';
import { foldSlot } from './fold.ts';
import { type ActPlan, planReopen, planVoid, supportOf } from './reopen.ts';
import { anyStatements, claim, end, nextId, shown, taken } from './testing.ts';
import type { Statement } from './types.ts';

const decision = (at: number) => ({ at: at as Millis, newId: nextId });

function planned(statements: readonly Statement[], fact: Uuid, at: number): ActPlan {
  const plan = planReopen(statements, fact, decision(at));
  if (typeof plan === 'string') throw new Error(plan);
  return plan;
}

describe('reopening a fact', () => {
  const [a, b, c] = [claim('A', 1), claim('B', 5), claim('C', 8)];

  test('makes it true from its close until now, and lists what is taken back', () => {
    const { history, takenBack, statements } = planned([a, b, c], a.id, 10);
    expect(shown(history.windows)).toEqual(['A [1, now)']);
    expect(shown(takenBack)).toEqual(['B [5, 8)', 'C [8, now)']);
    expect(statements).toMatchObject([{ kind: 'reopen', from: 5, saidAt: 10, authority: 'person' }]);
  });

  test('of a row that a reopen took back undoes that reopen, and nothing more if it is open then', () => {
    const first = planned([a, b], a.id, 10);
    const second = planned([a, b, ...first.statements], b.id, 11);
    expect(second.statements).toMatchObject([
      { kind: 'void', reason: 'undone', target: first.statements[0]?.id },
    ]);
    expect(shown(second.history.windows)).toEqual(['A [1, 5)', 'B [5, now)']);
  });

  test('of a row that is still closed then reopens it in its turn', () => {
    const first = planned([a, b, c], a.id, 10);
    const second = planned([a, b, c, ...first.statements], b.id, 11);
    expect(second.statements.map((statement) => statement.kind)).toEqual(['void', 'reopen']);
    expect(shown(second.history.windows)).toEqual(['A [1, 5)', 'B [5, now)']);
  });

  test('is possible by a statement that only confirms it, and of a slot that ended', () => {
    const again = claim('A', 3);
    expect(shown(planned([a, again, end(null, 6)], again.id, 10).history.windows)).toEqual(['A [1, now)']);
  });

  test('is refused with its reason where there is nothing to reopen', () => {
    expect(planReopen([a], a.id, decision(9))).toBe('open');
    expect(planReopen([a], b.id, decision(9))).toBe('unknown');
    expect(planReopen([a, taken(a.id, 3)], a.id, decision(9))).toBe('taken_back');
    expect(planReopen([a], a.id, decision(9), 'event')).toBe('event');
  });
});

describe('a reopen of any closed window', () => {
  const anyCase = fc.tuple(anyStatements(['one', 'many']), fc.nat());

  test('leaves it open at the decision, with no other value of a slot of one', () => {
    fc.assert(
      fc.property(anyCase, ([statements, pick]) => {
        const closed = foldSlot(statements).windows.filter((window) => window.to !== null);
        const window = closed[pick % Math.max(1, closed.length)];
        if (window === undefined || foldSlot(statements).arity === 'event') return;
        const { history } = planned(statements, window.fact, 60);
        const open = history.windows.filter((other) => other.to === null || other.to > 60);
        expect(open.map((other) => other.value.key)).toContain(window.value.key);
        if (history.arity === 'one') expect(open).toHaveLength(1);
      }),
      { numRuns: 1000 },
    );
  });

  test('is where it began once it is undone', () => {
    fc.assert(
      fc.property(anyCase, ([statements, pick]) => {
        const before = foldSlot(statements);
        const closed = before.windows.filter((window) => window.to !== null);
        const window = closed[pick % Math.max(1, closed.length)];
        if (window === undefined) return;
        const done = [...statements, ...planned(statements, window.fact, 60).statements];
        const acts = done.slice(statements.length).map((statement) => statement.id);
        const undone = planVoid(done, acts, 'undone', decision(70));
        expect(undone.history.windows).toEqual(before.windows);
        expect(planVoid([...done, ...undone.statements], acts, 'undone', decision(71)).statements).toEqual(
          [],
        );
      }),
      { numRuns: 1000 },
    );
  });
});

test('a fact is gone when all that it stands on is retracted, and only then', () => {
  const [a, again, b] = [claim('A', 1), claim('A', 3), claim('B', 5)];
  const all = [a, again, b];
  const support = supportOf(foldSlot(all), a.id);
  expect(support).toEqual([a.id, again.id]);
  expect(shown(planVoid(all, [a.id], 'retracted', decision(9)).history.windows)).toEqual([
    'A [3, 5)',
    'B [5, now)',
  ]);
  expect(shown(planVoid(all, support, 'retracted', decision(9)).history.windows)).toEqual(['B [5, now)']);
});
