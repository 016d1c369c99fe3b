import type { Uuid } from '../../kernel/ids.ts';
import { maskText } from '../../redaction/index.ts';
import { mayTouch, needsInput, touchesOf } from '../files/tool-touches.ts';
import type { FileTouch } from '../files/touch.ts';
import type { MaskedItem, NewMessage, RecordBatch } from '../types.ts';
import { type Calls, siteKey } from './calls.ts';
import { prepared, type Queryable, type StorePool, transaction } from './connection.ts';
import { name } from './values.ts';

/** Longest input of a call that is read for what it does to files, in characters. */
const INPUT_CHARS = 1_000_000;
/** Characters at the beginning of a result that say whether the call failed. */
const RESULT_CHARS = 1000;
/** Messages that the filling of older archives looks at in one transaction. */
const MESSAGES_AT_ONCE = 200;

/** What a result did to a file: the item that holds the result, and the touch. */
interface TouchOfItem {
  readonly hash: Uint8Array;
  readonly position: number;
  readonly touch: FileTouch;
}

interface StoredCall {
  readonly hash: Buffer;
  readonly position: number;
  readonly tool_name: string;
  readonly tool_namespace: string | null;
  readonly path: string | null;
  readonly text: string | null;
}

/** What the results of a batch say that was read and changed, before anything is written. */
export async function touchesOfBatch(
  connection: Queryable,
  batch: RecordBatch,
  calls: Calls,
): Promise<readonly TouchOfItem[]> {
  const results = batch.messages.flatMap((message) =>
    message.items.flatMap((item, position) => {
      const call = calls.get(siteKey(message.hash, position));
      return item.kind === 'tool_result' && call ? [{ message, position, item, call }] : [];
    }),
  );
  if (results.length === 0) return [];
  const own = itemsAt(batch.messages);
  const elsewhere = results
    .map((one) => one.call)
    .filter((call) => !own.has(siteKey(call.message, call.position)));
  const stored = await readCalls(connection, batch.accountId, elsewhere);
  return results.flatMap(({ message, position, item, call }) => {
    const key = siteKey(call.message, call.position);
    const asked = own.get(key) ?? stored.get(key);
    const { tool } = asked ?? { tool: null };
    if (asked === undefined || tool?.name == null) return [];
    const touches = touchesOf({
      tool: tool.name,
      namespace: tool.namespace,
      input: asked.text.length > INPUT_CHARS ? '' : asked.text,
      path: asked.path,
      isError: item.tool?.isError ?? false,
      result: item.text.slice(0, RESULT_CHARS),
      folder: batch.folder ?? null,
    });
    return touches.map((touch) => ({ hash: message.hash, position, touch }));
  });
}

type AskedCall = Pick<MaskedItem, 'text' | 'path' | 'tool'>;

function itemsAt(messages: readonly NewMessage[]): ReadonlyMap<string, AskedCall> {
  return new Map(
    messages.flatMap((message) =>
      message.items.map((item, position) => [siteKey(message.hash, position), item] as const),
    ),
  );
}

async function readCalls(
  connection: Queryable,
  accountId: Uuid,
  sites: readonly { readonly message: Uint8Array; readonly position: number }[],
): Promise<ReadonlyMap<string, AskedCall>> {
  if (sites.length === 0) return new Map();
  const values = [accountId, sites.map((site) => site.message), sites.map((site) => site.position)];
  const { rows } = await connection.query<StoredCall>(prepared('touch_calls', CALLS, values));
  return new Map(rows.map((row) => [siteKey(row.hash, row.position), askedOf(row)]));
}

/** The text of a call only where its path does not say enough. */
const TEXT = `CASE WHEN i.chars <= ${INPUT_CHARS} AND (i.path IS NULL OR lower(i.tool_name) NOT IN ('read', 'write', 'edit'))
  THEN i.text END AS text`;

const CALLS = `
SELECT i.message_hash AS hash, i.position, i.tool_name, i.tool_namespace, i.path, ${TEXT}
FROM unnest($2::bytea[], $3::int[]) AS g(hash, position)
JOIN item i ON i.account_id = $1 AND i.message_hash = g.hash AND i.position = g.position
WHERE i.tool_name IS NOT NULL`;

function askedOf(row: StoredCall): AskedCall {
  return {
    text: row.text ?? '',
    path: row.path,
    tool: { callId: '', name: row.tool_name, namespace: row.tool_namespace, isError: false },
  };
}

/**
 * Writes touches beside their items, in the worktree of the first event that shows the item; an item that no event shows,
 * or that no worktree is known of, gets none, and one that has some keeps them.
 */
export async function insertTouches(
  connection: Queryable,
  accountId: Uuid,
  touches: readonly TouchOfItem[],
): Promise<void> {
  const plain = await withoutSecrets(touches);
  if (plain.length === 0) return;
  const counts = new Map<string, number>();
  const numbers = plain.map(({ hash, position }) => {
    const key = siteKey(hash, position);
    const n = counts.get(key) ?? 0;
    counts.set(key, n + 1);
    return n;
  });
  const values = [
    accountId,
    plain.map((one) => one.hash),
    plain.map((one) => one.position),
    numbers,
    plain.map((one) => name(one.touch.path)),
    plain.map((one) => one.touch.kind),
    plain.map((one) => one.touch.tree),
  ];
  await connection.query(prepared('insert_touches', INSERT, values));
}

/** Only whether something would be masked is asked: what it would be masked by does not matter. */
const NO_KEY = new Uint8Array(32);

/**
 * Touches without those whose path is or holds a secret. The text of a call is masked, but quotes and escapes that keep a
 * secret from being one there (`rm 'me'@"example.com"`) are taken off in the path.
 */
async function withoutSecrets(touches: readonly TouchOfItem[]): Promise<readonly TouchOfItem[]> {
  const holds = async (text: string) => (await maskText(text, NO_KEY)).text !== text;
  if (!(await holds(touches.map((one) => one.touch.path).join('\n')))) return touches;
  const kept: TouchOfItem[] = [];
  for (const one of touches) if (!(await holds(one.touch.path))) kept.push(one);
  return kept;
}

const INSERT = `
INSERT INTO file_touch (account_id, message_hash, position, n, worktree_id, path, kind, tree, at, seq)
SELECT $1, g.hash, g.position, g.n, seen.worktree_id, g.path, g.kind, g.tree, seen.at, seen.seq
FROM unnest($2::bytea[], $3::int[], $4::int[], $5::text[], $6::text[], $7::boolean[])
  AS g(hash, position, n, path, kind, tree)
CROSS JOIN LATERAL (
  SELECT e.worktree_id, e.at, e.seq FROM event e
  WHERE e.account_id = $1 AND e.message_hash = g.hash AND e.position = g.position AND e.worktree_id IS NOT NULL
  ORDER BY e.at, e.seq LIMIT 1
) seen
ON CONFLICT (account_id, message_hash, position, n) DO NOTHING`;

/**
 * Fills in the touches of messages that were stored before touches were kept, or imported without them. It goes on where
 * it was stopped, and does nothing once it is through. Answers how many messages it looked at.
 * @param stop asked before each piece: true ends it early
 */
export async function fillTouches(pool: StorePool, stop: () => boolean = () => false): Promise<number> {
  const { rows } = await pool.query<{ id: Uuid }>('SELECT id FROM account WHERE touch_cursor IS NOT NULL');
  let looked = 0;
  for (const { id } of rows) {
    for (let more = true; more && !stop(); ) {
      const count = await transaction(pool, (connection) => fillPiece(connection, id));
      looked += count;
      more = count === MESSAGES_AT_ONCE;
    }
  }
  return looked;
}

interface OldResult extends StoredCall {
  readonly is_error: boolean;
  readonly result: string;
  readonly folder: string | null;
}

async function fillPiece(connection: Queryable, accountId: Uuid): Promise<number> {
  const account = await connection.query<{ touch_cursor: Buffer | null }>(
    'SELECT touch_cursor FROM account WHERE id = $1 FOR NO KEY UPDATE',
    [accountId],
  );
  const cursor = account.rows[0]?.touch_cursor;
  if (!cursor) return 0;
  const page = await connection.query<{ hash: Buffer }>(
    `SELECT hash FROM message WHERE account_id = $1 AND hash > $2 ORDER BY hash LIMIT ${MESSAGES_AT_ONCE}`,
    [accountId, cursor],
  );
  const hashes = page.rows.map((row) => row.hash);
  const { rows } = await connection.query<OldResult>(OLD_RESULTS, [accountId, hashes]);
  const touches = rows.filter((row) => mayTouch(row.tool_name)).flatMap(oldTouches);
  await insertTouches(connection, accountId, touches);
  const next = hashes.length < MESSAGES_AT_ONCE ? null : (hashes.at(-1) ?? null);
  await connection.query('UPDATE account SET touch_cursor = $2 WHERE id = $1', [accountId, next]);
  return hashes.length;
}

/** What a stored result says. Its agent's working folder is known only where the worktree is a folder of no repository. */
const OLD_RESULTS = `
SELECT r.message_hash AS hash, r.position, r.is_error, left(r.text, ${RESULT_CHARS}) AS result,
  i.tool_name, i.tool_namespace, i.path, ${TEXT},
  (SELECT w.path FROM event e JOIN worktree w ON w.account_id = e.account_id AND w.id = e.worktree_id
   WHERE e.account_id = $1 AND e.message_hash = r.message_hash AND e.position = r.position AND EXISTS (
     SELECT 1 FROM project_identity p
     WHERE p.account_id = w.account_id AND p.project_id = w.project_id AND p.identity = 'folder:' || w.path)
   ORDER BY e.at, e.seq LIMIT 1) AS folder
FROM item r
JOIN item i ON i.account_id = r.account_id AND i.message_hash = r.call_message AND i.position = r.call_position
WHERE r.account_id = $1 AND r.message_hash = ANY($2::bytea[]) AND r.kind = 'tool_result' AND i.tool_name IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM file_touch f
    WHERE f.account_id = r.account_id AND f.message_hash = r.message_hash AND f.position = r.position)`;

function oldTouches(row: OldResult): readonly TouchOfItem[] {
  if (needsInput(row.tool_name) && row.text === null) return [];
  const touches = touchesOf({
    tool: row.tool_name,
    namespace: row.tool_namespace,
    input: row.text ?? '',
    path: row.path,
    isError: row.is_error,
    result: row.result,
    folder: row.folder,
  });
  return touches.map((touch) => ({ hash: row.hash, position: row.position, touch }));
}
