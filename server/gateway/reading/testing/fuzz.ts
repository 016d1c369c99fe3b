import { ok } from 'node:assert/strict';
import fc from 'fast-check';
import { canonicalText, type Message, readJson } from '../../../conversation/index.ts';
import type { ProtocolAdapter } from '../../adapter.ts';
import { anthropicAdapter } from '../../anthropic/index.ts';
import { openaiAdapter } from '../../openai/index.ts';
import { fuzzedAnswer, fuzzedBody } from './bodies.ts';
import { headOf } from './recorded.ts';

/** How many bodies, made from which seed. The same seed makes the same bodies. */
export interface FuzzRun {
  readonly protocol: ProtocolAdapter['protocol'];
  readonly count: number;
  readonly seed: number;
}

const ADAPTERS = { anthropic: anthropicAdapter, openai: openaiAdapter };

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

/** `ok` in place of `expect`, since a run checks a million things. */
function checkSound(message: Message): void {
  ok(message.canonical instanceof Uint8Array);
  ok(message.items.length > 0);
  for (const item of message.items) {
    ok(typeof item.text === 'string');
    ok((item.mainInput?.length ?? 0) <= 500);
    ok((item.tool === null) === (item.kind !== 'tool_call' && item.kind !== 'tool_result'));
  }
}

/**
 * Reads made-up requests: nothing throws, every slice lies inside the body, in order and apart from the others.
 * @returns how many elements were read
 * @throws with the smallest body that breaks it
 */
export function fuzzRequests({ protocol, count, seed }: FuzzRun): number {
  const adapter = ADAPTERS[protocol];
  const target = fc.constantFrom(...TARGETS[protocol]);
  let elements = 0;
  fc.assert(
    fc.property(fuzzedBody[protocol], headers, target, (body, given, path) => {
      const read = adapter.readRequest(headOf(protocol, 'POST', path, given), body);
      let at = 0;
      for (const { start, end } of read?.elements ?? []) {
        ok(start >= at && end > start && end <= body.length);
        checkSound(adapter.parseMessage(body.subarray(start, end)));
        elements++;
        at = end;
      }
      for (const { slice } of read?.preamble ?? []) ok(slice.end > slice.start && slice.end <= body.length);
      checkSound(adapter.parseMessage(body));
    }),
    { numRuns: count, seed },
  );
  return elements;
}

/**
 * Reads made-up answers: nothing throws, and none with an error is complete.
 * @returns how many messages were read
 * @throws with the smallest answer that breaks it
 */
export function fuzzAnswers({ protocol, count, seed }: FuzzRun): number {
  const adapter = ADAPTERS[protocol];
  const type = fc.constantFrom('text/event-stream', 'application/json');
  let messages = 0;
  fc.assert(
    fc.property(fuzzedAnswer[protocol], fc.constantFrom(200, 400, 529), type, (body, status, contentType) => {
      const answer = adapter.readAnswer(status, contentType, body);
      for (const message of answer.messages) checkSound(message);
      messages += answer.messages.length;
      ok(status === 200 || answer.error !== null);
      ok(answer.error === null || !answer.complete);
      for (const value of Object.values(answer.usage ?? {})) {
        ok(value === null || (Number.isSafeInteger(value) && value >= 0));
      }
    }),
    { numRuns: count, seed },
  );
  return messages;
}

/**
 * Names made-up messages again with their keys in another order, other whitespace and other escapes: the same names.
 * @returns how many were named
 * @throws with the smallest body that breaks it
 */
export function fuzzNames({ protocol, count, seed }: FuzzRun): number {
  const adapter = ADAPTERS[protocol];
  let named = 0;
  fc.assert(
    fc.property(fuzzedBody[protocol], (body) => {
      const read = adapter.readRequest(headOf(protocol, 'POST', TARGETS[protocol][0] ?? ''), body);
      for (const { start, end } of read?.elements ?? []) {
        const element = body.subarray(start, end);
        const node = readJson(element);
        if (node === null) continue;
        const message = adapter.parseMessage(element);
        const again = adapter.parseMessage(Buffer.from(` ${canonicalText(node)}\n`));
        ok(Buffer.from(again.canonical).equals(message.canonical));
        ok(again.transparent === message.transparent && again.role === message.role);
        named++;
      }
    }),
    { numRuns: count, seed },
  );
  return named;
}
