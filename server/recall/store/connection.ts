import type pg from 'pg';

/** What runs a statement: a pool or a connection. */
export type Queryable = Pick<pg.Pool, 'query'>;

/**
 * A statement of the request's way under a name, which a connection parses and plans once. The name stands for one text:
 * give each text its own.
 */
export function prepared(name: string, text: string, values: unknown[]): pg.QueryConfig {
  return { name: `recall_${name}`, text, values };
}

/**
 * The end of a statement with a part `changed` that has a row where something was written: counts the account's version
 * up in the same transaction. Comes last in every statement, so that its lock is held for no longer than the commit.
 */
export const BUMP = `
INSERT INTO recall_state AS s (account_id, version) SELECT $1, 1 FROM changed LIMIT 1
ON CONFLICT (account_id) DO UPDATE SET version = s.version + 1`;
