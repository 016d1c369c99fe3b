import { describe, expect, test } from 'vitest';
import { RETRIEVAL_TOOL, retrievalToolJson } from '../recall/index.ts';
import { itemsComposed, messagesComposed } from './compose/testing/composing.ts';

type Json = Record<string, unknown>;

function added(protocol: 'anthropic' | 'openai', request: Json) {
  const plan = { tool: retrievalToolJson(protocol) };
  const { body, verdict, composed } =
    protocol === 'anthropic'
      ? messagesComposed<Json>(request, plan, 'untouched', 1)
      : itemsComposed<Json>(request, plan, 'untouched', 1);
  return composed.named.length === 0 ? null : { verdict, request: body };
}

const names = (tools: unknown) => (tools as Json[]).map((tool) => tool.name);

describe('our tool', () => {
  const messages = [{ role: 'user', content: 'hi' }];
  const read = { name: 'Read', input_schema: { type: 'object' } };
  const marked = { name: 'Write', input_schema: { type: 'object' }, cache_control: { type: 'ephemeral' } };

  test('stands last, and before a tool that ends the list with a cache mark', () => {
    const plain = added('anthropic', { model: 'm', max_tokens: 1, tools: [read], messages });
    expect(plain?.verdict).toEqual({ ok: true });
    expect(names(plain?.request.tools)).toEqual(['Read', RETRIEVAL_TOOL]);
    const withMark = added('anthropic', { model: 'm', max_tokens: 1, tools: [read, marked], messages });
    expect(withMark?.verdict).toEqual({ ok: true });
    expect(names(withMark?.request.tools)).toEqual(['Read', RETRIEVAL_TOOL, 'Write']);
  });

  test('stands in the item that brings the tools where the list is there', () => {
    const shell = { type: 'function', name: 'shell', parameters: {} };
    const user = { type: 'message', role: 'user', content: 'hi' };
    const top = added('openai', { model: 'm', store: false, tools: [shell], input: [user] });
    expect(top?.verdict).toEqual({ ok: true });
    expect(names(top?.request.tools)).toEqual(['shell', RETRIEVAL_TOOL]);
    const item = { type: 'additional_tools', role: 'developer', tools: [shell] };
    const inside = added('openai', { model: 'm', store: false, input: [item, user] });
    expect(inside?.verdict).toEqual({ ok: true });
    const [first] = (inside?.request.input ?? []) as Json[];
    expect(names(first?.tools)).toEqual(['shell', RETRIEVAL_TOOL]);
  });

  test('is not given to a request without tools', () => {
    expect(added('anthropic', { model: 'm', max_tokens: 1, messages })).toBeNull();
    expect(added('anthropic', { model: 'm', max_tokens: 1, tools: [], messages })).toBeNull();
    expect(added('openai', { model: 'm', input: [{ type: 'additional_tools', tools: [] }] })).toBeNull();
  });
});
