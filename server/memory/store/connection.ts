import type pg from 'pg';

/** What runs a statement: a pool, or one connection inside a transaction. */
export type Queryable = Pick<pg.Pool, 'query'>;

/** A pool as the store uses it. */
export type StorePool = Pick<pg.Pool, 'query' | 'connect'>;
