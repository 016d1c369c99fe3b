import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Uuid } from '../../../server/kernel/ids.ts';
import { codeLines, filePath, identifier, logLines, prose, word } from '../../evals/search/filler.ts';
import { type Random, randomFrom } from '../../evals/search/random.ts';

/** Items that are written with one statement. */
const ITEMS = 4_000;
/** Sessions that the items are spread over. */
const SESSION_ITEMS = 2_000;

interface Row {
  readonly kind: 'input' | 'answer' | 'tool_result';
  readonly text: string;
}

/** An item of about a chunk: what people type and models answer, source code, logs. */
function rowOf(random: Random): Row {
  const form = random.below(10);
  if (form === 0) return { kind: 'input', text: prose(random, 1 + random.below(4)) };
  if (form < 3) return { kind: 'answer', text: prose(random, 4 + random.below(12)) };
  if (form < 7) return { kind: 'tool_result', text: codeLines(random, 20 + random.below(16)) };
  return { kind: 'tool_result', text: logLines(random, 8 + random.below(6)) };
}

/**
 * Fills an account with items straight into the archive's tables, as many as give about `chunks` chunks, in sessions of
 * their own. The archive's writer is measured apart; here only the index is to grow.
 */
export async function fill(pool: pg.Pool, accountId: Uuid, chunks: number, seed: number): Promise<number> {
  const random = randomFrom(seed);
  let bytes = 0;
  for (let done = 0; done < chunks; done += ITEMS) {
    const rows = Array.from({ length: Math.min(ITEMS, chunks - done) }, () => rowOf(random));
    bytes += rows.reduce((sum, row) => sum + Buffer.byteLength(row.text), 0);
    const hashes = rows.map((_, at) =>
      createHash('sha256')
        .update(`${seed} ${done + at}`)
        .digest(),
    );
    await pool.query(INSERT, [
      accountId,
      hashes,
      rows.map((row) => (row.kind === 'answer' ? 'assistant' : 'user')),
      rows.map((row) => row.kind),
      rows.map((row) => row.text),
      hashes.map((hash) => hash.toString('hex').slice(0, 24)),
      rows.map((_, at) => Math.floor((done + at) / SESSION_ITEMS)),
      rows.map((_, at) => ((done + at) % SESSION_ITEMS) + 1),
      seed,
    ]);
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

/** The queries that are timed: questions, names, flags, phrases, beginnings, with and without filters. */
export function queriesOf(seed: number, count: number): readonly string[] {
  const random = randomFrom(seed);
  const some = (words: number) => Array.from({ length: words }, () => word(random)).join(' ');
  return Array.from({ length: count }, (_, at) => {
    const form = at % 10;
    if (form < 3) return `What did we decide about the ${some(2)} and the ${some(1)} of the ${some(2)}?`;
    if (form < 5) return some(2 + random.below(3));
    if (form === 5) return identifier(random);
    if (form === 6) return `${identifier(random)} ${some(2)}`;
    if (form === 7) return filePath(random);
    if (form === 8) return `"${some(2)}"`;
    return `${some(2)} ${word(random).slice(0, 4)}*`;
  });
}
