import type pg from 'pg';
import type { StorePool } from './connection.ts';

/** How thoroughly what was deleted is cleaned away. */
export interface CleaningOptions {
  /**
   * True where the server is ours alone: small tables are written anew, so that nothing is left in the free space of
   * their files, and the log that recovers from a crash is cut off. An operator's server has its own rules for that.
   */
  readonly thorough: boolean;
}

/** Largest table with its indexes that is written anew: whoever archives or reads waits meanwhile. Bytes. */
const REWRITE_BYTES = 256 * 1024 * 1024;
/**
 * How long the work on a table waits for those who use it before it is left for the next time. The server's own vacuum
 * gives way after a second, so that it never keeps a table from being cleaned.
 */
const LOCK_TIMEOUT = '3s';

interface Table {
  readonly schema: string;
  readonly name: string;
  readonly bytes: string;
}

/**
 * Takes deleted rows out of tables, indexes and the planner's statistics, all of which hold values of columns until they
 * are vacuumed. Answers which tables were written anew. It runs beside everything else; call it behind a deletion.
 */
export async function cleanAfterDeletion(
  pool: StorePool,
  { thorough }: CleaningOptions,
): Promise<{ readonly rewritten: readonly string[] }> {
  const connection = await pool.connect();
  try {
    const { rows: tables } = await connection.query<Table>(TABLES);
    await connection.query(`SET lock_timeout = '${LOCK_TIMEOUT}'`);
    await eachFree(connection, 'VACUUM (ANALYZE)', tables);
    // Statistics of a table that has no rows any more are not made anew, so they are taken away.
    await connection.query(CLEAR_STATISTICS).catch(() => undefined);
    if (!thorough) return { rewritten: [] };
    const rewritten = await rewriteSmall(connection, tables);
    await connection.query('CHECKPOINT');
    await connection.query('SELECT pg_switch_wal()');
    await connection.query('CHECKPOINT');
    return { rewritten };
  } finally {
    connection.release(true);
  }
}

/** Answers which tables were written anew. */
function rewriteSmall(connection: pg.PoolClient, tables: readonly Table[]): Promise<readonly string[]> {
  const small = tables.filter(({ bytes }) => Number(bytes) <= REWRITE_BYTES);
  return eachFree(connection, 'VACUUM FULL', [...small, { schema: 'pg_catalog', name: 'pg_statistic' }]);
}

/** Does something to each table that nobody uses for long; answers to which. */
async function eachFree(
  connection: pg.PoolClient,
  statement: string,
  tables: readonly Pick<Table, 'schema' | 'name'>[],
): Promise<readonly string[]> {
  const done: string[] = [];
  for (const { schema, name } of tables) {
    try {
      await connection.query(`${statement} ${quoted(schema)}.${quoted(name)}`);
      done.push(name);
    } catch {
      // Somebody uses it for long: its free space is overwritten with time.
    }
  }
  return done;
}

const TABLES = `
SELECT n.nspname AS schema, c.relname AS name, pg_total_relation_size(c.oid) AS bytes
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'm') ORDER BY c.relname`;

/** PostgreSQL 18 and later can; older ones keep these samples until the table has rows again. */
const CLEAR_STATISTICS = `
SELECT pg_clear_attribute_stats(s.schemaname, s.tablename, s.attname, s.inherited)
FROM pg_stats s JOIN pg_class c ON c.oid = format('%I.%I', s.schemaname, s.tablename)::regclass
WHERE s.schemaname = current_schema() AND c.reltuples = 0`;

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
