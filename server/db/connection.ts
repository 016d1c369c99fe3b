import pg from 'pg';
import type { Logger } from '../kernel/log.ts';

/**
 * How to reach the database, as a plain value: it can be handed to a worker thread, which opens a pool of its own with it.
 * Either `connectionString` (an operator's own PostgreSQL) or `host`, `port`, `user`, `password` and `database`.
 */
export interface ConnectionSettings {
  readonly connectionString?: string;
  /** A folder (Unix socket) or an address. */
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
}

/** What a pool may be told beside where the database is. */
export interface PoolOptions {
  /** Most connections open at once; 8 unless said otherwise. */
  readonly max?: number;
  /** Name that the connections carry in `pg_stat_activity`. */
  readonly name?: string;
  /** Milliseconds after which a query without an answer fails and its connection is given up; 0: never. */
  readonly queryTimeoutMs?: number;
}

/** Milliseconds that a caller waits for a connection before the query fails. */
const CONNECT_TIMEOUT_MS = 5_000;
/**
 * Milliseconds that a caller waits for a query: far more than any of ours takes. A server or a network that takes bytes
 * and never answers would otherwise hold its connections, and those who wait for them, for ever.
 */
const QUERY_TIMEOUT_MS = 120_000;

/**
 * Opens a pool. A connection that breaks while idle is dropped and logged, never thrown: the next query opens a new one,
 * so a pool outlives a restart of its server.
 */
export function openPool(settings: ConnectionSettings, log: Logger, options: PoolOptions = {}): pg.Pool {
  const pool = new pg.Pool({
    ...settings,
    max: options.max ?? 8,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: options.queryTimeoutMs ?? QUERY_TIMEOUT_MS,
    keepAlive: true,
    application_name: options.name ?? 'context-mode',
  });
  // A connection that is lost while somebody uses it tells so beside the query that fails by it; unheard, that would end
  // the thread.
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
  });
  pool.on('error', (error) => log.warn({ reason: error.message }, 'an idle database connection was lost'));
  return pool;
}
