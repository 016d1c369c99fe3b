import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { messagesComposed } from '../compose/testing/composing.ts';
import { chainBehind, FIRST_CHAIN, type HiddenAnswer, type HiddenPlace } from '../hidden/answers.ts';
import { assistantParts } from './put-back.ts';

type Json = Record<string, unknown>;

/** A round of the model: what the client sees of it, and whether it called our tool. */
interface ModelRound {
  readonly visible: readonly Json[];
  readonly asks: boolean;
}

const text = (words: string): Json => ({ type: 'text', text: words });
const thinking = (words: string): Json => ({ type: 'thinking', thinking: words, signature: `sig-${words}` });
const call = (id: string): Json => ({ type: 'tool_use', id, name: 'Read', input: { file: id } });
const ourCall = (id: string): Json => ({
  type: 'tool_use',
  id,
  name: 'context-mode-search',
  input: { q: 'x' },
});
const result = (id: string): Json => ({ type: 'tool_result', tool_use_id: id, content: `of ${id}` });

/** A conversation as client and provider see it, with the records that a gateway would keep of it. */
class Conversation {
  readonly client: Json[] = [];
  readonly provider: Json[] = [];
  readonly kept: HiddenAnswer[] = [];
  #chain = FIRST_CHAIN;
  #ids = 0;

  ask(words: string): void {
    const message = { role: 'user', content: [...this.#pending(words)] };
    this.client.push(message);
    this.provider.push(message);
  }

  /** The model answers in rounds; the client gets one message. */
  answer(rounds: readonly ModelRound[]): void {
    const visible = rounds.flatMap((round) => round.visible);
    const places: HiddenPlace[] = [];
    let delivered: Json[] = [];
    for (const [index, round] of rounds.entries()) {
      delivered = [...delivered, ...round.visible];
      if (!round.asks || index === rounds.length - 1) {
        if (round.visible.length > 0) this.provider.push({ role: 'assistant', content: round.visible });
        continue;
      }
      const id = `toolu_hidden_${this.#ids++}`;
      const sent = [
        { role: 'assistant', content: [...round.visible, ourCall(id)] },
        { role: 'user', content: [result(id)] },
      ];
      this.provider.push(...sent);
      const reasoning = delivered.filter((part) => part.type === 'thinking').length;
      places.push({
        reasoning,
        position: delivered.length - reasoning,
        sent: sent.map((one) => JSON.stringify(one)),
      });
    }
    const message = { role: 'assistant', content: visible };
    const parts = assistantParts(Buffer.from(JSON.stringify(message))) ?? [];
    if (places.length > 0)
      this.kept.push({ id: `${this.#ids}`, chain: this.#chain, open: false, parts, places, mixed: null });
    this.#chain = chainBehind(this.#chain, parts);
    this.client.push(message);
  }

  #pending(words: string): Json[] {
    const content = this.client.at(-1)?.content;
    const calls = Array.isArray(content) ? content.filter((part: Json) => part.type === 'tool_use') : [];
    return [...calls.map((part: Json) => result(String(part.id))), text(words)];
  }
}

/** What would go upstream of what the client sends. */
function restored(client: readonly Json[], kept: readonly HiddenAnswer[]): Json[] {
  return messagesComposed<{ messages: Json[] }>(
    { model: 'm', messages: client, max_tokens: 5 },
    { hidden: kept },
  ).body.messages;
}

describe('hidden rounds', () => {
  test('are put back where they stood, and the rest of the answer behind them', () => {
    const talk = new Conversation();
    talk.ask('hello');
    talk.answer([
      { visible: [thinking('a'), text('Looking.')], asks: true },
      { visible: [thinking('b'), text('Found.'), call('toolu_1')], asks: false },
    ]);
    talk.ask('go on');
    expect(restored(talk.client, talk.kept)).toEqual(talk.provider);
  });

  test('are put back where the agent has left reasoning out', () => {
    const talk = new Conversation();
    talk.ask('hello');
    talk.answer([
      { visible: [thinking('a')], asks: true },
      { visible: [thinking('b'), text('Found.')], asks: false },
    ]);
    const bare = talk.client.map((message) => ({
      ...message,
      content: (message.content as Json[]).filter((part) => part.type !== 'thinking'),
    }));
    expect(restored(bare, talk.kept).at(-1)).toEqual({ role: 'assistant', content: [text('Found.')] });
    expect(restored(bare, talk.kept)).toHaveLength(4);
  });

  test('of an attempt that the agent threw away are never put back', () => {
    const talk = new Conversation();
    talk.ask('hello');
    talk.answer([
      { visible: [text('One.')], asks: true },
      { visible: [text('Two.')], asks: false },
    ]);
    const other = [talk.client[0] ?? {}, { role: 'assistant', content: [text('Something else.')] }];
    expect(restored(other, talk.kept)).toEqual(other);
  });

  test('are left out where the person broke in before they were over', () => {
    const talk = new Conversation();
    talk.ask('hello');
    talk.answer([
      { visible: [text('One.')], asks: true },
      { visible: [text('Two.')], asks: true },
      { visible: [text('Three.')], asks: false },
    ]);
    const asked = talk.client[0] ?? {};
    const early = [asked, { role: 'assistant', content: [text('One.')] }];
    expect(restored(early, talk.kept)).toEqual(early);
    const later = [asked, { role: 'assistant', content: [text('One.'), text('Two.')] }];
    expect(restored(later, talk.kept)).toEqual([
      ...talk.provider.slice(0, 3),
      { role: 'assistant', content: [text('Two.')] },
    ]);
  });

  test('of an answer that calls the client’s tools too bring our result behind the client’s own', () => {
    const message = { role: 'assistant', content: [call('toolu_1')] };
    const parts = assistantParts(Buffer.from(JSON.stringify(message))) ?? [];
    const whole = { role: 'assistant', content: [ourCall('toolu_h'), call('toolu_1')] };
    const mixed = { message: JSON.stringify(whole), results: [JSON.stringify(result('toolu_h'))] };
    const client = [
      { role: 'user', content: 'hello' },
      message,
      { role: 'user', content: [result('toolu_1'), text('and this')] },
    ];
    const kept: HiddenAnswer = { id: '1', chain: FIRST_CHAIN, open: false, parts, places: [], mixed };
    expect(restored(client, [kept])).toEqual([
      client[0],
      whole,
      { role: 'user', content: [result('toolu_1'), result('toolu_h'), text('and this')] },
    ]);
  });
});

const words = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).filter((one) => one.trim() !== '');
let serial = 0;
const part = fc.oneof(
  words.map(text),
  words.map((one) => thinking(`${one}-${serial++}`)),
);
const rounds = fc
  .array(fc.record({ visible: fc.array(part, { maxLength: 3 }), asks: fc.constant(true) }), { maxLength: 3 })
  .chain((asking) =>
    fc
      .record({ last: fc.array(part, { minLength: 1, maxLength: 3 }), calls: fc.nat(2) })
      .map(({ last, calls }) => [
        ...asking,
        {
          visible: [...last, ...Array.from({ length: calls }, () => call(`toolu_${serial++}`))],
          asks: false,
        },
      ]),
  );

test('whatever was said, each request upstream begins with the one before: history is never changed', () => {
  fc.assert(
    fc.property(fc.array(rounds, { minLength: 1, maxLength: 5 }), (answers) => {
      const talk = new Conversation();
      let before: Json[] = [];
      for (const answer of answers) {
        talk.ask('go');
        const upstream = restored(talk.client, talk.kept);
        expect(upstream).toEqual(talk.provider);
        expect(upstream.slice(0, before.length)).toEqual(before);
        before = upstream;
        talk.answer(answer);
      }
    }),
  );
});

test('a conversation without hidden rounds goes out as it came', () => {
  fc.assert(
    fc.property(fc.array(rounds, { maxLength: 4 }), (answers) => {
      const talk = new Conversation();
      for (const answer of answers) {
        talk.ask('go');
        talk.answer(answer.map((round) => ({ ...round, asks: false })));
      }
      expect(restored(talk.client, [])).toEqual(talk.client);
    }),
  );
});
