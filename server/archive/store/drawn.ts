import type { Clock } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { Queryable } from './connection.ts';

/**
 * What was drawn from the archive and is kept beside it: facts. A deletion takes it along: each call runs inside the
 * deletion's transaction, which holds the account's lock.
 */
export interface Drawn {
  /** Takes what was drawn from documents (hex digits). */
  documents(connection: Queryable, accountId: Uuid, docids: readonly string[]): Promise<unknown>;
  /** Takes what belongs to projects, worktrees and threads, whoever said it. */
  scopes(connection: Queryable, accountId: Uuid, scopes: readonly Uuid[]): Promise<unknown>;
  /** Takes everything of an account. */
  all(connection: Queryable, accountId: Uuid): Promise<unknown>;
}

/** What a deletion works with. */
export interface EraseTools {
  readonly clock: Clock;
  readonly drawn: Drawn;
}

/** What deletions are made with. */
export interface DeletingOptions {
  readonly clock: Clock;
  /** What was drawn from the archive; left out: nothing, and a deletion of what something was drawn from fails. */
  readonly drawn?: Drawn;
}

/** What a deletion works with, by what is given. */
export function eraseTools({ clock, drawn = NOTHING_DRAWN }: DeletingOptions): EraseTools {
  return { clock, drawn };
}

/** For an archive that nothing is drawn from: where something was, the deletion fails instead of leaving it behind. */
export const NOTHING_DRAWN: Drawn = {
  documents: (connection, accountId, docids) =>
    refuseWhere(connection, 'statement WHERE account_id = $1 AND docid = ANY($2::text[])', [
      accountId,
      docids,
    ]),
  scopes: (connection, accountId, scopes) =>
    refuseWhere(connection, 'slot WHERE account_id = $1 AND scope_id = ANY($2::uuid[])', [accountId, scopes]),
  all: (connection, accountId) => refuseWhere(connection, 'slot WHERE account_id = $1', [accountId]),
};

async function refuseWhere(connection: Queryable, what: string, values: unknown[]): Promise<void> {
  const { rows } = await connection.query(`SELECT 1 FROM ${what} LIMIT 1`, values);
  if (rows.length > 0) throw new Error('facts were drawn from what is deleted, and nothing takes them along');
}
