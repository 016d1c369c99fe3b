import type { Uuid } from '../../kernel/ids.ts';
import { foldersAbove } from '../files/paths.ts';
import type { Document, DocumentMention, FileChange } from '../types.ts';
import { prepared, type Queryable } from './connection.ts';
import { documentAt } from './find-document.ts';
import { millisOf } from './values.ts';

/** That a document shows a file as it was at a time (ISO 8601) and place. */
export interface FileRead {
  readonly worktreeId: Uuid;
  readonly path: string;
  readonly at: string;
  readonly seq: number;
}

interface LaterTouch {
  readonly message_hash: Buffer;
  readonly position: number;
  /** The file that the document shows; the touch itself may be of a folder above it. */
  readonly file: string;
  readonly kind: FileChange['kind'];
  readonly at: Date;
  /** The newest read of the file behind it. */
  readonly read_hash: Buffer | null;
  readonly read_position: number | null;
  readonly read_at: Date | null;
}

/**
 * Of a document that shows files (as `reads` says, all in one worktree): the newest later change of one of them there, and
 * the newest read of that file behind the change. Nothing where the text is still what the archive knows.
 */
export async function fileState(
  pool: Queryable,
  accountId: Uuid,
  reads: readonly FileRead[],
): Promise<Pick<Document, 'changed' | 'fresh'>> {
  const [first] = reads;
  if (first === undefined) return {};
  const change = await newestChange(
    pool,
    accountId,
    first,
    reads.map((read) => read.path),
  );
  if (change === null) return {};
  const { read_hash, read_position, read_at } = change;
  const [changed, fresh] = await Promise.all([
    mentionOf(pool, accountId, change.message_hash, change.position, change.at),
    read_hash === null || read_position === null || read_at === null
      ? null
      : mentionOf(pool, accountId, read_hash, read_position, read_at),
  ]);
  if (changed === null) return {};
  return {
    changed: { ...changed, path: change.file, kind: change.kind },
    ...(fresh === null ? {} : { fresh }),
  };
}

const NEWEST_CHANGE = `
SELECT c.*, r.message_hash AS read_hash, r.position AS read_position, r.at AS read_at
FROM (
  SELECT f.message_hash, f.position, g.file, f.kind, f.at, f.seq
  FROM unnest($5::text[], $6::text[], $7::boolean[]) AS g(file, path, is_file)
  JOIN file_touch f ON f.account_id = $1 AND f.worktree_id = $2 AND f.path = g.path
  WHERE f.kind <> 'read' AND (g.is_file OR f.tree) AND (f.at, f.seq) > ($3::timestamptz, $4::int)
  ORDER BY f.at DESC, f.seq DESC, g.file LIMIT 1
) c
LEFT JOIN LATERAL (
  SELECT l.message_hash, l.position, l.at FROM file_touch l
  WHERE l.account_id = $1 AND l.worktree_id = $2 AND l.path = c.file AND l.kind = 'read' AND (l.at, l.seq) > (c.at, c.seq)
  ORDER BY l.at DESC, l.seq DESC LIMIT 1
) r ON true`;

async function newestChange(
  pool: Queryable,
  accountId: Uuid,
  read: FileRead,
  files: readonly string[],
): Promise<LaterTouch | null> {
  const sought = files.flatMap((file) => [
    { file, path: file, isFile: true },
    ...foldersAbove(file).map((path) => ({ file, path, isFile: false })),
  ]);
  const { rows } = await pool.query<LaterTouch>(
    prepared('newest_change', NEWEST_CHANGE, [
      accountId,
      read.worktreeId,
      read.at,
      read.seq,
      sought.map((one) => one.file),
      sought.map((one) => one.path),
      sought.map((one) => one.isFile),
    ]),
  );
  return rows[0] ?? null;
}

async function mentionOf(
  pool: Queryable,
  accountId: Uuid,
  hash: Uint8Array,
  position: number,
  at: Date,
): Promise<DocumentMention | null> {
  const found = await documentAt(pool, accountId, hash, position);
  return found === null ? null : { docid: found.docid, at: millisOf(at) };
}
