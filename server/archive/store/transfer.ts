import { DOC_ID_PREFIX, hexOf } from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { textOf } from '../text.ts';
import type { Queryable } from './connection.ts';

/** What the header line of an export says that it is. */
export const EXPORT_FORMAT = 'context-mode-session';
/** Grows when a reader of older exports would misread a newer one. */
export const EXPORT_VERSION = 1;

/** Events that are read at once, and bytes of messages after which no further one is read with them. */
const EVENTS_AT_ONCE = 200;
const BYTES_AT_ONCE = 4 * 1024 * 1024;

type Row = Readonly<Record<string, unknown>>;

/**
 * A session as JSON Lines, one object a line with one field that names what it is: `header`, then `project`, `worktree`,
 * `thread`, then the log with each `blob`, `message` (items, their media and file touches, and aliases in it) before the
 * first `event` that refers to it, then `preamble`, `request`, `answer`, and `end` with the number of events, so that a
 * cut export is seen. Hashes are hex, bytes base64, times ISO 8601; texts are JSON strings and hold every character. No
 * line where there is no such session.
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
  yield* exportLog(pool, ours, Number(session.next_seq));
  for (const preamble of await read(pool, PREAMBLES, ours)) yield line('preamble', preamble);
  for (const request of await read(pool, REQUESTS, ours)) yield line('request', request);
  for (const answer of await read(pool, ANSWERS, ours)) yield line('answer', answer);
  yield line('end', { events: Number(session.next_seq) - 1 });
}

/** The log up to a position (left out): what is written behind it meanwhile belongs to a later export. */
async function* exportLog(
  pool: Queryable,
  [accountId, sessionId]: readonly string[],
  end: number,
): AsyncGenerator<string> {
  const told = new Set<string>();
  for (let after = 0; ; ) {
    const events = await read(
      pool,
      `SELECT * FROM event WHERE account_id = $1 AND session_id = $2 AND seq > $3 AND seq < $4
       ORDER BY seq LIMIT ${EVENTS_AT_ONCE}`,
      [accountId, sessionId, after, end],
    );
    const fresh = events
      .map((event) => event.message_hash)
      .filter((hash): hash is Buffer => hash instanceof Buffer && !told.has(hexOf(hash)));
    const pieces = await piecesOf(pool, accountId, fresh);
    let messages: ReadonlyMap<string, readonly string[]> = new Map();
    for (const event of events) {
      const hash = event.message_hash instanceof Buffer ? hexOf(event.message_hash) : null;
      if (hash !== null && !told.has(hash)) {
        if (!messages.has(hash))
          messages = await exportMessages(pool, accountId, pieces.get(hash) ?? [], told);
        told.add(hash);
        yield* messages.get(hash) ?? [];
      }
      yield line('event', event);
      after = Number(event.seq);
    }
    if (events.length < EVENTS_AT_ONCE) return;
  }
}

/** Each of the messages with those that are read together with it, by hash. */
async function piecesOf(
  pool: Queryable,
  accountId: string | undefined,
  hashes: readonly Buffer[],
): Promise<ReadonlyMap<string, readonly Buffer[]>> {
  const found = new Map<string, Buffer[]>();
  if (hashes.length === 0) return found;
  const rows = await read(
    pool,
    `SELECT i.message_hash AS hash, sum(i.bytes + COALESCE(octet_length(i.body), 0) + COALESCE((
         SELECT sum(b.size) FROM media f JOIN blob b ON b.account_id = f.account_id AND b.hash = f.blob_hash
         WHERE f.account_id = i.account_id AND f.message_hash = i.message_hash AND f.position = i.position
       ), 0))::float8 AS bytes
     FROM item i WHERE i.account_id = $1 AND i.message_hash = ANY($2::bytea[]) GROUP BY i.message_hash`,
    [accountId, hashes],
  );
  const sizes = new Map(rows.map((row) => [hexOf(row.hash as Buffer), Number(row.bytes)]));
  let piece: Buffer[] = [];
  let bytes = 0;
  for (const hash of hashes) {
    const key = hexOf(hash);
    if (found.has(key)) continue;
    const size = sizes.get(key) ?? 0;
    if (piece.length > 0 && bytes + size > BYTES_AT_ONCE) {
      piece = [];
      bytes = 0;
    }
    piece.push(hash);
    bytes += size;
    found.set(key, piece);
  }
  return found;
}

/**
 * The lines of messages, by hash: binary content that was not told before, then the message. The messages are given in
 * the order in which their lines are told, so that of several that hold the same content the first one brings it.
 */
async function exportMessages(
  pool: Queryable,
  accountId: string | undefined,
  hashes: readonly Buffer[],
  told: Set<string>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const ours = [accountId, hashes];
  const of = (table: string, order: string) =>
    read(
      pool,
      `SELECT * FROM ${table} WHERE account_id = $1 AND message_hash = ANY($2::bytea[]) ORDER BY ${order}`,
      ours,
    );
  const messages = await read(
    pool,
    `SELECT * FROM message WHERE account_id = $1 AND hash = ANY($2::bytea[])
     ORDER BY array_position($2::bytea[], hash)`,
    ours,
  );
  const items = groupBy(await of('item', 'position'));
  const media = groupBy(await of('media', 'position, n'));
  const touches = groupBy(await of('file_touch', 'position, n'));
  const aliases = groupBy(await of('message_alias', 'slice, parent'));
  const lines = new Map<string, readonly string[]>();
  for (const message of messages) {
    const key = hexOf(message.hash as Buffer);
    const ownMedia = media.get(key) ?? [];
    const blobs = await exportBlobs(pool, accountId, ownMedia, told);
    lines.set(key, [
      ...blobs,
      line('message', {
        ...message,
        items: (items.get(key) ?? []).map((item) => ({
          ...plain(item),
          docid: `${DOC_ID_PREFIX}${String(item.docid)}`,
          text: textOf(item as unknown as { text: string; exact: Buffer | null }),
          exact: undefined,
          body: item.body instanceof Buffer ? item.body.toString('base64') : null,
          media: ownMedia.filter((one) => one.position === item.position).map(plain),
          touches: (touches.get(key) ?? []).filter((one) => one.position === item.position).map(plain),
        })),
        aliases: (aliases.get(key) ?? []).map(({ slice, parent }) => plain({ slice, parent })),
      }),
    ]);
  }
  return lines;
}

async function exportBlobs(
  pool: Queryable,
  accountId: string | undefined,
  media: readonly Row[],
  told: Set<string>,
): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const { blob_hash: hash } of media) {
    const key = `blob ${hexOf(hash as Buffer)}`;
    if (told.has(key)) continue;
    told.add(key);
    const [blob] = await read(pool, 'SELECT * FROM blob WHERE account_id = $1 AND hash = $2', [
      accountId,
      hash,
    ]);
    if (blob) lines.push(line('blob', { ...blob, bytes: (blob.bytes as Buffer).toString('base64') }));
  }
  return lines;
}

function groupBy(rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = hexOf(row.message_hash as Buffer);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
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
