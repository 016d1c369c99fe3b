import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Item, Message } from '../../conversation/index.ts';
import { type ElementFacts, factsOf } from './facts.ts';
import { markNext, NO_MARKS } from './marks.ts';

const KEY = new Uint8Array(32).fill(7);

const item = (kind: Item['kind'], text: string, callId: string | null = null): Item => ({
  kind,
  text,
  body: null,
  tool: callId === null ? null : { callId, name: 'Read', namespace: null, isError: false },
  mainInput: null,
  path: null,
  media: [],
});
const message = (role: Message['role'], items: readonly Item[], transparent = false): Message => ({
  role,
  items,
  canonical: new Uint8Array(0),
  transparent,
});

/** The marks of a conversation, as hex; null where an element has none. */
function marksOf(messages: readonly Message[]): (string | null)[] {
  let state = NO_MARKS;
  return messages.map((one) => {
    const marked = markNext(KEY, state, factsOf(one, 1));
    state = marked.state;
    return marked.mark === null ? null : Buffer.from(marked.mark).toString('hex');
  });
}

const words = fc.string({ minLength: 1, maxLength: 6 }).filter((text) => text.trim() !== '');
const turn = fc.record({
  typed: words,
  rounds: fc.array(fc.record({ text: words, call: fc.uuid() }), { maxLength: 3 }),
  said: words,
});
const talk = fc.array(turn, { minLength: 1, maxLength: 5 });

/** A conversation as an agent sends it: with reminders in a part, in a system message or not at all, with reasoning or without. */
function sent(
  turns: readonly (typeof turn extends fc.Arbitrary<infer T> ? T : never)[],
  form: number,
): Message[] {
  const reminder = item('injected', `reminder ${form}`);
  const reasoning = form % 2 === 0 ? [item('reasoning', 'hm')] : [];
  return turns.flatMap(({ typed, rounds, said }) => [
    message('user', form % 3 === 0 ? [reminder, item('input', typed)] : [item('input', typed)]),
    ...(form % 3 === 1 ? [message('system', [reminder])] : []),
    ...rounds.flatMap(({ text, call }) => [
      message('assistant', [...reasoning, item('answer', text), item('tool_call', '{}', call)]),
      message('user', [item('tool_result', 'x', call), ...(form % 3 === 2 ? [reminder] : [])]),
    ]),
    message('assistant', [...reasoning, item('answer', said)]),
  ]);
}

describe('the mark of a place', () => {
  test('is the same however the agent moves its reminders about, and with reasoning or without', () => {
    fc.assert(
      fc.property(talk, fc.nat(5), fc.nat(5), (turns, one, other) => {
        const marked = (form: number) => marksOf(sent(turns, form)).filter((mark) => mark !== null);
        expect(marked(one)).toEqual(marked(other));
      }),
    );
  });

  test('is no other place’s of the same conversation', () => {
    fc.assert(
      fc.property(talk, (turns) => {
        const marks = marksOf(sent(turns, 1)).filter((mark) => mark !== null);
        expect(new Set(marks).size).toBe(marks.length);
      }),
    );
  });

  test('does not depend on what comes behind it', () => {
    fc.assert(
      fc.property(talk, turn, (turns, more) => {
        const before = marksOf(sent(turns, 0));
        expect(marksOf(sent([...turns, more], 0)).slice(0, before.length)).toEqual(before);
      }),
    );
  });

  test('is another one behind another answer, and in a conversation that began with other words', () => {
    const begun = (typed: string, said: string) =>
      marksOf(
        sent(
          [
            { typed, rounds: [], said },
            { typed: 'more', rounds: [], said: 'end' },
          ],
          0,
        ),
      );
    const [first, ...behind] = begun('a', 'b');
    expect(begun('a', 'c')[0]).toBe(first);
    for (const [index, mark] of begun('a', 'c').slice(1).entries()) expect(mark).not.toBe(behind[index]);
    for (const [index, mark] of begun('z', 'b').entries()) expect(mark).not.toBe([first, ...behind][index]);
  });
});

test('reasoning alone, and what the agent says by itself, has no mark', () => {
  expect(
    marksOf([message('unknown', [item('reasoning', 'hm')], true), message('system', [item('system', 'x')])]),
  ).toEqual([null, null]);
  const facts: ElementFacts = factsOf(message('unknown', [item('reasoning', 'hm')], true), 3);
  expect(facts).toMatchObject({ side: 'assistant', reasoning: 'only', print: null, tokens: 3 });
});
