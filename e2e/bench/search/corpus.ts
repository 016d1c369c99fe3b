import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Uuid } from '../../../server/kernel/ids.ts';
import {
  codeLines,
  filePath,
  identifier,
  logLines,
  prose,
  unspacedProse,
  unspacedWord,
  word,
} from '../../evals/search/filler.ts';
import { type Random, randomFrom } from '../../evals/search/random.ts';

/** Items that are written with one statement. */
const ITEMS = 4_000;
/** Sessions that the items are spread over. */
const SESSION_ITEMS = 2_000;

interface Row {
  readonly kind: 'input' | 'answer' | 'tool_result';
  readonly text: string;
}

/** One item in so many is in a language without spaces. */
const UNSPACED = 50;

/** An item of about a chunk: what people type and models answer, source code, logs. */
function rowOf(random: Random): Row {
  if (random.below(UNSPACED) === 0)
    return { kind: 'answer', text: unspacedProse(random, 4 + random.below(12)) };
  const form = random.below(10);
  if (form === 0) return { kind: 'input', text: prose(random, 1 + random.below(4)) };
  if (form < 3) return { kind: 'answer', text: prose(random, 4 + random.below(12)) };
  if (form < 7) return { kind: 'tool_result', text: codeLines(random, 20 + random.below(16)) };
  return { kind: 'tool_result', text: logLines(random, 8 + random.below(6)) };
}

/** An item as it was written. */
export interface FilledItem extends Row {
  readonly hash: Buffer;
  readonly bytes: number;
}

/**
 * Fills an account with items straight into the archive's tables, as many as give about `chunks` chunks, in sessions of
 * their own, and answers them as they are written. The archive's writer is measured apart; here only the index is to grow.
 */
export async function* filling(
  pool: pg.Pool,
  accountId: Uuid,
  chunks: number,
  seed: number,
  atOnce = ITEMS,
): AsyncGenerator<readonly FilledItem[]> {
  const random = randomFrom(seed);
  for (let done = 0; done < chunks; done += atOnce) {
    const items = Array.from({ length: Math.min(atOnce, chunks - done) }, (_, at) => {
      const row = rowOf(random);
      const hash = createHash('sha256')
        .update(`${seed} ${done + at}`)
        .digest();
      return { ...row, hash, bytes: Buffer.byteLength(row.text) };
    });
    await pool.query(INSERT, [
      accountId,
      items.map((item) => item.hash),
      items.map((item) => (item.kind === 'answer' ? 'assistant' : 'user')),
      items.map((item) => item.kind),
      items.map((item) => item.text),
      items.map((item) => item.hash.toString('hex').slice(0, 24)),
      items.map((_, at) => Math.floor((done + at) / SESSION_ITEMS)),
      items.map((_, at) => ((done + at) % SESSION_ITEMS) + 1),
      seed,
    ]);
    yield items;
  }
}

/** The same, without looking at the items. Answers their bytes. */
export async function fill(pool: pg.Pool, accountId: Uuid, chunks: number, seed: number): Promise<number> {
  let bytes = 0;
  for await (const items of filling(pool, accountId, chunks, seed)) {
    bytes += items.reduce((sum, item) => sum + item.bytes, 0);
  }
  return bytes;
}

const INSERT = `
WITH given AS (
  SELECT g.*, md5($9::text || ' ' || g.session)::uuid AS session_id
  FROM unnest($2::bytea[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int[], $8::int[])
    AS g(hash, role, kind, text, docid, session, seq)
), opened AS (
  INSERT INTO session (account_id, id, agent, client_session_id, started_at, last_seen_at)
  SELECT DISTINCT $1::uuid, session_id, 'claude-code', session_id::text, now(), now() FROM given ON CONFLICT DO NOTHING
), threads AS (
  INSERT INTO thread (account_id, id, session_id, client_thread_id, created_at)
  SELECT DISTINCT $1::uuid, session_id, session_id, '', now() FROM given ON CONFLICT DO NOTHING
), messages AS (
  INSERT INTO message (account_id, hash, parent, role, origin, seen_at)
  SELECT $1, hash, hash, role, 'received', now() FROM given
), items AS (
  INSERT INTO item (account_id, message_hash, position, docid, kind, is_error, text, chars, bytes, original_size,
    original_hash, masked, stored_hash, confirmed)
  SELECT $1, hash, 0, docid, kind, false, text, char_length(text), octet_length(text), octet_length(text), hash, false,
    hash, true FROM given
)
INSERT INTO event (account_id, session_id, seq, thread_id, kind, message_hash, position, at)
SELECT $1, session_id, seq, session_id, kind, hash, 0, now() FROM given`;

/** What the timed queries look like; every tenth is of the same form. */
const FORMS = [
  'question',
  'question',
  'question',
  'words',
  'words',
  'name',
  'name and words',
  'path',
  'phrase',
  'beginning',
] as const;

/** A query with what it looks like. */
export interface TimedQuery {
  readonly form: string;
  readonly q: string;
}

/** The published set of queries that are timed: questions, names, flags, phrases, beginnings. */
export function queriesOf(seed: number, count: number): readonly TimedQuery[] {
  const random = randomFrom(seed);
  const some = (words: number) => Array.from({ length: words }, () => word(random)).join(' ');
  const query = (at: number): string => {
    const form = at % 10;
    if (form < 3) return `What did we decide about the ${some(2)} and the ${some(1)} of the ${some(2)}?`;
    if (form < 5) return some(2 + random.below(3));
    if (form === 5) return identifier(random);
    if (form === 6) return `${identifier(random)} ${some(2)}`;
    if (form === 7) return filePath(random);
    if (form === 8) return `"${some(2)}"`;
    return `${some(2)} ${word(random).slice(0, 4)}*`;
  };
  return Array.from({ length: count }, (_, at) => ({ form: FORMS[at % 10] ?? '', q: query(at) }));
}

/**
 * What is timed beside the published set, since its words are all common.
 * @param rare words that stand in one chunk each
 */
export function furtherQueries(seed: number, count: number, rare: readonly string[]): readonly TimedQuery[] {
  const random = randomFrom(seed);
  const of = (form: string, make: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => ({ form, q: make(at) }));
  return [
    ...of('a rare word', (at) => rare[at % rare.length] ?? ''),
    ...of('characters', () => `"${word(random)} !== null) return"`),
    ...of('a line of a log', () => `[${word(random)}-${random.below(16)}] took ${random.below(900)}ms`),
    ...of('without spaces', () => `${unspacedWord(random)}${unspacedWord(random)}`),
    ...of('one word without spaces', () => unspacedWord(random)),
  ];
}

/** Pieces of words: no word of the index leads to them, so that the newest texts are read. */
export function pieces(seed: number, count: number): readonly TimedQuery[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, () => ({
    form: 'a piece of a word',
    q: `"${word(random).slice(1)}.${word(random).slice(0, -1)}"`,
  }));
}
