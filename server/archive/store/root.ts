import { hexOf, rootHash } from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { MessageHash, RecordBatch } from '../types.ts';
import { type Queryable, StaleRead, TakenBack } from './connection.ts';

/** Where the chain of a batch begins. */
export interface ChainRoot {
  /** The project whose root it is; null: no project's. */
  readonly projectId: Uuid | null;
}

/**
 * Where the chain of a batch that names no session begins: at the root of a project, or at the one of none. A chain that
 * reaches neither has lost what stood above it to a deletion.
 * @param key the account's
 * @throws StaleRead where the chain of a request is cut; TakenBack where that of an answer is: its conversation was deleted
 */
export async function findRoot(
  connection: Queryable,
  key: Uint8Array,
  batch: RecordBatch,
): Promise<ChainRoot> {
  const top = await topOf(connection, batch);
  if (top !== null && hexOf(top) === hexOf(rootHash(key, null))) return { projectId: null };
  const { rows } = await connection.query<{ id: Uuid }>('SELECT id FROM project WHERE account_id = $1', [
    batch.accountId,
  ]);
  const project = rows.find(({ id }) => top !== null && hexOf(top) === hexOf(rootHash(key, id)));
  if (project) return { projectId: project.id };
  if (batch.messages[0]?.origin === 'produced') throw new TakenBack('the conversation was deleted');
  throw new StaleRead('what the conversation goes on with was deleted');
}

/** What the first message above the batch that is not stored is named: the root, where the chain is whole. */
async function topOf(connection: Queryable, batch: RecordBatch): Promise<MessageHash | null> {
  const start = batch.messages[0]?.hash ?? batch.head;
  const { rows } = await connection.query<{ parent: Buffer }>(
    `WITH RECURSIVE above AS (
       SELECT m.hash, m.parent FROM message m WHERE m.account_id = $1 AND m.hash = $2
       UNION
       SELECT m.hash, m.parent
       FROM above CROSS JOIN LATERAL (
         SELECT hash, parent FROM message WHERE account_id = $1 AND hash = above.parent LIMIT 1
       ) m
     )
     SELECT parent FROM above a WHERE NOT EXISTS (SELECT 1 FROM above o WHERE o.hash = a.parent)`,
    [batch.accountId, start],
  );
  return (rows[0]?.parent as Uint8Array as MessageHash | undefined) ?? null;
}
