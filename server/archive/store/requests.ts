import type { Uuid } from '../../kernel/ids.ts';
import type { AnswerRecord, PreamblePart, RequestOutcome, RequestRecord } from '../types.ts';
import type { RequestView } from '../view.ts';
import { prepared, type Queryable } from './connection.ts';
import { tellSoon } from './live.ts';
import { big, dateOf, name, nameOrNull, plainOrNull } from './values.ts';

/** Longest path and error text that is kept, in characters. */
const TEXT_CHARS = 2000;

/** Keeps what is known of a request; a second time with the same id writes nothing. */
export async function saveRequest(pool: Queryable, record: RequestRecord): Promise<void> {
  const values = [
    record.accountId,
    record.id,
    record.thread?.sessionId ?? null,
    record.thread?.threadId ?? null,
    record.door,
    name(record.method),
    short(record.path),
    record.agent,
    nameOrNull(record.agentVersion),
    record.kind,
    nameOrNull(record.model),
    record.stream,
    record.retry,
    dateOf(record.receivedAt),
    big(record.requestBytes) ?? '0',
    record.preambleHash,
    record.lastMessage,
    shortOrNull(record.note),
    record.view === null ? null : JSON.stringify(record.view, plainValue),
  ];
  await pool.query(prepared('save_request', SAVE_REQUEST, values));
  tellSoon(pool, {
    accountId: record.accountId,
    kind: 'request',
    sessionId: record.thread?.sessionId ?? null,
  });
}

/**
 * Locks account, then session: the order of every writer. Sessions are read by locking them, so that one that was
 * deleted while this waited is not taken for standing. A request of a session that was deleted is not kept; one that
 * names no session belongs to the one that its chain was archived in; one that belongs to none keeps nothing of its body.
 */
const SAVE_REQUEST = `
WITH now AS (
  UPDATE account SET clock_at = GREATEST(clock_at, $14::timestamptz) WHERE id = $1 RETURNING clock_at
), named AS (
  SELECT s.id AS session_id, $4::uuid AS thread_id FROM now CROSS JOIN session s
  WHERE s.account_id = $1 AND s.id = $3 FOR NO KEY UPDATE OF s
), chained AS (
  SELECT s.id AS session_id, e.thread_id FROM now CROSS JOIN event e
  JOIN session s ON s.account_id = e.account_id AND s.id = e.session_id
  WHERE $3::uuid IS NULL AND e.account_id = $1 AND e.message_hash = $17 AND s.client_session_id IS NULL
  ORDER BY s.last_seen_at DESC LIMIT 1 FOR NO KEY UPDATE OF s
), place AS (
  SELECT * FROM named UNION ALL SELECT * FROM chained
  UNION ALL SELECT NULL, NULL FROM now WHERE $3::uuid IS NULL AND NOT EXISTS (SELECT 1 FROM chained)
), written AS (
  INSERT INTO request (account_id, id, session_id, thread_id, door, method, path, agent, agent_version, kind, model,
    stream, retry, received_at, request_bytes, preamble_hash, last_message, note, view)
  SELECT $1, $2, place.session_id, place.thread_id, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14::timestamptz, $15,
    CASE WHEN place.session_id IS NOT NULL THEN $16::bytea END,
    CASE WHEN place.session_id IS NOT NULL THEN $17::bytea END, $18,
    CASE WHEN place.session_id IS NOT NULL THEN $19::json END
  FROM place
  ON CONFLICT (account_id, id) DO NOTHING
  RETURNING session_id, thread_id, received_at
), counted AS (
  UPDATE session s SET requests = s.requests + 1, last_seen_at = GREATEST(s.last_seen_at, written.received_at)
  FROM written WHERE s.account_id = $1 AND s.id = written.session_id
)
UPDATE thread t SET last_request = $17 FROM written
WHERE t.account_id = $1 AND t.id = written.thread_id AND $17::bytea IS NOT NULL`;

/** Sets what the model saw of a request. Nothing happens where the request itself was not kept, or keeps no view. */
export async function saveView(
  pool: Queryable,
  accountId: Uuid,
  requestId: Uuid,
  view: RequestView,
): Promise<void> {
  await pool.query(
    prepared('save_view', SAVE_VIEW, [accountId, requestId, JSON.stringify(view, plainValue)]),
  );
}

const SAVE_VIEW = `
UPDATE request SET view = $3::json WHERE account_id = $1 AND id = $2 AND session_id IS NOT NULL`;

/** Keeps how a request ended. Nothing happens where the request itself was not kept. */
export async function saveOutcome(pool: Queryable, outcome: RequestOutcome): Promise<void> {
  const { usage } = outcome;
  const values = [
    outcome.accountId,
    outcome.id,
    outcome.status,
    outcome.ending,
    big(outcome.responseBytes),
    outcome.headMs,
    outcome.firstByteMs,
    outcome.totalMs,
    outcome.ownMs,
    nameOrNull(outcome.providerRequestId),
    nameOrNull(outcome.stopReason),
    big(usage?.input ?? null),
    big(usage?.cacheRead ?? null),
    big(usage?.cacheWrite5m ?? null),
    big(usage?.cacheWrite1h ?? null),
    big(usage?.cacheWriteOther ?? null),
    big(usage?.output ?? null),
    big(usage?.reasoning ?? null),
    nameOrNull(outcome.error?.type ?? null),
    shortOrNull(outcome.error?.message ?? null),
  ];
  const { rows } = await pool.query<{ session_id: Uuid | null }>(
    prepared('save_outcome', SAVE_OUTCOME, values),
  );
  const [row] = rows;
  if (row) tellSoon(pool, { accountId: outcome.accountId, kind: 'request', sessionId: row.session_id });
}

const SAVE_OUTCOME = `
UPDATE request SET status = $3, ending = $4, response_bytes = $5, head_ms = $6, first_byte_ms = $7, total_ms = $8,
  own_ms = $9, provider_request_id = $10, stop_reason = $11, input_tokens = $12, cache_read_tokens = $13,
  cache_write_5m_tokens = $14, cache_write_1h_tokens = $15, cache_write_other_tokens = $16, output_tokens = $17,
  reasoning_tokens = $18, error_type = $19, error_message = $20
WHERE account_id = $1 AND id = $2 RETURNING session_id`;

/**
 * Keeps an answer; a second time with the same id replaces it (a partial answer may become whole). Nothing happens where
 * its request is not kept, or was deleted.
 */
export async function saveAnswer(pool: Queryable, answer: AnswerRecord): Promise<void> {
  const { accountId, id, requestId, providerId, state, messages } = answer;
  const values = [accountId, id, requestId, nameOrNull(providerId), state, messages];
  await pool.query(prepared('save_answer', SAVE_ANSWER, values));
}

const SAVE_ANSWER = `
INSERT INTO answer (account_id, id, request_id, provider_id, state, messages)
SELECT $1, $2, r.id, $4, $5, $6::bytea[] FROM request r WHERE r.account_id = $1 AND r.id = $3 FOR KEY SHARE
ON CONFLICT (account_id, id) DO UPDATE
  SET provider_id = EXCLUDED.provider_id, state = EXCLUDED.state, messages = EXCLUDED.messages`;

/**
 * Keeps the parts of a preamble (masked) once under their hash; they are asked for only where they are not kept yet.
 * Nothing happens where no kept request refers to it: call it behind {@link saveRequest}.
 */
export async function savePreamble(
  pool: Queryable,
  accountId: Uuid,
  hash: Uint8Array,
  partsOf: () => Promise<readonly PreamblePart[]>,
): Promise<void> {
  const known = await pool.query(prepared('find_preamble', FIND_PREAMBLE, [accountId, hash]));
  if (known.rows.length > 0) return;
  const parts = await partsOf();
  await pool.query(
    `INSERT INTO preamble (account_id, hash, names, bodies)
     SELECT $1, $2, $3::text[], $4::bytea[] FROM (
       SELECT 1 FROM request WHERE account_id = $1 AND preamble_hash = $2 LIMIT 1 FOR KEY SHARE
     ) referring
     ON CONFLICT (account_id, hash) DO NOTHING`,
    [accountId, hash, parts.map((part) => name(part.name)), parts.map((part) => part.body)],
  );
}

const FIND_PREAMBLE = 'SELECT 1 FROM preamble WHERE account_id = $1 AND hash = $2';

/** Texts in a value of JSON, made fit for PostgreSQL whatever is done with it there. */
function plainValue(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? plainOrNull(value) : value;
}

function short(text: string): string {
  return plainOrNull(text.slice(0, TEXT_CHARS)) ?? '';
}

function shortOrNull(text: string | null): string | null {
  return text === null ? null : short(text);
}
