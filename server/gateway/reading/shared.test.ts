import { expect, it } from 'vitest';
import type { Message } from '../../conversation/index.ts';
import { anthropicAdapter } from '../anthropic/index.ts';
import { openaiAdapter } from '../openai/index.ts';
import { exchangesOf } from './testing/recorded.ts';

it.each([
  ['claude-code/opus-image', anthropicAdapter],
  ['codex/builtin-session', openaiAdapter],
] as const)('%s is read from shared memory as from any other', (name, adapter) => {
  for (const { head, body, status, contentType, answer } of exchangesOf(name)) {
    const shared = shareOf(body);
    const read = adapter.readRequest(head, shared);
    expect(read).toEqual(adapter.readRequest(head, body));
    for (const { start, end } of read?.elements ?? []) {
      const [one, other] = [shared, body].map((bytes) => adapter.parseMessage(bytes.subarray(start, end)));
      expect(inText(one)).toBe(inText(other));
    }
    expect(adapter.readAnswer(status, contentType, shareOf(answer))).toEqual(
      adapter.readAnswer(status, contentType, answer),
    );
  }
});

/** A message as one text, bytes as base64 (comparing these byte by byte is slow). */
function inText(message: Message | undefined): string {
  return JSON.stringify(message, (_, value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
  );
}

function shareOf(bytes: Uint8Array): Uint8Array {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length + 1), 1);
  shared.set(bytes);
  return shared;
}
