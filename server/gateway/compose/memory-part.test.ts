import { expect, test } from 'vitest';
import { anthropicAdapter } from '../anthropic/index.ts';
import { openaiAdapter } from '../openai/index.ts';
import { readConversation } from './conversation.ts';
import { memoryFor, placeOfMemory } from './memory-part.ts';
import { clientRequest } from './testing/composing.ts';
import type { RequestToCompose } from './types.ts';

const KEY = Buffer.alloc(32, 1);
const BLOCK = { text: 'BLOCK', facts: [] };

/** What a request with some typed words would get. */
async function memoryOf(more: {
  readonly thread?: string;
  readonly kind?: string;
  readonly memory?: boolean;
  readonly fails?: boolean;
  readonly messages?: readonly object[];
}) {
  const messages = more.messages ?? [{ role: 'user', content: 'where is production?' }];
  const { body, scan, elements } = clientRequest('messages', { model: 'm', messages });
  const read = { elements, scan, identity: { kind: more.kind ?? 'main', place: {}, agent: 'claude-code' } };
  const conversation = await readConversation(KEY, anthropicAdapter, read as never, body, null);
  const request = {
    accountId: 'a',
    adapter: anthropicAdapter,
    read,
    body,
    at: 0,
    memory: { name: { thread: more.thread ?? '' } },
  } as unknown as RequestToCompose;
  const asked: string[] = [];
  const facts = {
    hasFacts: async () => true,
    block: async (_account: unknown, _place: unknown, typed: string) => {
      asked.push(typed);
      if (more.fails) throw new Error('memory is away');
      return BLOCK;
    },
  };
  const choice = await memoryFor({ facts }, request, conversation, { memory: more.memory ?? true });
  return { memory: choice.memory, asked };
}

test('a conversation that begins gets what fits its typed words', async () => {
  expect(await memoryOf({})).toEqual({ memory: 'BLOCK', asked: ['where is production?'] });
});

test('a sub-agent, a request beside the turns, and who switched it off get none, and memory is not asked', async () => {
  for (const one of [{ thread: 'agent' }, { kind: 'subagent' }, { kind: 'title' }, { memory: false }])
    expect(await memoryOf(one)).toEqual({ memory: null, asked: [] });
});

test('where memory fails the conversation begins without', async () => {
  expect((await memoryOf({ fails: true })).memory).toBeNull();
});

test('on Messages the first message must be the typed one', async () => {
  const messages = [
    { role: 'assistant', content: 'hello' },
    { role: 'user', content: 'where is production?' },
  ];
  expect(await memoryOf({ messages })).toEqual({ memory: null, asked: [] });
});

test('on Responses it stands before the first typed item, behind a provider’s own compaction', async () => {
  const typed = (text: string) => ({
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text }],
  });
  const placeIn = async (...input: readonly object[]) => {
    const { body, scan, elements } = clientRequest('input', { model: 'm', input });
    const read = { elements, scan, identity: { agent: 'codex' } };
    const conversation = await readConversation(KEY, openaiAdapter, read as never, body, null);
    return placeOfMemory({ adapter: openaiAdapter, body }, conversation);
  };
  const developer = {
    type: 'message',
    role: 'developer',
    content: [{ type: 'input_text', text: 'You code.' }],
  };
  expect(await placeIn(developer, typed('hello'), typed('again'))).toBe(1);
  const compaction = { type: 'compaction', id: 'c', encrypted_content: 'x' };
  expect(await placeIn(typed('old'), compaction, typed('hello'))).toBe(2);
  expect(await placeIn(developer)).toBeNull();
});
