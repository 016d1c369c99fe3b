import type pg from 'pg';

export { ConflictError, codeOf, transaction } from '../../db/index.ts';

/** What runs a statement: a pool, or one connection inside a transaction. */
export type Queryable = Pick<pg.Pool, 'query'>;

/** A pool as the store uses it. */
export type StorePool = Pick<pg.Pool, 'query' | 'connect'>;

/**
 * A statement of the hot path under a name, which a connection parses and plans once (planning takes longer than running
 * it). The name stands for one text: give each text its own.
 */
export function prepared(name: string, text: string, values: unknown[]): pg.QueryConfig {
  return { name: `archive_${name}`, text, values };
}

/**
 * What a request stands on was deleted since it was looked up: it must be read anew from its beginning. Trying again
 * succeeds as soon as no deletion comes between.
 */
export class StaleRead extends Error {}

/** Thrown inside a transaction to take it back where that is the expected answer. */
export class TakenBack extends Error {}
