import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../e2e/simulator/json.ts';
import { judgeAnthropic, signThinking } from '../../../e2e/simulator/judge.ts';
import { scanBody } from '../../conversation/index.ts';
import { messagesComposed } from '../compose/testing/composing.ts';
import { reasoningForm } from './reasoning-form.ts';

/** A turn that runs: the model has thought, called, and got its result. */
function running(model: string, thinking: JsonObject | null): JsonObject {
  const typed = { role: 'user', content: [{ type: 'text', text: 'go' }] };
  const more = thinking === null ? {} : { thinking };
  const tools = [{ name: 'Read', description: 'reads', input_schema: { type: 'object' } }];
  const body = { model, max_tokens: 2048, ...more, tools, messages: [typed] };
  const call = { type: 'tool_use', id: 'toolu_1', name: 'Read', input: {} };
  const answer = { role: 'assistant', content: [...signThinking(body, ['hm']), call] };
  const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' }] };
  return { ...body, messages: [typed, answer, result] };
}

function formOf(body: JsonObject) {
  const bytes = Buffer.from(JSON.stringify(body));
  const scan = scanBody(bytes, new Set()) ?? { fields: [], fault: null };
  return reasoningForm(typeof body.model === 'string' ? body.model : null, bytes, scan);
}

/** The provider's word on the body without its thinking. */
function without(body: JsonObject, binding: 'enforced' | 'recorded' | 'off'): string | null {
  const less = messagesComposed<JsonObject>(body, { leavesReasoning: () => true }).body;
  return judgeAnthropic(less, [], { binding })?.message ?? null;
}

const ADAPTIVE = { type: 'adaptive' };
const ENABLED = { type: 'enabled', budget_tokens: 1024 };

describe.each(['enforced', 'recorded', 'off'] as const)('where a broken binding is %s', (binding) => {
  test.each(['claude-opus-5-5', 'claude-fable-5-2', 'claude-sonnet-5-5', 'claude-opus-4-8'])(
    'the running turn of %s is taken without its thinking',
    (model) => {
      const body = running(model, ADAPTIVE);
      expect(formOf(body)).toBe('leave_out');
      expect(without(body, binding)).toBeNull();
    },
  );

  test.each(['claude-opus-4-6', 'claude-sonnet-4-5', 'claude-haiku-4-5'])(
    'with thinking enabled %s demands that of the running turn, and takes it as it is',
    (model) => {
      const body = running(model, ENABLED);
      expect(formOf(body)).toBe('keep_turn');
      expect(judgeAnthropic(body, [], { binding })).toBeNull();
      expect(without(body, binding)).toContain('Expected `thinking`');
    },
  );
});

describe('the form', () => {
  test('is to leave out where the request does not think or does not say how', () => {
    expect(formOf(running('claude-opus-4-6', null))).toBe('leave_out');
    expect(formOf(running('claude-opus-4-6', { type: 'disabled' }))).toBe('leave_out');
    expect(formOf(running('claude-opus-5', { type: 'between_tools' }))).toBe('leave_out');
  });

  test('is the vendor’s own where a model binds and is asked to think in the older mode', () => {
    expect(formOf(running('claude-opus-5-5', ENABLED))).toBe('drop_block');
  });
});
