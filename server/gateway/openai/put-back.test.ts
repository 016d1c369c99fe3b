import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { itemsComposed } from '../compose/testing/composing.ts';
import { type HiddenItems, keysOf } from './put-back.ts';

type Json = Record<string, unknown>;

const user = (text: string): Json => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
});
const keys = (item: Json | undefined) =>
  item === undefined ? null : keysOf(Buffer.from(JSON.stringify(item)));

function restored(input: readonly Json[], kept: readonly HiddenItems[]): Json[] {
  return itemsComposed<{ input: Json[] }>({ model: 'm', input, stream: true }, { hidden: kept }).body.input;
}

/** An item of an answer: shown to the client, or a hidden call with its output. */
type Produced = { readonly hidden: boolean; readonly items: readonly Json[] };

/** What client and provider have of an answer, and what is kept of its hidden calls. */
function told(answer: readonly Produced[]): { client: Json[]; provider: Json[]; kept: HiddenItems[] } {
  const client: Json[] = [];
  const provider: Json[] = [];
  const kept: HiddenItems[] = [];
  for (const [index, { hidden, items }] of answer.entries()) {
    provider.push(...items);
    if (!hidden) client.push(...items);
    else {
      const next = answer.slice(index + 1).find((one) => !one.hidden)?.items[0];
      const sent = items.map((item) => JSON.stringify(item));
      kept.push({ id: `${index}`, after: keys(client.at(-1)), before: keys(next), needs: [], sent });
    }
  }
  // The client's own calls are answered by the client, behind the answer.
  const outputs = client
    .filter((item) => item.type === 'function_call')
    .map((item) => ({ type: 'function_call_output', call_id: item.call_id, output: 'x' }));
  return { client: [...client, ...outputs], provider: [...provider, ...outputs], kept };
}

let serial = 0;
const produced: fc.Arbitrary<Produced> = fc
  .constantFrom('message', 'reasoning', 'call', 'hidden')
  .map((kind) => {
    const n = serial++;
    if (kind === 'message')
      return { hidden: false, items: [{ type: 'message', id: `msg_${n}`, role: 'assistant', content: [] }] };
    if (kind === 'reasoning')
      return { hidden: false, items: [{ type: 'reasoning', id: `rs_${n}`, content: null }] };
    const pair = [
      { type: 'function_call', id: `fc_${n}`, call_id: `call_${n}`, name: kind, arguments: '{}' },
      { type: 'function_call_output', call_id: `call_${n}`, output: 'x' },
    ];
    return kind === 'hidden' ? { hidden: true, items: pair } : { hidden: false, items: pair.slice(0, 1) };
  });
const answers = fc.array(
  fc.array(produced, { minLength: 1, maxLength: 6 }).filter((answer) => answer.some((one) => !one.hidden)),
  { minLength: 1, maxLength: 4 },
);

test('whatever was said, each request upstream begins with the one before: history is never changed', () => {
  fc.assert(
    fc.property(answers, (list) => {
      const client: Json[] = [];
      const provider: Json[] = [];
      const kept: HiddenItems[] = [];
      for (const [index, answer] of list.entries()) {
        client.push(user(`go ${index}`));
        provider.push(user(`go ${index}`));
        expect(restored(client, kept)).toEqual(provider);
        const one = told(answer);
        client.push(...one.client);
        provider.push(...one.provider);
        kept.push(...one.kept);
      }
      expect(restored(client, kept)).toEqual(provider);
    }),
  );
});

describe('hidden calls', () => {
  const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'shell', arguments: '{}' };
  const hidden = [
    '{"type":"function_call","call_id":"call_h"}',
    '{"type":"function_call_output","call_id":"call_h"}',
  ];

  test('of an answer that is not in the request are not put back', () => {
    const kept = [{ id: '1', after: ['id msg_gone'], before: null, needs: [], sent: hidden }];
    expect(restored([user('a'), call], kept)).toEqual([user('a'), call]);
  });

  test('are found by the id of a call where an agent leaves the ids of items out', () => {
    const { id: _, ...bare } = call;
    const kept = [{ id: '1', after: null, before: keys(call), needs: [], sent: hidden }];
    expect(restored([user('a'), bare], kept)).toEqual([
      user('a'),
      ...hidden.map((json) => JSON.parse(json)),
      bare,
    ]);
  });

  test('are left out where an item is gone that one of their halves stands behind', () => {
    const message = { type: 'message', id: 'msg_1', role: 'assistant', content: [] };
    const needs = [keys(message) ?? []];
    const kept = [
      { id: '1', after: keys(call), before: keys(message), needs, sent: hidden.slice(0, 1) },
      { id: '2', after: keys(message), before: null, needs, sent: hidden.slice(1) },
    ];
    expect(restored([user('a'), call], kept)).toEqual([user('a'), call]);
    const [asked, answered] = hidden.map((json) => JSON.parse(json));
    expect(restored([call, message], kept)).toEqual([call, asked, message, answered]);
  });

  test('stand behind the call, never behind its output alone', () => {
    expect(keys({ type: 'function_call_output', call_id: 'call_1', output: '' })).toEqual([]);
  });
});
