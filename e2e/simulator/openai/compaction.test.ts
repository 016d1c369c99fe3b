import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asObject, asObjects, type JsonObject } from '../json.ts';
import { judgeOpenai } from '../judge.ts';
import { type Simulator, startSimulator } from '../simulator.ts';
import { errorMessage, post, postResponses, type Reply, responsesBody, userItem } from '../testing.ts';

const LONG = 'word '.repeat(20_000);
let simulator: Simulator;
beforeEach(async () => {
  simulator = await startSimulator();
});
afterEach(() => simulator.stop());

const send = (input: JsonObject[], changes: JsonObject = {}) =>
  postResponses(simulator, responsesBody({ input, ...changes }));
const types = (reply: Reply) => asObjects(reply.json.output).map((item) => item.type);
const inputTokens = (reply: Reply) => Number(asObject(reply.json.usage)?.input_tokens);

describe('compaction above a threshold', () => {
  const threshold = { context_management: [{ type: 'compaction', compact_threshold: 10_000 }] };

  it('begins the answer with a compaction item, and streams its event', async () => {
    expect(types(await send([userItem(LONG)], threshold))).toEqual(['compaction', 'message']);
    expect(types(await send([userItem('short')], threshold))).toEqual(['message']);
    const { events } = await send([userItem(LONG)], { ...threshold, stream: true });
    const names = events.map((event) => event.name);
    expect(names.indexOf('response.compaction.compacting')).toBe(
      names.indexOf('response.output_item.added') + 1,
    );
  });

  it('takes what it stands for out of the prompt, whether the client still sends it or not', async () => {
    const first = await send([userItem(LONG)], threshold);
    const output = asObjects(first.json.output);
    simulator.script.add((turn) => ({ steps: [{ say: turn.text().includes(LONG) ? 'seen' : 'unseen' }] }));
    const whole = await send([userItem(LONG), ...output, userItem('more')], threshold);
    const cut = await send([...output, userItem('more')], threshold);
    for (const reply of [whole, cut]) {
      expect(types(reply)).toEqual(['message']);
      expect(asObjects(asObjects(reply.json.output)[0]?.content)[0]?.text).toBe('unseen');
      expect(inputTokens(reply)).toBeLessThan(2_000);
    }
  });

  it('lets the model read the summary', async () => {
    const output = asObjects((await send([userItem(`${LONG} the end`)], threshold)).json.output);
    simulator.script.add((turn) => ({
      steps: [{ say: turn.text().includes('Last request: word word') ? 'read' : 'lost' }],
    }));
    const reply = await send([...output, userItem('more')], threshold);
    expect(asObjects(asObjects(reply.json.output)[0]?.content)[0]?.text).toBe('read');
  });

  it('takes no other kinds of management', () => {
    const other = responsesBody({ context_management: [{ type: 'clear' }] });
    expect(judgeOpenai(other)).toMatchObject({ param: 'context_management[0].type', code: 'invalid_value' });
  });
});

describe('a compacted window', () => {
  it('is passed whole at the start of the input, unless the switch is off', async () => {
    const body = responsesBody({ input: [userItem('one'), userItem('two')] });
    const made = await post(`${simulator.url}/v1/responses/compact`, body, {
      authorization: 'Bearer test-key',
    });
    const window = asObjects(made.json.output);
    expect(window.map((item) => item.type)).toEqual(['message', 'message', 'compaction']);
    expect((await send([...window, userItem('more')])).status).toBe(200);
    const pruned = [...window.slice(1), userItem('more')];
    expect(errorMessage(await send(pruned))).toContain('The compacted window was changed');
    expect((await send([userItem('before'), ...window])).status).toBe(400);
    simulator.settings.rules = { ...simulator.settings.rules, 'openai.compacted-window-whole': false };
    expect((await send(pruned)).status).toBe(200);
  });

  it('is made only of a valid input', async () => {
    const headers = { authorization: 'Bearer test-key' };
    for (const path of ['compact', 'input_tokens']) {
      const orphan = { type: 'function_call_output', call_id: 'call_1', output: 'x' };
      const url = `${simulator.url}/v1/responses/${path}`;
      const reply = await post(url, responsesBody({ input: [orphan] }), headers);
      expect(errorMessage(reply)).toBe('No tool call found for function call output with call_id call_1.');
    }
  });
});

describe('a compaction trigger', () => {
  it('is the last item', () => {
    const input = [userItem('a'), { type: 'compaction_trigger' }, userItem('b')];
    expect(judgeOpenai(responsesBody({ input }))?.message).toContain('must be the final input item');
  });
});
