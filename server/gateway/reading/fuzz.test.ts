import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../conversation/index.ts';
import type { ProtocolAdapter } from '../adapter.ts';
import { anthropicAdapter } from '../anthropic/index.ts';
import { openaiAdapter } from '../openai/index.ts';
import { fuzzedAnswer, fuzzedBody } from './testing/bodies.ts';
import { headOf } from './testing/recorded.ts';

/** Bodies per protocol; more by hand or by the fuzz command. The seed makes a run of the test command repeatable. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 2000);
const SEED = Number(process.env.FUZZ_SEED ?? 20261130);

const TARGETS: Readonly<Record<ProtocolAdapter['protocol'], readonly string[]>> = {
  anthropic: ['/v1/messages?beta=true', '/v1/messages/count_tokens', '/v1/models'],
  openai: ['/v1/responses', '/v1/responses/compact', '/v1/chat/completions'],
};
const headers = fc.constantFrom<Record<string, string>>(
  {},
  { 'user-agent': 'claude-cli/2.1.197 (external, cli)', 'x-claude-code-session-id': 's' },
  { 'user-agent': 'codex_exec/0.171.0', 'session-id': 's', 'x-codex-turn-metadata': '{"workspaces":7' },
  { 'user-agent': 'opencode/1.18.33', 'x-session-id': 'ses_1', 'x-parent-session-id': 'ses_0' },
);

function expectSound(message: Message): void {
  expect(message.canonical).toBeInstanceOf(Uint8Array);
  expect(message.items.length).toBeGreaterThan(0);
  for (const item of message.items) {
    expect(typeof item.text).toBe('string');
    expect(item.mainInput?.length ?? 0).toBeLessThanOrEqual(500);
    expect(item.tool === null).toBe(item.kind !== 'tool_call' && item.kind !== 'tool_result');
  }
}

describe.each([anthropicAdapter, openaiAdapter])('$protocol', (adapter) => {
  it('reads any body: nothing throws, every slice lies inside, in order and apart from the others', () => {
    const { protocol } = adapter;
    let elements = 0;
    fc.assert(
      fc.property(
        fuzzedBody[protocol],
        headers,
        fc.constantFrom(...TARGETS[protocol]),
        (body, given, target) => {
          const read = adapter.readRequest(headOf(protocol, 'POST', target, given), body);
          let at = 0;
          for (const { start, end } of read?.elements ?? []) {
            elements++;
            expect(start).toBeGreaterThanOrEqual(at);
            expect(end).toBeGreaterThan(start);
            expect(end).toBeLessThanOrEqual(body.length);
            expectSound(adapter.parseMessage(body.subarray(start, end)));
            at = end;
          }
          for (const { slice } of read?.preamble ?? []) {
            expect(slice.end).toBeLessThanOrEqual(body.length);
            expect(slice.end).toBeGreaterThan(slice.start);
          }
          expectSound(adapter.parseMessage(body));
        },
      ),
      { numRuns: RUNS, seed: SEED },
    );
    expect(elements).toBeGreaterThan(RUNS);
  });

  it('reads any answer: nothing throws, and only a whole one is complete', () => {
    const { protocol } = adapter;
    let messages = 0;
    fc.assert(
      fc.property(
        fuzzedAnswer[protocol],
        fc.constantFrom(200, 400, 529),
        fc.boolean(),
        (body, status, isStream) => {
          const answer = adapter.readAnswer(
            status,
            isStream ? 'text/event-stream' : 'application/json',
            body,
          );
          for (const message of answer.messages) expectSound(message);
          messages += answer.messages.length;
          if (status !== 200) expect(answer.error).not.toBeNull();
          if (answer.error !== null) expect(answer.complete).toBe(false);
          for (const count of Object.values(answer.usage ?? {})) {
            if (count !== null) expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
          }
        },
      ),
      { numRuns: RUNS, seed: SEED },
    );
    expect(messages).toBeGreaterThan(RUNS / 10);
  });

  it('names a message the same when it is written in another way, and never by where it stood', () => {
    const { protocol } = adapter;
    fc.assert(
      fc.property(fuzzedBody[protocol], (body) => {
        const read = adapter.readRequest(headOf(protocol, 'POST', TARGETS[protocol][0] ?? '', {}), body);
        for (const { start, end } of read?.elements ?? []) {
          const element = body.subarray(start, end);
          const message = adapter.parseMessage(element);
          if (message.role === 'unknown') continue;
          const rewritten = Buffer.from(JSON.stringify(JSON.parse(element.toString('utf8')), null, 2));
          const again = adapter.parseMessage(rewritten);
          // JSON.stringify writes numbers in its own way and drops duplicate keys; these are told apart on purpose.
          if (/[0-9]/.test(element.toString('utf8'))) continue;
          expect(Buffer.from(again.canonical).equals(message.canonical)).toBe(true);
          expect(again.transparent).toBe(message.transparent);
        }
      }),
      { numRuns: RUNS / 4, seed: SEED },
    );
  });
});
