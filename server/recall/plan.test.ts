import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DocId } from '../conversation/index.ts';
import type { BoundaryElement } from './boundary.ts';
import type { IndexEntry } from './index-entries.ts';
import { DEFAULT_RECALL } from './limits.ts';
import { type PlanQuestion, planLayout } from './plan.ts';

const estimate = (text: string) => Math.ceil(text.length / 2.5);
const id = (n: number) => `context-mode-msg-${n.toString(16).padStart(16, '0')}` as DocId;

/** Turns of a typed message and an answer, of given sizes in tokens. */
function conversation(turns: readonly { readonly typed: number; readonly answer: number }[]) {
  const elements: BoundaryElement[] = [];
  const entries: IndexEntry[] = [];
  for (const [turn, { typed, answer }] of turns.entries()) {
    const common = {
      older: 'leaves',
      results: false,
      opens: [],
      closes: [],
      joins: false,
      confirmed: true,
    } as const;
    elements.push({ ...common, role: 'user', typed: true, tokens: typed });
    elements.push({ ...common, role: 'assistant', typed: false, tokens: answer });
    entries.push({ kind: 'typed', turn, docid: id(turn * 2), at: 0, text: 'w'.repeat(typed * 2) });
    entries.push({ kind: 'answer', turn, docid: id(turn * 2 + 1), text: 'a'.repeat(answer) });
  }
  return { elements, entriesBefore: (at: number) => entries.slice(0, at) };
}

const question = (
  turns: readonly { readonly typed: number; readonly answer: number }[],
  change: Partial<PlanQuestion> = {},
): PlanQuestion => ({
  ...conversation(turns),
  floor: 0,
  stored: turns.length * 2,
  fixed: 20_000,
  limit: 160_000,
  settings: DEFAULT_RECALL,
  estimate,
  ...change,
});

test('the recent part has what the preset says, where the limit leaves room for it', () => {
  const turns = Array.from({ length: 100 }, () => ({ typed: 50, answer: 4_000 }));
  const plan = planLayout(question(turns, { settings: { ...DEFAULT_RECALL, keepRecent: 'lean' } }));
  if (typeof plan === 'string') throw new Error(plan);
  expect(plan.boundary.recent).toBeLessThanOrEqual(60_000);
  expect(plan.boundary.recent).toBeGreaterThan(55_000);
});

const turns = fc.array(
  fc.record({ typed: fc.integer({ min: 1, max: 3_000 }), answer: fc.integer({ min: 1, max: 9_000 }) }),
  {
    minLength: 2,
    maxLength: 80,
  },
);

test('a plan’s prompt is at most 0.6 of the limit, unless its newest cut is too large for that', () => {
  fc.assert(
    fc.property(turns, fc.integer({ min: 40_000, max: 900_000 }), (list, limit) => {
      const asked = question(list, { limit });
      const plan = planLayout(asked);
      if (typeof plan === 'string') return;
      const newest = asked.elements.length - 1;
      if (plan.tokens > limit * 0.6) expect(newest - plan.boundary.at).toBeLessThanOrEqual(2);
    }),
  );
});

test('planned twice, a layout is the same, and a conversation that fits is left alone or shortened', () => {
  fc.assert(
    fc.property(turns, (list) => {
      const plan = planLayout(question(list));
      expect(planLayout(question(list))).toEqual(plan);
      if (typeof plan === 'string') return;
      expect(plan.boundary.leaves).toBeGreaterThan(0);
      expect(plan.index.text).toContain('user: ');
    }),
  );
});
