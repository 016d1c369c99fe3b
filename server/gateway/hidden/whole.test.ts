import { describe, expect, test } from 'vitest';
import { wholeMessages } from '../anthropic/hidden-whole.ts';
import { wholeResponses } from '../openai/hidden-whole.ts';
import type { HiddenRound, HiddenWhole } from './types.ts';

const TOOL = 'context-mode-search';
type Json = Record<string, unknown>;

/** Sends answers through a join: what each was, and what the client has in the end. */
function joined(join: HiddenWhole, answers: readonly Json[]): { client: Json; rounds: HiddenRound[] } {
  const taken = answers.map((answer) => join.take(Buffer.from(JSON.stringify(answer))));
  return {
    client: JSON.parse(taken.at(-1)?.client.toString() ?? '{}') as Json,
    rounds: taken.map(({ round }) => round),
  };
}

describe('whole answers of the Messages API', () => {
  const text = (words: string): Json => ({ type: 'text', text: words });
  const thinking: Json = { type: 'thinking', thinking: 'hm', signature: 'c2ln' };
  const ask: Json = { type: 'tool_use', id: 'toolu_1', name: TOOL, input: { q: 'x' } };
  const read: Json = { type: 'tool_use', id: 'toolu_2', name: 'Read', input: {} };
  const answer = (id: string, content: readonly Json[], stop: string): Json => ({
    id,
    model: 'm',
    content,
    stop_reason: stop,
    usage: { input_tokens: 10, output_tokens: 5 },
  });

  test('become one: the last one’s own with the first one’s id and all visible parts', () => {
    const { client, rounds } = joined(wholeMessages(TOOL), [
      answer('msg_1', [thinking, text('Looking.'), ask], 'tool_use'),
      answer('msg_2', [text('Found.')], 'end_turn'),
    ]);
    expect(client).toEqual(answer('msg_1', [thinking, text('Looking.'), text('Found.')], 'end_turn'));
    expect(rounds).toMatchObject([
      {
        outcome: 'continue',
        calls: [{ id: 'toolu_1', input: '{"q":"x"}' }],
        reasoning: 1,
        position: 1,
        providerId: 'msg_1',
      },
      { outcome: 'whole', position: 2, providerId: 'msg_2' },
    ]);
    expect(
      rounds.map(({ model, stopReason, usage }) => [model, stopReason, usage?.input, usage?.output]),
    ).toEqual([
      ['m', 'tool_use', 10, 5],
      ['m', 'end_turn', 10, 5],
    ]);
  });

  test('that call the client’s tools too end there, ours left out', () => {
    const { client, rounds } = joined(wholeMessages(TOOL), [answer('msg_1', [ask, read], 'tool_use')]);
    expect(client).toEqual(answer('msg_1', [read], 'tool_use'));
    expect(rounds[0]?.outcome).toBe('mixed');
  });

  test('stay the very same bytes without a call of ours, also where they are no answers', () => {
    for (const body of [
      '{"id": "msg_1",  "content": [], "stop_reason": "end_turn"}',
      '{"error":1}',
      'no json',
    ]) {
      expect(wholeMessages(TOOL).take(Buffer.from(body)).client.toString()).toBe(body);
    }
  });
});

describe('whole answers of the Responses API', () => {
  const said = (id: string): Json => ({ type: 'message', id, role: 'assistant', content: [] });
  const ask: Json = {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_1',
    name: TOOL,
    arguments: '{"q":"x"}',
  };
  const shell: Json = { ...ask, call_id: 'call_2', name: 'shell' };
  const answer = (id: string, output: readonly Json[], status = 'completed'): Json => ({
    id,
    status,
    output,
  });

  test('become one: the last one’s own with the first one’s id and all visible items', () => {
    const { client, rounds } = joined(wholeResponses(TOOL), [
      answer('resp_1', [{ type: 'reasoning', id: 'rs_1' }, ask]),
      answer('resp_2', [said('msg_2')]),
    ]);
    expect(client).toEqual(answer('resp_1', [{ type: 'reasoning', id: 'rs_1' }, said('msg_2')]));
    expect(rounds).toMatchObject([
      { outcome: 'continue', calls: [{ id: 'call_1', input: '{"q":"x"}' }], reasoning: 1, position: 0 },
      { outcome: 'whole' },
    ]);
  });

  test('that call the client’s tools too, or are incomplete, end there, ours left out', () => {
    expect(joined(wholeResponses(TOOL), [answer('resp_1', [ask, shell])])).toMatchObject({
      client: answer('resp_1', [shell]),
      rounds: [{ outcome: 'mixed' }],
    });
    expect(joined(wholeResponses(TOOL), [answer('resp_1', [said('m'), ask], 'incomplete')])).toMatchObject({
      client: answer('resp_1', [said('m')], 'incomplete'),
      rounds: [{ outcome: 'whole' }],
    });
  });
});
