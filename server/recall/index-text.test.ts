import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DocId } from '../conversation/index.ts';
import type { IndexEntry } from './index-entries.ts';
import { restoreIndex } from './index-pieces.ts';
import { docidsIn, type IndexOptions, renderIndex } from './index-text.ts';

const MORNING = Date.UTC(2026, 9, 1, 21, 58, 30);
const id = (number: number) => `context-mode-msg-${number.toString(16).padStart(16, '0')}` as DocId;
const estimate = (text: string) => Math.ceil(text.length / 2.5);
const options: IndexOptions = { budget: 40_000, atMost: 80_000, timeZone: 'UTC', estimate, stored: 12 };

const typed = (turn: number, text: string): IndexEntry => ({
  kind: 'typed',
  turn,
  docid: id(turn),
  at: MORNING,
  text,
});
const call = (turn: number, change: object = {}): IndexEntry => ({
  kind: 'call',
  turn,
  docid: id(turn + 1),
  tool: 'Bash',
  mainInput: 'npm test -- src/billing',
  bare: false,
  failed: false,
  result: null,
  ...change,
});
const answer = (turn: number, text: string): IndexEntry => ({
  kind: 'answer',
  turn,
  docid: id(turn + 2),
  text,
});

const body = (entries: readonly IndexEntry[], change: Partial<IndexOptions> = {}) =>
  renderIndex(entries, { ...options, ...change })
    .text.split('\n')
    .slice(1, -1)
    .join('\n');

describe('an index', () => {
  test('has the typed words with their time, a line for each call and a line for each answer', () => {
    const edit = call(1, { tool: 'Edit', mainInput: 'src/billing/quota.ts', bare: true, docid: id(9) });
    expect(
      body([typed(1, 'keep the refund window\nat 14 days'), call(1), edit, answer(1, 'Two tests broke.')]),
    ).toBe(
      [
        '2026-10-01 21:58 user: keep the refund window',
        'at 14 days',
        `→ Bash "npm test -- src/billing" (${id(2)})`,
        `→ Edit src/billing/quota.ts (${id(9)})`,
        `← assistant: Two tests broke. (${id(3)})`,
      ].join('\n'),
    );
  });

  test('marks failed calls, shows what sub-agents brought back, and calls without an input', () => {
    expect(body([call(1, { failed: true, mainInput: null })])).toBe(`→ Bash failed (${id(2)})`);
    expect(body([call(1, { tool: 'Agent', mainInput: 'look', result: 'found\nit' })])).toBe(
      `→ Agent "look" (${id(2)})\n← Agent: found it (${id(2)})`,
    );
  });

  test('tells times in the zone that was set', () => {
    expect(body([typed(1, 'hi')], { timeZone: 'Europe/Berlin' })).toBe('2026-10-01 23:58 user: hi');
    const midnight = { ...typed(1, 'hi'), at: Date.UTC(2026, 9, 1, 22, 5) } as IndexEntry;
    expect(body([midnight], { timeZone: 'Europe/Berlin' })).toBe('2026-10-02 00:05 user: hi');
  });

  test('keeps calls and answers on one line of bounded length, and never parts a character', () => {
    const long = call(1, { mainInput: `a\r\n\tb ${'😀'.repeat(300)}` });
    expect(body([long])).toBe(`→ Bash "a b ${'😀'.repeat(156)}…" (${id(2)})`);
    expect(body([answer(1, `\u001b[31m${'x'.repeat(500)}`)])).toBe(
      `← assistant: [31m${'x'.repeat(196)}… (${id(3)})`,
    );
  });

  test('says how many items are stored and how to ask for them, words first', () => {
    const last = renderIndex([], options).text.split('\n').at(-1) ?? '';
    expect(last).toContain('12 items are stored');
    expect(last.indexOf('"q"')).toBeLessThan(last.indexOf('"docid"'));
  });
});

describe('an index beyond its budget', () => {
  const turns = [1, 11, 21].flatMap((turn) => [
    typed(turn, `do ${turn}`),
    ...Array.from({ length: 20 }, (_, n) => call(turn, { docid: id(turn * 1000 + n) })),
    answer(turn, 'done'),
  ]);

  test('folds calls and answers turn by turn, oldest first, and no typed word', () => {
    const whole = renderIndex(turns, options).tokens;
    const folded = renderIndex(turns, { ...options, budget: whole - 1 });
    expect(folded).toMatchObject({ foldedTurns: 1, foldedPastes: 0, cutTyped: 0 });
    expect(folded.text).toContain(`· 20 calls (Bash 20), 1 answer: ${id(1000)} to ${id(3)}`);
    expect(folded.tokens).toBeLessThan(whole);
    for (const turn of [1, 11, 21]) expect(folded.text).toContain(`user: do ${turn}\n`);
  });

  test('then folds pastes to their ends and says what was left out', () => {
    const paste = `BEGIN ${'word '.repeat(4_000)}END`;
    const { text, foldedPastes, cutTyped } = renderIndex([typed(1, paste), typed(2, 'short')], {
      ...options,
      budget: 2_000,
      atMost: 4_000,
    });
    expect({ foldedPastes, cutTyped }).toEqual({ foldedPastes: 1, cutTyped: 0 });
    expect(text).toContain('user: BEGIN word');
    expect(text).toContain('word END');
    expect(text).toMatch(/\[… about \d+ tokens left out here; whole: context-mode-msg-0000000000000001 …\]/);
    expect(text).toContain('user: short');
  });

  test('in the last resort cuts the oldest typed lines and says so', () => {
    const many = Array.from({ length: 40 }, (_, turn) => typed(turn, `${turn} ${'y'.repeat(900)}`));
    const { text, cutTyped } = renderIndex(many, { ...options, budget: 5_000, atMost: 9_000 });
    expect(cutTyped).toBeGreaterThan(0);
    expect(text).toContain(`[cut; whole: ${id(0)}]`);
    expect(text).toContain(`39 ${'y'.repeat(900)}`);
  });
});

const entry: fc.Arbitrary<IndexEntry> = fc.oneof(
  fc.record({ text: fc.string({ unit: 'binary', maxLength: 3_000 }) }).map(({ text }) => typed(0, text)),
  fc
    .record({ mainInput: fc.option(fc.string({ unit: 'binary', maxLength: 400 })), failed: fc.boolean() })
    .map((change) => call(0, change)),
  fc.string({ unit: 'binary', maxLength: 400 }).map((text) => answer(0, text)),
);
const conversation = fc
  .array(fc.array(entry, { maxLength: 12 }), { maxLength: 12 })
  .map((turns) =>
    turns.flatMap((entries, turn) =>
      entries.map((one, place) => ({ ...one, turn, docid: id(turn * 100 + place) }) as IndexEntry),
    ),
  );

test('within its budget an index holds every typed text whole and every docid', () => {
  fc.assert(
    fc.property(conversation, (entries) => {
      const { text } = renderIndex(entries, { ...options, budget: 1e9, atMost: 1e9 });
      for (const one of entries) {
        if (one.kind === 'typed') expect(text.includes(one.text)).toBe(true);
        else expect(text).toContain(one.docid);
      }
    }),
  );
});

test('rendered twice, an index has the same bytes; its tokens are the sum of its lines', () => {
  fc.assert(
    fc.property(conversation, fc.nat(20_000), (entries, budget) => {
      const once = renderIndex(entries, { ...options, budget, atMost: budget * 2 });
      const again = renderIndex(structuredClone(entries), { ...options, budget, atMost: budget * 2 });
      expect(again).toEqual(once);
      expect(once.tokens).toBeGreaterThanOrEqual(estimate(once.text));
    }),
  );
});

test('a smaller budget never makes an index larger, and folding never loses a turn', () => {
  fc.assert(
    fc.property(conversation, fc.nat(20_000), fc.nat(20_000), (entries, one, two) => {
      const [small, large] = [Math.min(one, two), Math.max(one, two)].map((budget) =>
        renderIndex(entries, { ...options, budget, atMost: 1e9 }),
      );
      expect(small?.tokens ?? 0).toBeLessThanOrEqual(large?.tokens ?? 0);
      const named = new Set(docidsIn(small?.text ?? ''));
      for (const turn of new Set(entries.map((entryOf) => entryOf.turn))) {
        const others = entries.filter((entryOf) => entryOf.turn === turn && entryOf.kind !== 'typed');
        if (others.length > 0) expect(others.some((entryOf) => named.has(entryOf.docid))).toBe(true);
      }
    }),
  );
});

/** What a person typed, by document. */
const typedIn = (entries: readonly IndexEntry[]) =>
  new Map(entries.flatMap((one) => (one.kind === 'typed' ? [[one.docid, one.text] as const] : [])));

test('an index is put together from its pieces and the typed words to the character, however it was folded', () => {
  fc.assert(
    fc.property(conversation, fc.nat(20_000), fc.nat(20_000), (entries, budget, more) => {
      const { text, pieces } = renderIndex(entries, { ...options, budget, atMost: budget + more });
      const words = typedIn(entries);
      const stored = JSON.parse(JSON.stringify(pieces)) as typeof pieces;
      expect(restoreIndex(stored, (docid) => words.get(docid) ?? null)).toBe(text);
    }),
  );
});

test('what a person typed stands in no piece: each of them is a text of ours or refers to it', () => {
  const secret = 'never-kept-twice';
  const long = `${secret} ${'word '.repeat(4_000)}${secret}`;
  const entries = [
    typed(1, long),
    call(1),
    typed(2, secret),
    answer(2, 'ok'),
    typed(3, `${secret}${'x'.repeat(900)}`),
  ];
  for (const budget of [1e6, 2_000, 300, 10]) {
    const { text, pieces } = renderIndex(entries, { ...options, budget, atMost: budget });
    expect(text).toContain(secret);
    expect(JSON.stringify(pieces)).not.toContain(secret);
    expect(pieces.some((piece, n) => typeof piece === 'string' && typeof pieces[n + 1] === 'string')).toBe(
      false,
    );
  }
});

test('without words that it refers to an index is not put together', () => {
  const entries = [typed(1, 'hello'), answer(1, 'hi')];
  const { pieces } = renderIndex(entries, options);
  expect(restoreIndex(pieces, () => null)).toBeNull();
  expect(restoreIndex(pieces, () => 'hell')).toBeNull();
  expect(restoreIndex(pieces, () => 'hello')).toContain('user: hello\n');
});
