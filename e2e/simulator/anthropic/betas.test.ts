import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
import { judgeAnthropic } from '../judge.ts';
import { messagesBody } from '../testing.ts';

function words(changes: JsonObject, beta?: string): string | undefined {
  const headers = beta === undefined ? [] : ([['Anthropic-Beta', beta]] as const);
  return judgeAnthropic(messagesBody(changes), headers)?.message;
}

const system = (changes: JsonObject) => ({
  messages: [
    { role: 'user', content: 'a' },
    { role: 'system', content: 'b', ...changes },
  ],
});

const scoped = [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral', scope: 'organization' } }];

const GATED: [string, JsonObject, string][] = [
  ['compaction', { compaction: { type: 'summarize' } }, 'compact-2026-09-04'],
  ['thread', { thread: { type: 'create' } }, 'message-threads-2026-08-12'],
  ['mcp_servers', { mcp_servers: [] }, 'mcp-client-2025-11-20'],
  ['fallbacks', { fallbacks: 'default' }, 'server-side-fallback-2026-07-01'],
  ['fallback_credit_token', { fallback_credit_token: 't' }, 'fallback-credit-2026-06-01'],
  ['billing_policy', { billing_policy: {} }, 'user-profiles-billing-2026-10-01'],
  ['output_format', { output_format: {} }, 'structured-outputs-2025-11-13'],
  [
    'output_config.task_budget',
    { output_config: { task_budget: { type: 'tokens', total: 1 } } },
    'task-budgets-2026-03-13',
  ],
  [
    'thinking.adaptive.block_binding',
    { thinking: { type: 'adaptive', block_binding: {} } },
    'thinking-binding-controls-2026-08-01',
  ],
  ['messages.1.clear_at', system({ clear_at: 'never' }), 'mid-conversation-system-clear-at-2026-08-21'],
  [
    'messages.1.output_config',
    system({ output_config: { effort: 'low' } }),
    'mid-conversation-output-config-2026-07-01',
  ],
  ['system.0.cache_control.ephemeral.scope', { system: scoped }, 'prompt-caching-scope-2026-01-05'],
];

describe('beta headers', () => {
  it.each(GATED)('open %s', (path, changes, beta) => {
    expect(words(changes)).toBe(`${path}: Extra inputs are not permitted`);
    expect(words(changes, 'interleaved-thinking-2025-05-14')).toBe(`${path}: Extra inputs are not permitted`);
    expect(words(changes, `interleaved-thinking-2025-05-14, ${beta}`)).toBeUndefined();
  });

  it('open thinking’s display of updates', () => {
    const thinking = { type: 'adaptive', display: 'updates' };
    expect(words({ thinking })).toContain('thinking.adaptive.display: Input should be');
    expect(words({ thinking }, 'thinking-display-updates-2026-08-18')).toBeUndefined();
  });

  it('that nobody knows pass, unless the switch is on', () => {
    const headers = [['anthropic-beta', 'effort-2025-11-24,not-yet-2027-01-01']] as const;
    expect(judgeAnthropic(messagesBody(), headers)).toBeNull();
    const rules = { 'anthropic.unknown-beta': true };
    expect(judgeAnthropic(messagesBody(), headers, { rules })?.message).toBe(
      'Unexpected value(s) `not-yet-2027-01-01` for the `anthropic-beta` header. Please consult our documentation at docs.anthropic.com or try again without the header.',
    );
  });
});

describe('members that take one of a few words', () => {
  it.each([
    [{ tool_choice: { type: 'some' } }, "tool_choice.type: Input should be 'auto', 'any', 'tool' or 'none'"],
    [
      { output_config: { effort: 'most' } },
      "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'",
    ],
    [{ speed: 'slow' }, "speed: Input should be 'standard' or 'fast'"],
    [{ service_tier: 'flex' }, "service_tier: Input should be 'auto' or 'standard_only'"],
  ] as [JsonObject, string][])('refuse others: %j', (changes, message) => {
    expect(words(changes)).toBe(message);
  });

  it('refuse members of messages that nobody knows', () => {
    expect(words({ messages: [{ role: 'user', content: 'a', name: 'x' }] })).toBe(
      'messages.0.name: Extra inputs are not permitted',
    );
  });
});
