import { hexOf, sameBytes } from '../../conversation/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { MessageHash, NewMark, NewMessage, RecordBatch } from '../types.ts';
import { findCalls } from './calls.ts';
import { inChainOrder, type MissingMessage, readMissing, startsOf } from './chain-gap.ts';
import {
  codeOf,
  prepared,
  type Queryable,
  StaleRead,
  type StorePool,
  TakenBack,
  transaction,
} from './connection.ts';
import { insertContent, tick } from './content.ts';
import { insertTouches, touchesOfBatch } from './file-touches.ts';
import { copyForkedLog } from './fork.ts';
import { tellSoon } from './live.ts';
import { type LockedSession, lockSession } from './session-lock.ts';
import { MAIN_THREAD } from './threads.ts';
import { titleFrom } from './title.ts';
import { leaveToLearn } from './unlearned.ts';
import { dateOf, json } from './values.ts';

/**
 * Writes one request's part of the archive in one transaction: content that is not there yet, then, under the locks of
 * account and session, the log. The log is completed from the chain: every message above the batch's newest that has no
 * event in this session gets one, so that a fork or a lost batch leaves no hole.
 */
export async function append(
  pool: StorePool,
  clock: Clock,
  key: Uint8Array,
  given: RecordBatch,
): Promise<{ readonly appended: number }> {
  const batch = { ...given, messages: distinct(given.messages) };
  const calls = await findCalls(pool, batch);
  const touches = await touchesOfBatch(pool, batch, calls);
  let longIds = false;
  const written = await transaction(pool, async (connection) => {
    try {
      await insertContent(connection, batch, { key, calls, longIds });
    } catch (error) {
      if (codeOf(error) === '23505') longIds = true;
      throw error;
    }
    const appended = await appendLog(connection, clock, key, batch);
    await insertTouches(connection, batch.accountId, touches);
    return appended;
  }).catch((error: unknown) => {
    if (error instanceof TakenBack) return { appended: 0, sessionId: null };
    throw error;
  });
  if (written.sessionId !== null && written.appended > 0) {
    tellSoon(pool, { accountId: batch.accountId, kind: 'log', sessionId: written.sessionId });
  }
  return { appended: written.appended };
}

function distinct(messages: readonly NewMessage[]): readonly NewMessage[] {
  return [...new Map(messages.map((message) => [hexOf(message.hash), message])).values()];
}

async function appendLog(
  connection: Queryable,
  clock: Clock,
  key: Uint8Array,
  batch: RecordBatch,
): Promise<{ readonly appended: number; readonly sessionId: Uuid | null }> {
  const starts = startsOf(batch);
  if (starts.length === 0 && batch.marks.length === 0) return { appended: 0, sessionId: null };
  const { at, erasures } = await tick(connection, batch.accountId, batch.at);
  if (batch.asOf !== null && batch.asOf !== erasures)
    throw new StaleRead('something was deleted since the chain was looked up');
  let session = await lockSession(connection, clock, key, batch, at);
  const readOn = async () =>
    inChainOrder(await readMissing(connection, batch.accountId, session.id, starts), batch);
  let missing = await readOn();
  const mayBringTitle = missing.length > batch.messages.length || batch.messages.some(hasTypedWords);
  let appended = 0;
  if (session.next_seq === 1 && missing.length > 1) {
    const copied = await copyForkedLog(connection, clock, batch.accountId, session, missing);
    if (copied.events > 0) {
      appended += copied.events;
      session = { ...session, next_seq: copied.events + 1, head: copied.head };
      missing = await readOn();
    }
  }
  const marks = marksOf(batch, session, missing);
  if (missing.length > 0 || marks.length > 0)
    appended += await writeEvents(connection, batch, session, missing, marks);
  await leaveToLearn(connection, batch, session, missing);
  if (session.title === '' && mayBringTitle) await setTitle(connection, batch.accountId, session.id);
  return { appended, sessionId: session.id };
}

/**
 * When the events of a batch were seen, the batch's own moment first, then each message's: as given, or by the recorder's
 * clock; never before what stands above them in the log.
 */
function seenAt(batch: RecordBatch, session: LockedSession, missing: readonly MissingMessage[]) {
  const given = new Map(batch.messages.map((message) => [hexOf(message.hash), message.at]));
  const begins = Math.max(batch.at, session.last_at?.getTime() ?? batch.at);
  let last = begins;
  const times = missing.map((message) => {
    last = Math.max(last, given.get(hexOf(message.hash)) ?? batch.at);
    return new Date(last);
  });
  return { begins: new Date(begins), times, ends: new Date(last) };
}

function hasTypedWords(message: NewMessage): boolean {
  return message.items.some((item) => item.kind === 'input');
}

/**
 * The marks to write. Whether the head moved is decided here, under the session's lock: it did if the chain to the new
 * head leaves the log elsewhere than at the thread's head. A move that the batch names but that did not happen (another
 * gateway was first) is left out; one that it does not name is added.
 */
function marksOf(
  batch: RecordBatch,
  session: LockedSession,
  missing: readonly MissingMessage[],
): readonly NewMark[] {
  const others = batch.marks.filter((mark) => mark.kind !== 'head_move');
  if (batch.head === null || session.head === null) return others;
  const named = batch.marks.find((mark) => mark.kind === 'head_move');
  const byHash = new Map(missing.map((message) => [hexOf(message.hash), message]));
  let base: Uint8Array = batch.head;
  for (let message = byHash.get(hexOf(base)); message; message = byHash.get(hexOf(base)))
    base = message.parent;
  const adds = byHash.has(hexOf(batch.head));
  if (sameBytes(base, session.head) || (!adds && named === undefined)) return others;
  return [{ kind: 'head_move', message: base as MessageHash, data: named?.data ?? {} }, ...others];
}

/** Marks that say what the messages after them go on from. */
const BEFORE: ReadonlySet<string> = new Set(['head_move', 'client_compaction']);

async function writeEvents(
  connection: Queryable,
  batch: RecordBatch,
  session: LockedSession,
  missing: readonly MissingMessage[],
  marks: readonly NewMark[],
): Promise<number> {
  const { begins, times, ends } = seenAt(batch, session, missing);
  const isMain = session.client_thread_id === MAIN_THREAD;
  const movesHead =
    batch.head !== null && (missing.length > 0 || marks.some((mark) => mark.kind === 'head_move'));
  const values = [
    batch.accountId,
    session.id,
    session.thread_id,
    batch.thread?.place?.worktreeId ?? session.worktree_id,
    ends,
    missing.map((message) => message.hash),
    marks.map((mark) => mark.kind),
    marks.map((mark) => mark.message),
    marks.map((mark) => json(mark.data)),
    marks.map((mark) => (BEFORE.has(mark.kind) ? 0 : 2)),
    isMain,
    movesHead ? batch.head : null,
    missing.length === 0,
    dateOf(batch.at),
    times,
    marks.map((mark) => (BEFORE.has(mark.kind) ? begins : ends)),
    batch.messages.some((message) => message.at !== undefined),
  ];
  const { rows } = await connection.query<{ appended: number }>(
    prepared('write_events', WRITE_EVENTS, values),
  );
  return rows[0]?.appended ?? 0;
}

/**
 * A batch that comes again (it brings no message and its marks are there, no older than itself) writes nothing. When the
 * call of a result was logged is asked for only where that was before this batch: a search among the rows that this very
 * statement writes finds nothing, and goes through all of them again and again. Items are looked up message by message,
 * whatever the server believes about how many an account has.
 */
const WRITE_EVENTS = `
WITH taken AS (
  SELECT next_seq FROM session WHERE account_id = $1 AND id = $2
), line AS (
  SELECT 1 AS phase, g.place, COALESCE(i.position, 0) AS position, COALESCE(i.kind, 'unknown') AS kind, g.hash,
    NULL::jsonb AS data, i.call_message, i.call_position, g.at
  FROM unnest($6::bytea[], $15::timestamptz[]) WITH ORDINALITY AS g(hash, at, place)
  LEFT JOIN LATERAL (
    SELECT position, kind, call_message, call_position FROM item
    WHERE account_id = $1 AND message_hash = g.hash OFFSET 0
  ) i ON true
  UNION ALL
  SELECT g.phase, g.place, NULL, g.kind, m.hash, g.data::jsonb, NULL, NULL, g.at
  FROM unnest($7::text[], $8::bytea[], $9::text[], $10::int[], $16::timestamptz[])
    WITH ORDINALITY AS g(kind, hash, data, phase, at, place)
  LEFT JOIN message m ON m.account_id = $1 AND m.hash = g.hash
  WHERE NOT ($13::boolean AND EXISTS (
    SELECT 1 FROM event e WHERE e.account_id = $1 AND e.session_id = $2 AND e.thread_id = $3 AND e.kind = g.kind
      AND e.message_hash IS NOT DISTINCT FROM m.hash AND e.data = g.data::jsonb AND e.at >= $14))
), numbered AS (
  SELECT line.*, (row_number() OVER (ORDER BY phase, place, position) - 1)::int AS n FROM line
), written AS (
  INSERT INTO event (account_id, session_id, seq, thread_id, kind, message_hash, position, worktree_id, at, duration_ms, data)
  SELECT $1, $2, taken.next_seq + n, $3, l.kind, l.hash, l.position, $4, l.at, CASE
      WHEN l.call_message IS NULL THEN NULL
      WHEN l.call_message IN (SELECT unnest($6::bytea[])) THEN CASE WHEN $17::boolean THEN (
        SELECT (extract(epoch FROM l.at - c.at) * 1000)::bigint
        FROM unnest($6::bytea[], $15::timestamptz[]) AS c(hash, at) WHERE c.hash = l.call_message) END
      ELSE (SELECT (extract(epoch FROM l.at - c.at) * 1000)::bigint FROM event c
        WHERE c.account_id = $1 AND c.session_id = $2 AND c.message_hash = l.call_message AND c.position = l.call_position)
    END, l.data
  FROM numbered l CROSS JOIN taken
  RETURNING kind, message_hash
), moved AS (
  UPDATE thread SET head = COALESCE($12::bytea, head) WHERE account_id = $1 AND id = $3
), counted AS (
  UPDATE session SET
    next_seq = next_seq + (SELECT count(*)::int FROM written),
    turns = turns + CASE WHEN $11::boolean
      THEN (SELECT count(DISTINCT message_hash)::int FROM written WHERE kind = 'input') ELSE 0 END,
    last_seen_at = GREATEST(last_seen_at, $5)
  WHERE account_id = $1 AND id = $2
)
SELECT count(*)::int AS appended FROM written`;

async function setTitle(connection: Queryable, accountId: Uuid, sessionId: Uuid): Promise<void> {
  const { rows } = await connection.query<{ start: string }>(
    `SELECT left(i.text, 2000) AS start
     FROM event e
     JOIN thread t ON t.account_id = e.account_id AND t.id = e.thread_id
     JOIN item i ON i.account_id = e.account_id AND i.message_hash = e.message_hash AND i.position = e.position
     WHERE e.account_id = $1 AND e.session_id = $2 AND e.kind = 'input' AND t.client_thread_id = '${MAIN_THREAD}'
       AND i.text ~ '\\S'
     ORDER BY e.seq LIMIT 1`,
    [accountId, sessionId],
  );
  const title = titleFrom(rows[0]?.start ?? '');
  if (title === '') return;
  await connection.query('UPDATE session SET title = $3 WHERE account_id = $1 AND id = $2', [
    accountId,
    sessionId,
    title,
  ]);
}
