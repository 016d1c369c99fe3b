import { describe, expect, test } from 'vitest';
import { isTyped, type Message, turnsOf } from '../../conversation/index.ts';
import { anthropicAdapter } from '../../gateway/anthropic/index.ts';
import { openaiAdapter } from '../../gateway/openai/index.ts';
import { exchangesOf } from '../../gateway/reading/testing/recorded.ts';
import { recordedCases, unnamedCases } from '../../gateway/record/recorded.testing.ts';
import { extractByRules } from './rules.ts';
import { part, typedTurn } from './testing.ts';
import type { TurnPart } from './types.ts';

/** What would be learned of any text that a person typed. */
const SAID = 'We use pnpm. Production is deployed to Fly.';

interface RecordedTurn {
  readonly typed: boolean;
  readonly parts: readonly TurnPart[];
}

/** The turns of a recorded case as its agent sent them, with something behind each of their texts that is a fact. */
function turnsWithFacts(name: string): readonly RecordedTurn[] {
  return exchangesOf(name).flatMap(({ head, body }) => {
    const adapter = head.door === 'openai' ? openaiAdapter : anthropicAdapter;
    const request = adapter.readRequest(head, body);
    if (request === null) return [];
    const { agent } = request.identity;
    const messages = request.elements.map(({ start, end }, index) =>
      adapter.parseMessage(body.subarray(start, end), { agent, first: index === 0 }),
    );
    return turnsOf(messages).map(({ start, end, typed }) => ({
      typed,
      parts: messages.slice(start, end).flatMap(partsOf),
    }));
  });
}

function partsOf({ role, items }: Message): readonly TurnPart[] {
  return items.map(({ kind, text }) => part(`${text}\n\n${SAID}`, { role, kind }));
}

describe.each([...recordedCases, ...unnamedCases])('the turns of %s', (name) => {
  test('give a fact for what was typed, and none where nothing was', () => {
    for (const { typed, parts } of turnsWithFacts(name)) {
      const facts = extractByRules({ ...typedTurn(''), parts });
      const inputs = parts.filter(({ role, kind }) => isTyped({ role, items: [{ kind }] }));
      expect(inputs.length > 0).toBe(typed);
      if (!typed) expect(facts).toEqual([]);
      expect(facts.length).toBeLessThanOrEqual(2 * inputs.length);
    }
  });

  test('as they were typed hold no fact: they are tasks', () => {
    for (const { parts } of turnsWithFacts(name)) {
      const asTyped = parts.map((one) => ({ ...one, text: one.text.slice(0, -SAID.length) }));
      expect(extractByRules({ ...typedTurn(''), parts: asTyped })).toEqual([]);
    }
  });
});

test('turns with and without typed words are among the recorded ones, and some give facts', () => {
  const turns = recordedCases.flatMap(turnsWithFacts);
  const facts = turns.flatMap(({ parts }) => extractByRules({ ...typedTurn(''), parts }));
  expect(turns.filter(({ typed }) => !typed).length).toBeGreaterThan(10);
  expect(turns.filter(({ typed }) => typed).length).toBeGreaterThan(10);
  expect(facts.length).toBeGreaterThan(10);
});
