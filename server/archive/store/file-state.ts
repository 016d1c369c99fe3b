import type { Uuid } from '../../kernel/ids.ts';
import { foldersAbove } from '../files/paths.ts';
import type { Document, DocumentMention, FileChange } from '../types.ts';
import type { Queryable } from './connection.ts';
import { documentAt, type StoredItem } from './find-document.ts';
import { millisOf } from './values.ts';

/** Files of one document whose later changes are looked for at most. */
const FILES = 50;

interface Touch {
  readonly worktree_id: Uuid;
  readonly path: string;
  readonly at: Date;
  readonly seq: number;
}

interface LaterTouch {
  readonly message_hash: Buffer;
  readonly position: number;
  /** The file that the document shows; the touch itself may be of a folder above it. */
  readonly file: string;
  readonly kind: FileChange['kind'];
  readonly at: Date;
  readonly seq: number;
}

/**
 * Of a document that shows files (its text stands in `told`): the newest later change of one of them in the same
 * worktree, and the newest read of that file behind the change. Nothing where the text is still what the archive knows.
 */
export async function fileState(
  pool: Queryable,
  accountId: Uuid,
  told: StoredItem,
): Promise<Pick<Document, 'changed' | 'fresh'>> {
  if (told.kind !== 'tool_result') return {};
  const { rows } = await pool.query<Touch>(
    `SELECT worktree_id, path, at, seq FROM file_touch
     WHERE account_id = $1 AND message_hash = $2 AND position = $3 AND kind = 'read' ORDER BY n LIMIT ${FILES}`,
    [accountId, told.message_hash, told.position],
  );
  const [first] = rows;
  if (first === undefined) return {};
  const change = await newestChange(
    pool,
    accountId,
    first,
    rows.map((row) => row.path),
  );
  if (change === null) return {};
  const changed = await mentionOf(pool, accountId, change);
  if (changed === null) return {};
  const read = await newestRead(pool, accountId, first.worktree_id, change);
  const fresh = read === null ? null : await mentionOf(pool, accountId, read);
  return {
    changed: { ...changed, path: change.file, kind: change.kind },
    ...(fresh === null ? {} : { fresh }),
  };
}

async function newestChange(
  pool: Queryable,
  accountId: Uuid,
  read: Touch,
  files: readonly string[],
): Promise<LaterTouch | null> {
  const sought = files.flatMap((file) => [
    { file, path: file, isFile: true },
    ...foldersAbove(file).map((path) => ({ file, path, isFile: false })),
  ]);
  const { rows } = await pool.query<LaterTouch>(
    `SELECT f.message_hash, f.position, g.file, f.kind, f.at, f.seq
     FROM unnest($5::text[], $6::text[], $7::boolean[]) AS g(file, path, is_file)
     JOIN file_touch f ON f.account_id = $1 AND f.worktree_id = $2 AND f.path = g.path
     WHERE f.kind <> 'read' AND (g.is_file OR f.tree) AND (f.at, f.seq) > ($3::timestamptz, $4::int)
     ORDER BY f.at DESC, f.seq DESC, g.file LIMIT 1`,
    [
      accountId,
      read.worktree_id,
      read.at,
      read.seq,
      sought.map((one) => one.file),
      sought.map((one) => one.path),
      sought.map((one) => one.isFile),
    ],
  );
  return rows[0] ?? null;
}

async function newestRead(
  pool: Queryable,
  accountId: Uuid,
  worktreeId: Uuid,
  change: LaterTouch,
): Promise<Pick<LaterTouch, 'message_hash' | 'position' | 'at'> | null> {
  const { rows } = await pool.query<LaterTouch>(
    `SELECT message_hash, position, at FROM file_touch
     WHERE account_id = $1 AND worktree_id = $2 AND path = $3 AND kind = 'read' AND (at, seq) > ($4::timestamptz, $5::int)
     ORDER BY at DESC, seq DESC LIMIT 1`,
    [accountId, worktreeId, change.file, change.at, change.seq],
  );
  return rows[0] ?? null;
}

async function mentionOf(
  pool: Queryable,
  accountId: Uuid,
  touch: Pick<LaterTouch, 'message_hash' | 'position' | 'at'>,
): Promise<DocumentMention | null> {
  const found = await documentAt(pool, accountId, touch.message_hash, touch.position);
  return found === null ? null : { docid: found.docid, at: millisOf(touch.at) };
}
