import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HiddenRound } from '../hidden/types.ts';
import { dataOf, readEvents, recordOf } from '../reading/events.ts';
import { readAnswer } from './answer.ts';
import { hiddenResponses } from './hidden-stream.ts';

const TOOL = 'context-mode-search';

type Item =
  | { readonly type: 'message'; readonly id: string; readonly text: string }
  | { readonly type: 'reasoning'; readonly id: string }
  | {
      readonly type: 'function_call';
      readonly id: string;
      readonly name: string;
      readonly arguments: string;
    };

/** An item as the API lists it. */
function itemOf(item: Item): object {
  if (item.type === 'message') {
    const content = [{ type: 'output_text', text: item.text, annotations: [] }];
    return { type: 'message', id: item.id, status: 'completed', role: 'assistant', content };
  }
  if (item.type === 'reasoning')
    return { type: 'reasoning', id: item.id, summary: [], encrypted_content: 'Y2lwaGVy' };
  const { id, name, arguments: input } = item;
  return { type: 'function_call', id, call_id: `call_${id}`, name, arguments: input, status: 'completed' };
}

/** An upstream answer as its provider streams it. */
function streamOf(id: string, items: readonly Item[], end = 'response.completed'): string {
  let sequence = 0;
  const said = (type: string, data: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...data })}\n\n`;
  const response = {
    id,
    object: 'response',
    status: 'in_progress',
    model: 'gpt-5.4',
    output: [] as object[],
  };
  const parts = [said('response.created', { response }), said('response.in_progress', { response })];
  for (const [index, item] of items.entries()) {
    const listed = itemOf(item);
    parts.push(
      said('response.output_item.added', {
        output_index: index,
        item: { ...listed, content: [], arguments: '' },
      }),
    );
    if (item.type === 'function_call') {
      for (const delta of item.arguments) {
        parts.push(
          said('response.function_call_arguments.delta', { item_id: item.id, output_index: index, delta }),
        );
      }
    }
    if (item.type === 'message') {
      parts.push(
        said('response.output_text.delta', {
          item_id: item.id,
          output_index: index,
          content_index: 0,
          delta: item.text,
        }),
      );
    }
    parts.push(said('response.output_item.done', { output_index: index, item: listed }));
  }
  const usage = { input_tokens: 10, output_tokens: items.length, total_tokens: 10 + items.length };
  parts.push(said(end, { response: { ...response, status: 'completed', output: items.map(itemOf), usage } }));
  return parts.join('');
}

function through(answers: readonly string[], size: number): { client: string; rounds: HiddenRound[] } {
  const stream = hiddenResponses(TOOL);
  const client: Uint8Array[] = [];
  const rounds = answers.map((answer) => {
    const bytes = Buffer.from(answer);
    for (let at = 0; at < bytes.length; at += size)
      client.push(...stream.push(bytes.subarray(at, at + size)));
    const ended = stream.endRound();
    client.push(...ended.bytes);
    return ended.round;
  });
  return { client: Buffer.concat(client).toString(), rounds };
}

const say = (id: string, text: string): Item => ({ type: 'message', id, text });
const think = (id: string): Item => ({ type: 'reasoning', id });
const ours = (id: string, input = '{"q":"secret"}'): Item => ({
  type: 'function_call',
  id,
  name: TOOL,
  arguments: input,
});
const theirs = (id: string): Item => ({ type: 'function_call', id, name: 'shell', arguments: '{}' });

describe('a round of a hidden loop', () => {
  test('says what its answer cost and how it ended, as far as it came', () => {
    const answer = streamOf('resp_1', [think('rs_1'), ours('fc_1')]);
    for (let length = 0; length <= answer.length; length += 29) {
      const came = answer.slice(0, length);
      const { usage, stopReason, providerId, model } = readAnswer(
        200,
        'text/event-stream',
        Buffer.from(came.slice(0, came.lastIndexOf('\n\n') + 2)),
      );
      const [round, next] = through([came, streamOf('resp_2', [say('msg_2', 'x')])], 50).rounds;
      expect(round).toMatchObject({ usage, stopReason, providerId, model });
      expect(next).toMatchObject({ usage: { input: 10, output: 1 }, providerId: 'resp_2' });
    }
    expect(through([answer], 50).rounds[0]).toMatchObject({
      usage: { input: 10, output: 2 },
      stopReason: 'completed',
      providerId: 'resp_1',
      model: 'gpt-5.4',
    });
  });
});

describe('the client of a hidden loop', () => {
  test('gets one response of what the answers say, under the first one’s id, with the last one’s usage', () => {
    const first = streamOf('resp_1', [think('rs_1'), say('msg_1', 'Looking.'), ours('fc_1')]);
    const second = streamOf('resp_2', [think('rs_2'), say('msg_2', 'Found.')]);
    const { client, rounds } = through([first, second], 77);
    const read = readAnswer(200, 'text/event-stream', Buffer.from(client));
    expect(read).toMatchObject({ complete: true, providerId: 'resp_1', usage: { output: 2 } });
    const completed = [...readEvents(Buffer.from(client))].map(dataOf).at(-1);
    const visible = [think('rs_1'), say('msg_1', 'Looking.'), think('rs_2'), say('msg_2', 'Found.')];
    expect(recordOf(completed?.response)?.output).toEqual(visible.map(itemOf));
    expect(rounds).toMatchObject([
      { outcome: 'continue', calls: [{ id: 'call_fc_1', input: '{"q":"secret"}' }], position: 1 },
      { outcome: 'whole', calls: [] },
    ]);
    expect(rounds[0]?.parts.map((part) => JSON.parse(part).id)).toEqual(['rs_1', 'msg_1', 'fc_1']);
  });

  test('gets its own calls with the end of the answer, where the model called both', () => {
    const { client, rounds } = through([streamOf('resp_1', [ours('fc_1'), theirs('fc_2')])], 500);
    expect(rounds[0]).toMatchObject({ outcome: 'mixed', position: 1 });
    expect(client).not.toContain(TOOL);
    const completed = [...readEvents(Buffer.from(client))].map(dataOf).at(-1);
    expect(recordOf(completed?.response)?.output).toEqual([itemOf(theirs('fc_2'))]);
  });

  test('gets the end where the answer is incomplete, without a piece of our call', () => {
    const { client, rounds } = through(
      [streamOf('resp_1', [say('m', 'a'), ours('fc_1')], 'response.incomplete')],
      64,
    );
    expect(rounds[0]?.outcome).toBe('whole');
    expect(client).not.toContain('secret');
    expect(client).toContain('response.incomplete');
  });
});

let ids = 0;
const item: fc.Arbitrary<Item> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }).map((text) => say(`msg_${ids++}`, text)),
  fc.constant(null).map(() => think(`rs_${ids++}`)),
  fc.constant(null).map(() => ours(`fc_hidden_${ids++}`)),
);
const isOurs = (one: Item) => one.type === 'function_call';

test('whatever the answers hold and however they are cut, the client gets their visible items and nothing of ours', () => {
  const answers = fc.array(fc.array(item, { maxLength: 5 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(answers, fc.integer({ min: 1, max: 500 }), (lists, size) => {
      const rounds = lists.map((list, index) =>
        index === lists.length - 1
          ? list.filter((one) => !isOurs(one))
          : [...list, ours(`fc_hidden_${ids++}`)],
      );
      const { client } = through(
        rounds.map((list, index) => streamOf(`resp_${index}`, list)),
        size,
      );
      const events = [...readEvents(Buffer.from(client))].map(dataOf);
      expect(events.map((event) => event?.sequence_number)).toEqual(events.map((_, index) => index));
      const added = events.filter((event) => event?.type === 'response.output_item.added');
      expect(added.map((event) => event?.output_index)).toEqual(added.map((_, index) => index));
      const visible = rounds.flat().filter((one) => !isOurs(one));
      expect(recordOf(events.at(-1)?.response)?.output).toEqual(visible.map(itemOf));
      expect(events.filter((event) => event?.type === 'response.created')).toHaveLength(1);
      expect(client).not.toContain('fc_hidden');
      expect(client).not.toContain(TOOL);
    }),
  );
});

test('an answer without a call of ours reaches the client byte for byte, cut anywhere', () => {
  const plain = fc.array(item, { maxLength: 5 }).map((list) => list.filter((one) => !isOurs(one)));
  fc.assert(
    fc.property(plain, fc.integer({ min: 1, max: 400 }), fc.nat(4_000), (list, size, cut) => {
      const answer = streamOf('resp_1', list);
      expect(through([answer], size).client).toBe(answer);
      const broken = Buffer.from(answer).subarray(0, cut).toString('latin1');
      expect(through([broken], size).client).toBe(broken);
    }),
  );
});

test.each(['response.completed', 'response.incomplete', 'response.failed'])(
  'an answer that stands alone is the same bytes, also where %s has another id than its beginning',
  (end) => {
    const text = streamOf('resp_begun', [{ type: 'message', id: 'msg_1', text: 'Hello.' }], end);
    const last = text.lastIndexOf('resp_begun');
    const bytes = Buffer.from(`${text.slice(0, last)}resp_other${text.slice(last + 'resp_begun'.length)}`);
    const stream = hiddenResponses(TOOL);
    const passed = stream.push(bytes);
    expect(Buffer.concat([...passed, ...stream.endRound().bytes]).toString()).toBe(bytes.toString());
  },
);
