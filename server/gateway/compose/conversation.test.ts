import { expect, test } from 'vitest';
import { claudeTranscript } from '../../../e2e/bench/transcript.ts';
import { anthropicAdapter } from '../anthropic/index.ts';
import { outlinesIn } from '../validator/index.ts';
import { readConversation } from './conversation.ts';

const KEY = new Uint8Array(32).fill(1);

test('outlines that are made in steps are those that are made at once, for a new request and for one that goes on', async () => {
  const transcript = claudeTranscript({ messages: 400, bytes: 5_000_000, seed: 1 });
  const { path, headers } = transcript;
  const head = {
    door: 'anthropic' as const,
    method: 'POST',
    target: path,
    path,
    headers: new Map(Object.entries(headers)),
  };
  const read = async (before: Parameters<typeof readConversation>[4]) => {
    const body = Buffer.from(transcript.body());
    const request = anthropicAdapter.readRequest(head, body);
    if (request === null) throw new Error('not read');
    const conversation = await readConversation(KEY, anthropicAdapter, request, body, before);
    expect(conversation.outlines).toEqual(outlinesIn(body, request.elements));
    return conversation;
  };
  const first = await read(null);
  transcript.grow();
  await read(first);
});
