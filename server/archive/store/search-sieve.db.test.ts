import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import { holdsPhrase } from '../search/match.ts';
import { parseQuery } from '../search/query.ts';
import { createArchiveReader } from './reader.ts';
import { patternOf } from './search-sieve.ts';
import { item, scene } from './testing.ts';

let database: Database;
let pool: pg.Pool;

beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool;
});
afterAll(() => database.stop());

const words = fc.constantFrom('refund', 'Window', 'path', 'I', 'x', '42', 'user', 'HTTP', 'ab');
const between = fc.constantFrom(
  ' ',
  '\n',
  '_',
  '-',
  '',
  ' the ',
  "'s ",
  '.',
  '\\',
  '[',
  ']^',
  '$',
  '*+?',
  '%',
);
const plain = fc
  .array(fc.tuple(words, between), { minLength: 1, maxLength: 12 })
  .map((parts) => parts.flat().join(''));
const phrases = fc
  .array(fc.tuple(words, fc.constantFrom(' ', '_', '-', '.', '[', '\\', '^', '$(', '\n')), {
    minLength: 1,
    maxLength: 3,
  })
  .map((parts) => parts.flat().join('').slice(0, -1));

test('every text of plain characters that holds a phrase fits its pattern', () => {
  const cases = fc.sample(fc.tuple(plain, phrases), 8_000).flatMap(([text, words]) => {
    const [phrase] = parseQuery(`"${words.replaceAll('"', '')}"`).phrases;
    const pattern = phrase === undefined ? null : patternOf(phrase);
    return phrase === undefined || pattern === null
      ? []
      : [{ text, pattern, holds: holdsPhrase(text, phrase) }];
  });
  const holding = cases.filter((one) => one.holds);
  expect(holding.length).toBeGreaterThan(500);
  expect(cases.length).toBeGreaterThan(2 * holding.length);
  expect(holding.filter(({ text, pattern }) => !pattern.test(text))).toEqual([]);
});

test('a phrase of common words is found wherever it ranks, in plain texts, in others and in calls', async () => {
  const stage = await scene(pool);
  const reader = createArchiveReader(pool, { clock: stage.clock });
  const apart = Array.from({ length: 700 }, (_, at) => `path ${at} tokenize path ${at} tokenize`);
  const held = ['one path, tokenize', 'two pathTokenize', 'three PATH_TOKENIZE', 'é four path tokenize'];
  const filler = ' and much that makes the text longer'.repeat(20);
  const texts = [...apart, ...held.map((text) => text + filler)];
  const thread = await stage.open('phrases');
  const turns = texts.map((text) => ['user', item({ text })] as const);
  const input = `{"a":"five path\\ntokenize${filler}"}`;
  const tool = { callId: 'c', name: 'Bash', namespace: null, isError: false };
  const calls = [['assistant', item({ kind: 'tool_call', text: input, tool })] as const];
  await stage.writer.append(stage.batch(thread, stage.chain(stage.root, ...turns, ...calls)));
  while ((await stage.writer.index(stage.accountId)).more);
  const found = async (more: object) => {
    const { items } = await reader.search(stage.accountId, { q: '"path tokenize"', limit: 20, ...more });
    return items.map((hit) => /one|two|three|four|five/.exec(hit.snippet.text)?.[0]).sort();
  };
  expect(await found({})).toEqual(['five', 'four', 'one', 'three', 'two']);
  expect(await found({ kinds: ['tool_call'] })).toEqual(['five']);
  expect(await found({ role: 'user' })).toEqual(['four', 'one', 'three', 'two']);
});
