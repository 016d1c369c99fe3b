import fc from 'fast-check';
import { expect, test } from 'vitest';
import { budgetsOf, contextLimitOf, DEFAULT_RECALL, PRESETS } from './limits.ts';
import { compactionPoint, modelWindow } from './windows.ts';

test('the context limit is 0.80 of the window, or 0.95 of where the agent compacts, whichever is lower', () => {
  expect(contextLimitOf(null, 1_000_000, null)).toBe(800_000);
  expect(contextLimitOf(null, 200_000, 167_000)).toBe(158_650);
  expect(contextLimitOf(null, 200_000, 190_000)).toBe(160_000);
  expect(contextLimitOf(null, null, null)).toBeNull();
  expect(contextLimitOf(100_000, 200_000, 167_000)).toBe(100_000);
});

test('a window is known by the exact name of its model alone', () => {
  expect(modelWindow('claude-opus-5-5')?.maxInput).toBe(1_000_000);
  expect(modelWindow('gpt-6.2-sol')?.maxInput).toBe(922_000);
  expect(modelWindow('claude-opus-5-5-preview')).toBeNull();
});

test('Claude Code compacts by itself only at models that it gives 200,000 tokens', () => {
  expect(compactionPoint('claude-code', 'claude-sonnet-4-6', false)).toBe(167_000);
  expect(compactionPoint('claude-code', 'claude-sonnet-4-6', true)).toBeNull();
  expect(compactionPoint('claude-code', 'claude-opus-4-8', false)).toBeNull();
  expect(compactionPoint('codex', 'gpt-5.4', false)).toBeNull();
});

test('whatever the settings, the whole prompt of a new layout is at most 0.6 of the limit where it can be', () => {
  const recent = fc.oneof(
    fc.constantFrom(...(Object.keys(PRESETS) as (keyof typeof PRESETS)[])),
    fc.nat(1_000_000),
  );
  fc.assert(
    fc.property(
      recent,
      fc.integer({ min: 1_000, max: 2_000_000 }),
      fc.nat(500_000),
      (keepRecent, limit, fixed) => {
        const budgets = budgetsOf({ ...DEFAULT_RECALL, keepRecent }, limit, fixed);
        expect(budgets.recent === 0 || budgets.recent + fixed <= limit * 0.6).toBe(true);
        expect(budgets.index * 4).toBeLessThanOrEqual(limit);
        expect(budgets.indexAtMost).toBeGreaterThanOrEqual(budgets.index);
      },
    ),
  );
});
