import type pg from 'pg';

/**
 * PostgreSQL's codes for conflicts that going again solves: deadlock, serialization, a row that went or came meanwhile,
 * one that an exclusion constraint refuses. That a row still refers to one that was deleted is 23001 from version 18 on
 * where the reference says RESTRICT, and 23503 before.
 */
const CONFLICTS: ReadonlySet<string> = new Set(['40P01', '40001', '23001', '23503', '23505', '23P01']);
const ATTEMPTS = 5;

/** Thrown inside a transaction that met another writer's work and must go again. */
export class ConflictError extends Error {}

/**
 * Runs `work` inside one transaction: all of it is committed or nothing. A conflict with another writer rolls back and
 * goes again, at most five times in all.
 * @param work told how often it was tried before (from 0)
 */
export async function transaction<T>(
  pool: Pick<pg.Pool, 'connect'>,
  work: (connection: pg.PoolClient, attempt: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await once(pool, (connection) => work(connection, attempt));
    } catch (error) {
      const isConflict = error instanceof ConflictError || CONFLICTS.has(codeOf(error));
      if (attempt + 1 >= ATTEMPTS || !isConflict) throw error;
    }
  }
}

/** PostgreSQL's error code of a thrown value, or an empty string. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

async function once<T>(
  pool: Pick<pg.Pool, 'connect'>,
  work: (connection: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const connection = await pool.connect();
  let broken = true;
  try {
    await connection.query('BEGIN');
    const result = await work(connection).catch(async (error: unknown) => {
      await connection.query('ROLLBACK');
      broken = false;
      throw error;
    });
    await connection.query('COMMIT');
    broken = false;
    return result;
  } finally {
    // A connection whose transaction has no known end is closed, so that the server ends it.
    connection.release(broken);
  }
}
