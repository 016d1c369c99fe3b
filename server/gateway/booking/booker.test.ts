import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import {
  type CallUsage,
  FEATURES,
  type LedgerWriter,
  NO_TOKENS,
  type PlaceEntries,
  PRICE_ROWS,
  type RequestRow,
} from '../../ledger/index.ts';
import type { ReadAnswer } from '../adapter.ts';
import { anthropicAdapter } from '../anthropic/index.ts';
import { estimateJson } from '../estimate/index.ts';
import { openaiAdapter } from '../openai/index.ts';
import { NO_ANSWER } from '../reading/answers.ts';
import { answeredRequest, requestToBook } from './answered.ts';
import { type AnsweredRequest, createBooker } from './booker.ts';
import type { SentForms } from './types.ts';

const ACCOUNT = '00000000-0000-7000-8000-000000000001' as Uuid;
const ID = '00000000-0000-7000-8000-000000000002' as Uuid;

/** A booker over a ledger in memory. */
function openBook() {
  const rows: RequestRow[] = [];
  const places = new Map<string, PlaceEntries>();
  const failures: unknown[] = [];
  const ledger: LedgerWriter = {
    book: async (row) => void rows.push(row),
    placesOf: async (_account, names) =>
      new Map(names.flatMap((name) => (places.has(name) ? [[name, places.get(name) as PlaceEntries]] : []))),
    keepPlaces: async (_account, kept) => {
      for (const [name, entries] of kept) places.set(name, entries);
    },
  };
  const booker = createBooker({
    ledger,
    accountKey: async () => Buffer.alloc(32, 7),
    count: estimateJson,
    prices: PRICE_ROWS,
    failed: (cause) => failures.push(cause),
  });
  return { booker, rows, failures };
}

const usageOf = (tokens: Partial<typeof NO_TOKENS>): CallUsage => ({
  samplings: [{ ...NO_TOKENS, ...tokens, model: null }],
  searches: 0,
  speed: null,
  regional: false,
  batch: false,
});

function request(more: Partial<AnsweredRequest> = {}): AnsweredRequest {
  const body = { model: 'claude-opus-5', messages: [{ role: 'user', content: 'Hello there.' }] };
  return {
    id: ID,
    accountId: ACCOUNT,
    adapter: anthropicAdapter,
    agent: 'claude-code',
    model: 'claude-opus-5',
    thread: 'a thread',
    body: Buffer.from(JSON.stringify(body)),
    subscription: false,
    at: 1_796_000_000_000 as Millis,
    firstByteMs: 300,
    answer: { ...NO_ANSWER, billed: usageOf({ input: 6, output: 4 }), complete: true },
    isWhole: true,
    booking: null,
    ...more,
  };
}

async function booked(more: Partial<AnsweredRequest> = {}) {
  const { booker, rows, failures } = openBook();
  await booker.book(request(more));
  expect(failures).toEqual([]);
  return rows[0];
}

const words = fc.stringMatching(/^[a-z ]{1,400}$/);
const elementOf = (protocol: 'anthropic' | 'openai') => (role: 'user' | 'assistant', text: string) =>
  protocol === 'anthropic'
    ? {
        role,
        content: [
          { type: 'text', text, ...(role === 'user' ? { cache_control: { type: 'ephemeral' } } : {}) },
        ],
      }
    : { type: 'message', role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] };
const tokens = fc.nat(200_000);
const billed = fc.option(
  fc.record({
    input: tokens,
    write: tokens,
    writeLong: tokens,
    read: tokens,
    output: tokens,
    reasoning: tokens,
  }),
  { freq: 8 },
);
const turn = fc.record({
  typed: words,
  said: words,
  waitMs: fc.constantFrom(1_000, 400_000, 4_000_000),
  rewinds: fc.constantFrom(0, 0, 0, 2),
  fork: fc.boolean(),
  trims: fc.boolean(),
  lays: fc.boolean(),
  toolIs: fc.boolean(),
  remembers: fc.boolean(),
  evicts: fc.boolean(),
  rounds: fc.array(billed, { minLength: 1, maxLength: 3 }),
  isWhole: fc.boolean(),
});

test('the direct estimate and all lines lead to what was paid, in any session of either provider with trims, layouts, hidden rounds, forks, rewinds and pauses', async () => {
  const session = fc.record({
    protocol: fc.constantFrom('anthropic' as const, 'openai' as const),
    turns: fc.array(turn, { minLength: 1, maxLength: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(session, async ({ protocol, turns }) => {
      const { booker, rows, failures } = openBook();
      const element = elementOf(protocol);
      const list = protocol === 'anthropic' ? 'messages' : 'input';
      const model = protocol === 'anthropic' ? 'claude-opus-5-5' : 'gpt-6.2-sol';
      let history: object[] = [];
      let at = 1_796_000_000_000;
      for (const [n, one] of turns.entries()) {
        at += one.waitMs;
        history = [...history.slice(0, history.length - one.rewinds), element('user', one.typed)];
        const bytes = (elements: object[], tools: object[] = []) =>
          Buffer.from(JSON.stringify({ model, ...(tools.length > 0 ? { tools } : {}), [list]: elements }));
        const laid = one.lays ? [element('user', 'an index'), ...history.slice(-1)] : history;
        const forms: SentForms = {
          trimmed: one.trims
            ? [bytes([...history.slice(0, -1), element('user', one.typed.slice(0, 9))])]
            : null,
          laidOut: one.lays ? [bytes(laid)] : null,
          withTool: one.toolIs ? [bytes(laid, [{ name: 'context-mode-search' }])] : null,
          sent: one.remembers
            ? [bytes([element('user', 'facts'), ...laid], [{ name: 'context-mode-search' }])]
            : null,
          readsReasoningOf: one.lays ? 1 : null,
          evicts: one.evicts,
        };
        const isEdited = one.trims || one.lays || one.toolIs || one.remembers;
        const rounds = isEdited ? one.rounds : one.rounds.slice(0, 1);
        const usages = rounds.map((given) => (given === null ? null : usageOf(given)));
        const answer: ReadAnswer = { ...NO_ANSWER, billed: usages.at(-1) ?? null, complete: one.isWhole };
        await booker.book(
          request({
            adapter: protocol === 'anthropic' ? anthropicAdapter : openaiAdapter,
            model,
            thread: one.fork ? `fork ${n}` : 'main',
            body: bytes(history),
            at: at as Millis,
            answer,
            isWhole: one.isWhole,
            booking: isEdited
              ? {
                  forms,
                  rounds: usages.map((usage, round) => ({
                    appended: Array.from({ length: round }, (_none, k) =>
                      JSON.stringify(element('assistant', `read ${k}`)),
                    ),
                    usage,
                    isWhole: true,
                  })),
                }
              : null,
          }),
        );
        history = [...history, element('assistant', one.said)];
      }
      expect(failures).toEqual([]);
      expect(rows.length).toBe(turns.length);
      for (const { comparison, actual, calls, tokens: all } of rows) {
        if (comparison.kind !== 'compared' && comparison.kind !== 'capped') throw new Error(comparison.kind);
        const lines = FEATURES.map((feature) => comparison.lines[feature]);
        expect(comparison.direct + lines.reduce((sum, line) => sum + line.amount, 0n)).toBe(actual);
        expect(calls.reduce((sum, call) => sum + (call.amount ?? 0n), 0n)).toBe(actual);
        expect(comparison.directTokens + lines.reduce((sum, line) => sum + line.tokens, 0)).toBe(
          Object.values(all).reduce((sum, one) => sum + one, 0),
        );
      }
    }),
    { numRuns: 1_000 },
  );
}, 120_000);

describe('an answer', () => {
  test('that ended is what was reported; one that broke off is partial; one without usage is an estimate of both sides', async () => {
    expect(await booked()).toMatchObject({ state: 'reported', tokens: { input: 6, output: 4 } });
    expect(await booked({ isWhole: false })).toMatchObject({
      state: 'partial',
      tokens: { input: 6, output: 4 },
    });
    const text = 'Words that were said before it broke off. '.repeat(20);
    const answer: ReadAnswer = {
      ...NO_ANSWER,
      messages: [
        anthropicAdapter.parseMessage(Buffer.from(JSON.stringify({ role: 'assistant', content: text }))),
      ],
    };
    const row = await booked({ answer, isWhole: false });
    expect(row).toMatchObject({ state: 'estimated', comparison: { kind: 'compared' } });
    expect(row?.tokens.output).toBeGreaterThan(100);
    expect(row?.tokens.input).toBeGreaterThan(3);
  });

  test('that was a refusal is not booked: the provider bills none', async () => {
    const { booker, rows } = openBook();
    const { adapter, body } = request();
    const read = adapter.readRequest(
      { door: 'anthropic', method: 'POST', target: '/v1/messages', headers: new Map() },
      body ?? Buffer.alloc(0),
    );
    if (read === null || body === null) throw new Error('The request of the test cannot be read.');
    const tapped = {
      id: ID,
      accountId: ACCOUNT,
      door: 'anthropic' as const,
      method: 'POST',
      target: '/v1/messages',
      body,
      receivedAt: 0 as Millis,
    };
    const toBook = requestToBook({ ...tapped, headers: [] }, { adapter, read, body }, null);
    await booker.book(
      answeredRequest(toBook, { status: 400, ending: 'complete', firstByteMs: 1 }, NO_ANSWER),
    );
    expect(rows).toEqual([]);
    expect(toBook.subscription).toBe(false);
    const signedIn = {
      ...tapped,
      headers: [['Anthropic-Beta', 'claude-code-20250219,oauth-2025-04-20']] as const,
    };
    expect(requestToBook(signedIn, { adapter, read, body }, null).subscription).toBe(true);
    expect(
      requestToBook({ ...tapped, door: 'chatgpt', headers: [] }, { adapter, read, body }, null).subscription,
    ).toBe(true);
  });
});

test('a model without a price has its tokens booked and no money', async () => {
  const row = await booked({ model: 'a-model-of-theirs' });
  expect(row).toMatchObject({
    model: 'a-model-of-theirs',
    actual: 0n,
    tokens: { input: 6 },
    comparison: { kind: 'unpriced' },
  });
  expect(row?.calls).toMatchObject([{ amount: null, unpriced: ['a-model-of-theirs'] }]);
});

test('a secret in the name of a model is masked before it is written', async () => {
  const secret = `sk-ant-api03-${'Ab1_'.repeat(24)}AA`;
  const row = await booked({ model: secret });
  expect(
    JSON.stringify(row, (_key, value) => (typeof value === 'bigint' ? `${value}` : value)),
  ).not.toContain(secret);
});

test('where the client’s own body would pass the window it is priced at no more than the window, and marked', async () => {
  const long = { model: 'claude-haiku-4-5', messages: [{ role: 'user', content: 'word '.repeat(400_000) }] };
  const body = Buffer.from(JSON.stringify(long));
  const short = Buffer.from(
    JSON.stringify({ ...long, messages: [{ role: 'user', content: 'word '.repeat(50_000) }] }),
  );
  const sent = {
    trimmed: null,
    laidOut: [short],
    withTool: null,
    sent: null,
    readsReasoningOf: 0,
    evicts: false,
  };
  const usage = usageOf({ input: 50_000, output: 100 });
  const row = await booked({
    model: 'claude-haiku-4-5',
    body,
    booking: { forms: sent, rounds: [{ appended: [], usage, isWhole: true }] },
  });
  expect(row?.comparison).toMatchObject({ kind: 'capped', direct: 200_000n * 1_000n + 100n * 5_000n });
});

test('web searches and what the provider sampled before an answer cost every body the same', async () => {
  const usage = usageOf({ input: 6, output: 4 });
  const more = {
    ...usage,
    searches: 3,
    samplings: [{ ...NO_TOKENS, model: null, input: 900, output: 50 }, ...usage.samplings],
  };
  const row = await booked({ answer: { ...NO_ANSWER, billed: more, complete: true } });
  expect(row?.comparison).toMatchObject({ kind: 'compared' });
  if (row?.comparison.kind !== 'compared') return;
  expect(Number(row.comparison.lines.estimate.amount) / Number(row.actual)).toBeCloseTo(0, 2);
});
