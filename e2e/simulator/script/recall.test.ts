import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asObjects, type JsonObject } from '../json.ts';
import { startSimulator } from '../simulator.ts';
import { messagesBody, postMessages, postResponses, responsesBody, userItem } from '../testing.ts';
import { queryWords, recallPart } from './recall.ts';
import type { Turn } from './types.ts';

const QUESTION = 'Which port did we choose for the export service?';
const FORM = 'port (\\d{4})';

function turn(changes: Partial<Turn> & { readonly lines?: readonly string[] } = {}): Turn {
  const { lines = [], ...rest } = changes;
  return {
    protocol: 'anthropic',
    kind: 'main',
    model: 'm',
    prompt: QUESTION,
    round: 0,
    results: [],
    tools: [{ name: 'find', namespace: undefined, kind: 'function' }],
    cwd: '',
    text: () => [...lines, QUESTION].join('\n'),
    typed: [QUESTION],
    body: {},
    ...rest,
  };
}

const ask = (changes: object = {}) => ({
  recall: { tool: 'find', form: FORM, by: 'q' as const, ...changes },
});
const results = (...texts: string[]) => [texts.map((text) => ({ callId: 'c', text, isError: false }))];
const text = (value: string) => ({ kind: 'text', chunks: [value] });

describe('a recall step', () => {
  it('asks with words of the question and no others', () => {
    expect(recallPart(ask(), turn())).toMatchObject({
      kind: 'call',
      name: 'find',
      input: { q: 'port choose export service' },
    });
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (question) => {
        for (const word of queryWords(question)) expect(question).toContain(word);
      }),
    );
  });

  it('answers at once from a line of the prompt that is about the question, the latest of the nearest', () => {
    const lines = [
      'The export service listens on port 4001, we choose later.',
      'We choose for the export service: port 4007.',
      'The proxy has port 9999.',
    ];
    expect(recallPart(ask(), turn({ lines }))).toEqual(text('4007'));
    expect(recallPart(ask(), turn({ lines: lines.slice(2) }))).toMatchObject({ kind: 'call' });
    expect(recallPart(ask({ shared: 0 }), turn({ lines }))).toMatchObject({ kind: 'call' });
  });

  it('takes the first hit that has the form, and nothing but what this call gave', () => {
    const fetched = results('1. no number here\n2. port 4100 of old\n3. port 4200');
    expect(recallPart(ask(), turn({ results: fetched }))).toEqual(text('4100'));
    const lines = ['We choose for the export service: port 4007.'];
    expect(recallPart(ask(), turn({ results: results('nothing'), lines }))).toEqual(text('I do not know.'));
  });

  it('tries again with fewer words, so often and no more', () => {
    const twice = ask({ tries: 2, otherwise: 'no' });
    expect(recallPart(twice, turn({ results: results('x') }))).toMatchObject({
      input: { q: 'port choose export' },
    });
    const both = [...results('x'), ...results('y')];
    expect(recallPart(twice, turn({ results: both }))).toEqual(text('no'));
  });

  it('reads by a docid that stands in the prompt, from the line nearest to the question', () => {
    const lines = [
      'context-mode-msg-aaaa01: the colour of the button',
      'context-mode-msg-bbbb02: the port of the export service',
    ];
    const step = ask({ by: 'docid', tries: 2 });
    expect(recallPart(step, turn({ lines }))).toMatchObject({ input: { docid: 'context-mode-msg-bbbb02' } });
    expect(recallPart(step, turn({ lines, results: results('x') }))).toMatchObject({
      input: { docid: 'context-mode-msg-aaaa01' },
    });
    expect(recallPart(step, turn())).toEqual(text('I do not know.'));
  });

  it('asks in one request and answers from what it was given in the next, on both protocols', async () => {
    const rounds = [{ steps: [ask({ say: 'It is {{value}}.' })] }];
    const simulator = await startSimulator({
      scenarios: [{ id: 'q', when: { startsWith: 'Which port' }, rounds }],
    });
    const tools = [{ name: 'find', input_schema: {} }];
    const messages: JsonObject[] = [{ role: 'user', content: QUESTION }];
    const first = await postMessages(simulator, messagesBody({ tools, messages }));
    const [call] = asObjects(first.json.content);
    expect(call).toMatchObject({
      type: 'tool_use',
      name: 'find',
      input: { q: 'port choose export service' },
    });
    messages.push(
      { role: 'assistant', content: [call ?? {}] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: call?.id ?? '', content: 'port 4100' }] },
    );
    const second = await postMessages(simulator, messagesBody({ tools, messages }));
    expect(asObjects(second.json.content)).toEqual([{ type: 'text', text: 'It is 4100.' }]);

    const functions = [{ type: 'function', name: 'find', parameters: {} }];
    const input = [userItem(QUESTION)];
    const asked = await postResponses(simulator, responsesBody({ tools: functions, input }));
    const [item] = asObjects(asked.json.output);
    expect(item).toMatchObject({ type: 'function_call', arguments: '{"q":"port choose export service"}' });
    const output = { type: 'function_call_output', call_id: item?.call_id ?? '', output: 'port 4100' };
    const body = responsesBody({ tools: functions, input: [...input, item ?? {}, output] });
    const [answer] = asObjects((await postResponses(simulator, body)).json.output);
    expect(asObjects(answer?.content)[0]?.text).toBe('It is 4100.');
    await simulator.stop();
  });
});

describe('a search step', () => {
  it('finds deferred tools and loads them, in each provider’s own shape', async () => {
    const steps = [{ search: 'weather' }, { call: 'Weather', input: {} }];
    const simulator = await startSimulator({ scenarios: [{ id: 's', when: {}, rounds: [{ steps }] }] });
    const weather = { name: 'Weather', defer_loading: true };
    const hosted = { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' };
    const tools = [hosted, { ...weather, input_schema: {} }];
    const { json } = await postMessages(simulator, messagesBody({ tools }));
    const content = asObjects(json.content);
    expect(content.map((block) => block.type)).toEqual([
      'server_tool_use',
      'tool_search_tool_result',
      'tool_use',
    ]);
    const messages = [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: content[2]?.id ?? '' }] },
    ];
    expect((await postMessages(simulator, messagesBody({ tools, messages }))).status).toBe(200);

    const functions = [{ type: 'tool_search' }, { type: 'function', ...weather, parameters: {} }];
    const reply = await postResponses(simulator, responsesBody({ tools: functions }));
    const output = asObjects(reply.json.output);
    expect(output.map((item) => item.type)).toEqual([
      'tool_search_call',
      'tool_search_output',
      'function_call',
    ]);
    const result = { type: 'function_call_output', call_id: output[2]?.call_id ?? '', output: 'sun' };
    const input = [userItem('hello'), ...output, result];
    expect((await postResponses(simulator, responsesBody({ tools: functions, input }))).status).toBe(200);
    const unloaded = [userItem('hello'), output[2] ?? {}, result];
    const refused = await postResponses(simulator, responsesBody({ tools: functions, input: unloaded }));
    expect(refused.text).toContain('before a tool search loaded it');
    await simulator.stop();
  });
});
