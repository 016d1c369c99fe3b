import { expect, test } from 'vitest';
import { anthropicAdapter } from '../anthropic/index.ts';
import { outlinesIn } from '../validator/index.ts';
import { type Conversation, readConversation } from './conversation.ts';

const KEY = new Uint8Array(32).fill(1);
const HEAD = {
  door: 'anthropic' as const,
  method: 'POST',
  target: '/v1/messages',
  path: '/v1/messages',
  headers: new Map<string, string>(),
};

/** A body of so many rounds of 20 KB. */
function bodyOf(rounds: number): Buffer {
  const messages = Array.from({ length: rounds }, (_, round) => [
    { role: 'user', content: `Question ${round}: ${'word '.repeat(4_000)}` },
    { role: 'assistant', content: [{ type: 'text', text: `Answer ${round}.` }] },
  ]).flat();
  return Buffer.from(JSON.stringify({ model: 'claude-opus-4-8', max_tokens: 1, messages }));
}

async function read(body: Buffer, before: Conversation | null): Promise<Conversation> {
  const request = anthropicAdapter.readRequest(HEAD, body);
  if (request === null) throw new Error('not read');
  const conversation = await readConversation(KEY, anthropicAdapter, request, body, before);
  expect(conversation.outlines).toEqual(outlinesIn(body, request.elements));
  return conversation;
}

test('outlines that are made in steps are those that are made at once, for a new request and for one that goes on', async () => {
  const first = await read(bodyOf(220), null);
  expect(first.body.byteLength).toBeGreaterThan(4 * 1024 * 1024);
  await read(bodyOf(250), first);
});
