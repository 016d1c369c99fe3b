import { describe, expect, test } from 'vitest';
import type { Uuid } from '../../kernel/ids.ts';
import { RETRIEVAL_TOOL, retrievalToolJson } from '../../recall/index.ts';
import { messagesAnswer } from '../anthropic/hidden-rounds.ts';
import { clientRequest, messagesComposed } from '../compose/testing/composing.ts';
import type { AnswerSoFar } from '../hidden/rounds.ts';
import { itemsAnswer } from '../openai/hidden-rounds.ts';
import { type FirstRequest, followUp } from './follow-up.ts';

const ID = '00000000-0000-7000-8000-000000000009' as Uuid;
const BODY = {
  model: 'm',
  tools: [{ name: 'Read', input_schema: {} }],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }],
  max_tokens: 5,
};

function first(headers: readonly string[] = [], value: unknown = BODY): FirstRequest {
  const { body } = clientRequest('messages', value);
  const { composed } = messagesComposed(value, { tool: retrievalToolJson('anthropic') });
  return {
    protocol: 'anthropic',
    request: {
      door: 'anthropic',
      method: 'POST',
      path: '/v1/messages?beta=true',
      headers: ['Host', 'h', 'Content-Length', '1', ...headers],
      body: composed.body,
    },
    client: body,
    named: composed.named,
    latestThinking: 'untouched-or-none',
    window: null,
    estimate: () => 0,
  };
}

const call = JSON.stringify({ type: 'tool_use', id: 'toolu_1', name: RETRIEVAL_TOOL, input: { q: 'x' } });
function answered(input = '{"q":"x"}', parts: readonly string[] = [call]): AnswerSoFar {
  const calls = [{ id: 'toolu_1', input, result: '"found"', documents: [] }];
  const answer = messagesAnswer(ID, '').withRound({ parts, calls, mixed: false });
  if (answer === null) throw new Error('the round does not fit');
  return answer;
}

function requestOf(followed: ReturnType<typeof followUp>) {
  if ('refused' in followed) throw new Error(followed.refused);
  return followed.request;
}

describe('a follow-up', () => {
  test('is the first request with the rounds behind its conversation, and every other byte as it was', () => {
    const before = first();
    const { body, headers, path } = requestOf(followUp(before, answered(), []));
    const sent = before.request.body.toString();
    const [front, behind] = sent.split('}],"max_tokens"');
    expect(body.toString()).toBe(
      `${front}},{"role":"assistant","content":[${call}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"found"}]}],"max_tokens"${behind}`,
    );
    expect(headers).toEqual(['Host', 'h', 'Content-Length', String(body.byteLength)]);
    expect(path).toBe('/v1/messages?beta=true');
  });

  test('takes the turn state of the answer before, in the place of an older one', () => {
    const state = ['X-Codex-Turn-State', 'new'];
    const kept = requestOf(followUp(first(['x-codex-turn-state', 'old']), answered(), [])).headers;
    expect(kept.slice(4)).toEqual(['x-codex-turn-state', 'old']);
    const older = ['x-codex-turn-state', 'old', 'a', 'b', 'X-Codex-Turn-State', 'older'];
    const replaced = requestOf(followUp(first(older), answered(), state)).headers;
    expect(replaced.slice(4)).toEqual(['x-codex-turn-state', 'new', 'a', 'b']);
    const added = requestOf(followUp(first(['a', 'b']), answered(), state)).headers;
    expect(added.slice(4)).toEqual(['a', 'b', 'x-codex-turn-state', 'new']);
  });

  test('that breaks a rule is not made, and says which', () => {
    const broken = answered('{"q":"x"}', [
      call,
      '{"type":"tool_use","id":"toolu_2","name":"Read","input":{}}',
    ]);
    expect(followUp(first(), broken, [])).toEqual({ refused: expect.stringContaining('tool-pair') });
    const noList = { ...first(), client: Buffer.from('{"messages":"go"}') };
    expect(followUp(noList, answered(), [])).toEqual({ refused: 'The conversation is no list.' });
  });
});

describe('our call as it is sent on', () => {
  test('has an object as its input on the Messages API, whatever the model wrote', () => {
    for (const input of ['[1]', '"x"', '{"q":', '']) {
      expect(answered(input).sent[0]).toContain('"input":{}');
    }
    expect(answered('{"q": "\\u0041"}').sent[0]).toContain('"input":{"q": "\\u0041"}');
  });

  test('and a text on Responses, with the item’s id and nothing that only an answer has', () => {
    const item = {
      ...{ type: 'function_call', id: 'fc_1', call_id: 'call_1', name: RETRIEVAL_TOOL },
      ...{ arguments: '{"q":"secret"}', status: 'completed', namespace: null },
    };
    const calls = [{ id: 'call_1', input: '{"q":"masked"}', result: '"found"', documents: [] }];
    const parts = ['{"type":"reasoning","id":"rs_1","summary":[]}', JSON.stringify(item)];
    const answer = itemsAnswer(() => ID, 'codex').withRound({ parts, calls, mixed: false });
    expect(answer?.sent).toEqual([
      '{"type":"reasoning","id":"rs_1","summary":[],"content":null}',
      `{"type":"function_call","id":"fc_1","call_id":"call_1","name":"${RETRIEVAL_TOOL}","arguments":"{\\"q\\":\\"masked\\"}"}`,
      '{"type":"function_call_output","call_id":"call_1","output":"found"}',
    ]);
    expect(itemsAnswer(() => ID, 'pi').withRound({ parts, calls, mixed: false })?.sent[0]).toBe(parts[0]);
  });

  test('is none where parts and calls do not fit together', () => {
    for (const answer of [messagesAnswer(ID, ''), itemsAnswer(() => ID, 'codex')]) {
      expect(answer.withRound({ parts: [call], calls: [], mixed: false })).toBeNull();
      expect(answer.withRound({ parts: [], calls: [], mixed: false })).toBeNull();
    }
  });
});

describe('what is kept of a round', () => {
  test('counts what the client will send again: blank texts are none of it', () => {
    const parts = ['{"type":"text","text":" \\n"}', '{"type":"text","text":"Looking."}', call];
    const [record] = answered('{}', parts).records(true);
    expect(record?.data).toMatchObject({ open: true, places: [{ reasoning: 0, position: 1 }] });
    expect(answered('{}', parts).sent[0]).not.toContain('" \\n"');
  });

  test('names the documents that its answers show, for all of its halves', () => {
    const ours = (id: string) =>
      JSON.stringify({ type: 'function_call', id, call_id: id, name: RETRIEVAL_TOOL });
    const message = '{"type":"message","id":"msg_1","role":"assistant","content":[]}';
    const calls = ['a', 'b'].map((id) => ({ id, input: '{}', result: '""', documents: [`d${id}` as never] }));
    let ids = 0;
    const answer = itemsAnswer(() => `${ids++}` as Uuid, 'codex').withRound({
      parts: [ours('a'), message, ours('b')],
      calls,
      mixed: false,
    });
    expect(answer?.records(true)).toMatchObject([
      {
        id: '0',
        documents: ['da', 'db'],
        data: { after: null, before: ['id msg_1'], needs: [['id msg_1']] },
      },
      {
        id: '1',
        documents: ['da', 'db'],
        data: { after: ['id msg_1'], before: null, needs: [['id msg_1']] },
      },
    ]);
  });
});
