import { DOC_ID_PREFIX } from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { textOf } from '../text.ts';
import type { Queryable } from './connection.ts';

/** What the header line of an export says that it is. */
export const EXPORT_FORMAT = 'context-mode-session';
/** Grows when a reader of older exports would misread a newer one. */
export const EXPORT_VERSION = 1;

/** Events that are read at once. */
const EVENTS_AT_ONCE = 200;

type Row = Readonly<Record<string, unknown>>;

/**
 * A session as JSON Lines, one object a line with one field that names what it is: `header`, then `project`, `worktree`,
 * `thread`, then the log with each `blob`, `message` (items and aliases in it) before the first `event` that refers to it,
 * then `preamble`, `request`, `answer`, and `end` with the number of events, so that a cut export is seen. Hashes are hex,
 * bytes base64, times ISO 8601; texts are JSON strings and hold every character. No line where there is no such session.
 */
export async function* exportSession(
  pool: Queryable,
  accountId: Uuid,
  sessionId: Uuid,
): AsyncGenerator<string> {
  const ours = [accountId, sessionId];
  const [session] = await read(pool, 'SELECT * FROM session WHERE account_id = $1 AND id = $2', ours);
  if (!session) return;
  yield line('header', { format: EXPORT_FORMAT, version: EXPORT_VERSION, session: plain(session) });
  for (const project of await read(pool, PROJECTS, ours)) yield line('project', project);
  for (const worktree of await read(pool, WORKTREES, ours)) yield line('worktree', worktree);
  for (const thread of await read(pool, THREADS, ours)) yield line('thread', thread);
  yield* exportLog(pool, accountId, sessionId);
  for (const preamble of await read(pool, PREAMBLES, ours)) yield line('preamble', preamble);
  for (const request of await read(pool, REQUESTS, ours)) yield line('request', request);
  for (const answer of await read(pool, ANSWERS, ours)) yield line('answer', answer);
  yield line('end', { events: Number(session.next_seq) - 1 });
}

async function* exportLog(pool: Queryable, accountId: Uuid, sessionId: Uuid): AsyncGenerator<string> {
  const told = new Set<string>();
  for (let after = 0; ; ) {
    const events = await read(
      pool,
      `SELECT * FROM event WHERE account_id = $1 AND session_id = $2 AND seq > $3 ORDER BY seq LIMIT ${EVENTS_AT_ONCE}`,
      [accountId, sessionId, after],
    );
    for (const event of events) {
      const hash = event.message_hash;
      if (hash instanceof Buffer && !told.has(hash.toString('hex'))) {
        told.add(hash.toString('hex'));
        yield* exportMessage(pool, accountId, hash, told);
      }
      yield line('event', event);
      after = Number(event.seq);
    }
    if (events.length < EVENTS_AT_ONCE) return;
  }
}

async function* exportMessage(
  pool: Queryable,
  accountId: Uuid,
  hash: Buffer,
  told: Set<string>,
): AsyncGenerator<string> {
  const ours = [accountId, hash];
  const [message] = await read(pool, 'SELECT * FROM message WHERE account_id = $1 AND hash = $2', ours);
  const items = await read(
    pool,
    'SELECT * FROM item WHERE account_id = $1 AND message_hash = $2 ORDER BY position',
    ours,
  );
  const media = await read(
    pool,
    'SELECT * FROM media WHERE account_id = $1 AND message_hash = $2 ORDER BY position, n',
    ours,
  );
  const aliases = await read(pool, ALIASES, ours);
  for (const { blob_hash } of media) {
    const key = `blob ${(blob_hash as Buffer).toString('hex')}`;
    if (told.has(key)) continue;
    told.add(key);
    const [blob] = await read(pool, 'SELECT * FROM blob WHERE account_id = $1 AND hash = $2', [
      accountId,
      blob_hash,
    ]);
    if (blob) yield line('blob', { ...blob, bytes: (blob.bytes as Buffer).toString('base64') });
  }
  yield line('message', {
    ...message,
    items: items.map((item) => ({
      ...plain(item),
      docid: `${DOC_ID_PREFIX}${String(item.docid)}`,
      text: textOf(item as unknown as { text: string; exact: Buffer | null }),
      exact: undefined,
      body: item.body instanceof Buffer ? item.body.toString('base64') : null,
      media: media.filter((one) => one.position === item.position).map(plain),
    })),
    aliases: aliases.map(plain),
  });
}

const PROJECTS = `
SELECT p.*, (SELECT array_agg(i.identity ORDER BY i.identity) FROM project_identity i
             WHERE i.account_id = p.account_id AND i.project_id = p.id) AS identities
FROM project p WHERE p.account_id = $1
  AND p.id = (SELECT s.project_id FROM session s WHERE s.account_id = $1 AND s.id = $2)`;

const WORKTREES = `
SELECT w.* FROM worktree w WHERE w.account_id = $1 AND w.id IN (
  SELECT s.worktree_id FROM session s WHERE s.account_id = $1 AND s.id = $2
  UNION SELECT e.worktree_id FROM event e WHERE e.account_id = $1 AND e.session_id = $2)
ORDER BY w.id`;

const THREADS = 'SELECT * FROM thread WHERE account_id = $1 AND session_id = $2 ORDER BY created_at, id';

const ALIASES =
  'SELECT slice, parent FROM message_alias WHERE account_id = $1 AND message_hash = $2 ORDER BY slice, parent';

const PREAMBLES = `
SELECT p.hash, p.names, ARRAY(SELECT encode(b, 'base64') FROM unnest(p.bodies) AS b) AS bodies
FROM preamble p WHERE p.account_id = $1 AND p.hash IN (
  SELECT r.preamble_hash FROM request r WHERE r.account_id = $1 AND r.session_id = $2)
ORDER BY p.hash`;

const REQUESTS = 'SELECT * FROM request WHERE account_id = $1 AND session_id = $2 ORDER BY received_at, id';

const ANSWERS = `
SELECT a.id, a.request_id, a.provider_id, a.state, ARRAY(SELECT encode(m, 'hex') FROM unnest(a.messages) AS m) AS messages
FROM answer a WHERE a.account_id = $1 AND a.request_id IN (
  SELECT r.id FROM request r WHERE r.account_id = $1 AND r.session_id = $2)
ORDER BY a.id`;

async function read(pool: Queryable, sql: string, values: unknown[]): Promise<readonly Row[]> {
  const { rows } = await pool.query<Row>(sql, values);
  return rows;
}

/** A row without its account; hashes as hex. Times become ISO 8601 when they are written. */
function plain(row: Row): Row {
  const entries = Object.entries(row).filter(([column]) => column !== 'account_id');
  return Object.fromEntries(
    entries.map(([column, value]) => [column, value instanceof Buffer ? value.toString('hex') : value]),
  );
}

function line(name: string, row: Row): string {
  return `${JSON.stringify({ [name]: plain(row) })}\n`;
}
