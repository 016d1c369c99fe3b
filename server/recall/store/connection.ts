import type pg from 'pg';
import type { MessageHash } from '../../conversation/index.ts';

/** What runs a statement: a pool or a connection. */
export type Queryable = Pick<pg.Pool, 'query'>;

/**
 * A statement of the request's way under a name, which a connection parses and plans once. The name stands for one text:
 * give each text its own.
 */
export function prepared(name: string, text: string, values: unknown[]): pg.QueryConfig {
  return { name: `recall_${name}`, text, values };
}

/** Hashes as one parameter: far cheaper to write and to read than an array of them. */
export function joined(hashes: readonly MessageHash[]): Buffer {
  return Buffer.concat(hashes);
}

/**
 * The hashes of such a parameter as rows `(hash, place)`, places growing. Join what is looked for to each by its key
 * (`CROSS JOIN LATERAL … LIMIT`): then the server goes along the key whatever it knows of the table.
 */
export function hashesIn(parameter: string): string {
  const bytes = `${parameter}::bytea`;
  return `(SELECT substr(${bytes}, at, 32) AS hash, at AS place FROM generate_series(1, length(${bytes}), 32) AS at)`;
}

/**
 * The end of a statement with a part `changed` that has a row where something was written: counts the account's version
 * up in the same transaction. Comes last in every statement, so that its lock is held for no longer than the commit.
 */
export const BUMP = `
INSERT INTO recall_state AS s (account_id, version) SELECT $1, 1 FROM changed LIMIT 1
ON CONFLICT (account_id) DO UPDATE SET version = s.version + 1`;
