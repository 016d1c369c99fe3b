import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fieldNamed } from '../../conversation/index.ts';
import { type Edit, type EditedBody, firstOutlines, outlinesIn, validateAnthropic } from './index.ts';
import { leanOf } from './lean.ts';
import { knownOf, OWN_TOOL } from './testing/judging.ts';

type Value = Record<string, unknown>;
const words = (length: number, letter: string) => letter.repeat(length);
const messages = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 700 }), fc.constantFrom('a', 'b', '“é\n')), {
    minLength: 1,
    maxLength: 6,
  })
  .map((rounds) => [
    { role: 'user', content: 'go' },
    ...rounds.flatMap(([length, letter], round): Value[] => [
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: `t${round}`, name: 'Read', input: { at: words(length, letter) } }],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: `t${round}`, content: words(length, letter) }],
      },
    ]),
  ]);
const bodyOf = (list: readonly unknown[]) =>
  Buffer.from(JSON.stringify({ model: 'm', messages: list, max_tokens: 1 }));

function judged(client: Buffer, edited: Buffer, edits: readonly Edit[] = []) {
  const plain: EditedBody = {
    client,
    edited,
    edits,
    ownTool: OWN_TOOL,
    latestThinking: 'untouched',
    window: null,
    estimate: () => 0,
  };
  const known = knownOf('messages', client);
  return [validateAnthropic(plain), validateAnthropic(known === null ? plain : { ...plain, known })] as const;
}

describe('what is known of a body', () => {
  test('changes no verdict: not where a byte is another, a message gone, doubled or moved', () => {
    const change = fc.oneof(
      fc.record({ kind: fc.constant('byte' as const), at: fc.nat(), byte: fc.nat(255) }),
      fc.record({
        kind: fc.constantFrom('gone' as const, 'double' as const, 'swap' as const),
        at: fc.nat(),
        byte: fc.nat(),
      }),
    );
    fc.assert(
      fc.property(messages, change, (list, { kind, at, byte }) => {
        const client = bodyOf(list);
        const place = at % list.length;
        const moved = [...list];
        if (kind === 'gone') moved.splice(place, 1);
        if (kind === 'double') moved.splice(place, 0, list[place] ?? {});
        if (kind === 'swap') moved.splice(place, 2, ...list.slice(place, place + 2).reverse());
        const edited = bodyOf(moved);
        if (kind === 'byte') edited[at % edited.length] = byte;
        const [plain, lean] = judged(client, edited);
        expect(lean).toEqual(plain);
        expect(plain.ok).toBe(edited.equals(client));
      }),
      { numRuns: 1_000 },
    );
  });

  test('does not hide that a call of ours has an id which the client’s has too', () => {
    const rounds = Array.from({ length: 8 }, (_, round): Value[] => [
      { role: 'assistant', content: [{ type: 'tool_use', id: `t${round}`, name: 'Read', input: {} }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: `t${round}`, content: words(400, 'a') }],
      },
    ]).flat();
    const list = [{ role: 'user', content: 'go' }, ...rounds];
    const hidden = (id: string) => [
      { role: 'assistant', content: [{ type: 'tool_use', id, name: OWN_TOOL, input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'found' }] },
    ];
    const edits: Edit[] = [15, 16].map((element) => ({ kind: 'hidden-round', element }));
    const verdicts = (id: string) =>
      judged(bodyOf(list), bodyOf([...list.slice(0, 15), ...hidden(id), ...list.slice(15)]), edits);
    expect(verdicts('own').map((verdict) => verdict.ok)).toEqual([true, true]);
    expect(verdicts('t3').map((verdict) => verdict.ok)).toEqual([false, false]);
  });

  test('is the same for a longer request, told from what is known of the shorter one', () => {
    fc.assert(
      fc.property(messages, fc.nat(5), (list, less) => {
        const known = knownOf('messages', bodyOf(list.slice(0, Math.max(1, list.length - less))));
        const whole = bodyOf(list);
        const all = knownOf('messages', whole);
        const elements =
          all === null || all === undefined ? [] : (fieldNamed(all.scan, 'messages')?.elements ?? []);
        expect(outlinesIn(whole, elements, known?.outlines)).toEqual(all?.outlines);
        if (known && all)
          expect(firstOutlines(all.outlines, known.outlines.ends.length)).toEqual(known.outlines);
      }),
    );
  });

  test('takes the long texts out of what is read', () => {
    const list = [{ role: 'user', content: words(100_000, 'a') }];
    const client = bodyOf(list);
    const known = knownOf('messages', client);
    const lean = leanOf(
      {
        client,
        edited: client,
        edits: [],
        ownTool: null,
        latestThinking: 'untouched',
        window: null,
        estimate: () => 0,
        ...(known === null ? {} : { known }),
      },
      'messages',
    );
    expect(lean?.edited.length).toBeLessThan(200);
    expect(lean?.client.length).toBeLessThan(200);
  });
});
