import type { AgentName, RequestKind, Usage } from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type {
  ArchiveReader,
  Page,
  RequestDetail,
  RequestOutcome,
  RequestRow,
  RequestView,
} from '../types.ts';
import type { Queryable } from './connection.ts';
import { atLeastOne, pageOf, readCursor } from './cursor.ts';
import { MAIN_THREAD_NAME } from './log.ts';
import { MAIN_THREAD } from './threads.ts';
import { type Big, millisOf, numberOrNull } from './values.ts';

interface StoredRequest {
  readonly id: Uuid;
  readonly session_id: Uuid | null;
  readonly thread: string | null;
  readonly door: string;
  readonly path: string;
  readonly kind: RequestKind;
  readonly agent: AgentName;
  readonly model: string | null;
  readonly stream: boolean;
  readonly retry: boolean;
  readonly received_at: Date;
  readonly status: number | null;
  readonly ending: RequestOutcome['ending'] | null;
  readonly head_ms: number | null;
  readonly first_byte_ms: number | null;
  readonly total_ms: number | null;
  readonly own_ms: number | null;
  readonly request_bytes: Big;
  readonly response_bytes: Big | null;
  readonly input_tokens: Big | null;
  readonly cache_read_tokens: Big | null;
  readonly cache_write_5m_tokens: Big | null;
  readonly cache_write_1h_tokens: Big | null;
  readonly cache_write_other_tokens: Big | null;
  readonly output_tokens: Big | null;
  readonly reasoning_tokens: Big | null;
  readonly error_type: string | null;
  readonly error_message: string | null;
  readonly note: string | null;
}

/** Lists go without the views: these may be long. */
const REQUESTS = `
SELECT r.id, r.session_id, r.door, r.path, r.kind, r.agent, r.model, r.stream, r.retry, r.received_at, r.status, r.ending,
  r.head_ms, r.first_byte_ms, r.total_ms, r.own_ms, r.request_bytes, r.response_bytes, r.input_tokens, r.cache_read_tokens,
  r.cache_write_5m_tokens, r.cache_write_1h_tokens, r.cache_write_other_tokens, r.output_tokens, r.reasoning_tokens,
  r.error_type, r.error_message, r.note, t.client_thread_id AS thread
FROM request r LEFT JOIN thread t ON t.account_id = r.account_id AND t.id = r.thread_id
WHERE r.account_id = $1`;

/** Requests, newest first, of the account or of one session. */
export async function listRequests(
  pool: Queryable,
  accountId: Uuid,
  filter: Parameters<ArchiveReader['listRequests']>[1],
): Promise<Page<RequestRow>> {
  const limit = atLeastOne(filter.limit);
  const after = readCursor(filter.cursor);
  const ofSession = filter.sessionId === undefined ? '' : 'AND r.session_id = $5';
  const { rows } = await pool.query<StoredRequest>(
    `${REQUESTS} ${ofSession} AND ($2::timestamptz IS NULL OR (r.received_at, r.id) < ($2, $3::uuid))
     ORDER BY r.received_at DESC, r.id DESC LIMIT $4`,
    [
      accountId,
      after?.at ?? null,
      after?.id ?? null,
      limit + 1,
      ...(filter.sessionId === undefined ? [] : [filter.sessionId]),
    ],
  );
  return pageOf(rows, limit, (row) => ({ at: row.received_at, id: row.id }), requestOf);
}

/** One request, or null. */
export async function getRequest(pool: Queryable, accountId: Uuid, id: Uuid): Promise<RequestDetail | null> {
  const { rows } = await pool.query<StoredRequest>(`${REQUESTS} AND r.id = $2`, [accountId, id]);
  const [row] = rows;
  if (row === undefined) return null;
  const seen = await pool.query<{ view: RequestView | null }>(
    'SELECT view FROM request WHERE account_id = $1 AND id = $2',
    [accountId, id],
  );
  return { ...requestOf(row), view: seen.rows[0]?.view ?? null };
}

const AGENTS: readonly AgentName[] = ['claude-code', 'codex', 'opencode', 'pi', 'unknown'];

/**
 * A request of no conversation that names no agent tells of no agent: Claude Code looks at its address in this manner
 * each time it starts.
 */
const SAYS_WHO = `(r.agent <> 'unknown' OR r.kind <> 'other')`;

/** Per agent that was seen: when last and how often, and how the newest of its requests that ended went. */
export async function connections(
  pool: Queryable,
  accountId: Uuid,
): ReturnType<ArchiveReader['connections']> {
  const { rows } = await pool.query<{
    agent: AgentName;
    agent_version: string | null;
    received_at: Date;
    requests: number;
    status: number | null;
    error_type: string | null;
    error_message: string | null;
  }>(
    `SELECT a.agent, newest.agent_version, newest.received_at, ended.status, ended.error_type, ended.error_message,
       (SELECT count(*)::int FROM request r WHERE r.account_id = $1 AND r.agent = a.agent AND ${SAYS_WHO}) AS requests
     FROM unnest($2::text[]) AS a(agent)
     CROSS JOIN LATERAL (
       SELECT r.agent_version, r.received_at FROM request r WHERE r.account_id = $1 AND r.agent = a.agent AND ${SAYS_WHO}
       ORDER BY r.received_at DESC LIMIT 1
     ) newest
     LEFT JOIN LATERAL (
       SELECT r.status, r.error_type, r.error_message FROM request r
       WHERE r.account_id = $1 AND r.agent = a.agent AND ${SAYS_WHO} AND r.ending IS NOT NULL
       ORDER BY r.received_at DESC LIMIT 1
     ) ended ON true
     ORDER BY newest.received_at DESC, a.agent`,
    [accountId, AGENTS],
  );
  return rows.map((row) => ({
    agent: row.agent,
    agentVersion: row.agent_version,
    lastSeenAt: millisOf(row.received_at),
    requests: row.requests,
    lastStatus: row.status,
    lastError: errorOf(row),
  }));
}

function requestOf(row: StoredRequest): RequestRow {
  return {
    id: row.id,
    sessionId: row.session_id,
    thread: row.thread === MAIN_THREAD ? MAIN_THREAD_NAME : row.thread,
    door: row.door,
    path: row.path,
    kind: row.kind,
    agent: row.agent,
    model: row.model,
    stream: row.stream,
    retry: row.retry,
    receivedAt: millisOf(row.received_at),
    status: row.status,
    ending: row.ending,
    headMs: row.head_ms,
    firstByteMs: row.first_byte_ms,
    totalMs: row.total_ms,
    ownMs: row.own_ms,
    requestBytes: Number(row.request_bytes),
    responseBytes: numberOrNull(row.response_bytes),
    usage: usageOf(row),
    error: errorOf(row),
    note: row.note,
  };
}

/** The buckets as they were reported; null where the provider reported none. */
function usageOf(row: StoredRequest): Usage | null {
  const usage: Usage = {
    input: numberOrNull(row.input_tokens),
    cacheRead: numberOrNull(row.cache_read_tokens),
    cacheWrite5m: numberOrNull(row.cache_write_5m_tokens),
    cacheWrite1h: numberOrNull(row.cache_write_1h_tokens),
    cacheWriteOther: numberOrNull(row.cache_write_other_tokens),
    output: numberOrNull(row.output_tokens),
    reasoning: numberOrNull(row.reasoning_tokens),
  };
  return Object.values(usage).every((count) => count === null) ? null : usage;
}

function errorOf(row: Pick<StoredRequest, 'error_type' | 'error_message'>): RequestRow['error'] {
  return row.error_type === null ? null : { type: row.error_type, message: row.error_message ?? '' };
}
