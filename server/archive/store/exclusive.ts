import type { StorePool } from './connection.ts';

/** Work that one process of many does at a time, with the keys of the advisory locks that see to it ("cmd…" in ASCII). */
const KEYS = { deletions: 0x636d6465, retention: 0x636d7265, cleaning: 0x636d636c } as const;

/**
 * Runs `work` unless another process of the same database is at it; answers null then. The lock ends with the
 * connection that holds it, so that a process that dies leaves none behind.
 */
export async function exclusively<T>(
  pool: StorePool,
  task: keyof typeof KEYS,
  work: () => Promise<T>,
): Promise<T | null> {
  const holder = await pool.connect();
  const key = [KEYS[task]];
  let isBroken = true;
  try {
    const { rows } = await holder.query<{ got: boolean }>('SELECT pg_try_advisory_lock($1) AS got', key);
    if (!rows[0]?.got) {
      isBroken = false;
      return null;
    }
    try {
      return await work();
    } finally {
      await holder.query('SELECT pg_advisory_unlock($1)', key);
      isBroken = false;
    }
  } finally {
    holder.release(isBroken);
  }
}
