import { sameBytes } from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { Queryable } from './connection.ts';
import { storedHashOf } from './content.ts';

/** Items that are read back at once, and bytes of text after which no further one is taken. */
const AT_ONCE = 100;
const BYTES_AT_ONCE = 16 * 1024 * 1024;

interface UnconfirmedRow {
  readonly message_hash: Buffer;
  readonly position: number;
  readonly text: string;
  readonly exact: Buffer | null;
  readonly body: Buffer | null;
  readonly stored_hash: Buffer;
}

/**
 * Reads back items that were not read back yet, compares the keyed hash of what the database holds with the one that was
 * written beside it, and marks each as confirmed or as not. Answers how many were confirmed.
 */
export async function confirm(
  pool: Queryable,
  key: Uint8Array,
  accountId: Uuid,
  limit: number,
): Promise<number> {
  let confirmed = 0;
  for (let left = limit; left > 0; ) {
    const { rows } = await pool.query<UnconfirmedRow>(
      `SELECT message_hash, position, text, exact, body, stored_hash FROM (
         SELECT *, sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) - bytes AS bytes_before FROM (
           SELECT * FROM item WHERE account_id = $1 AND confirmed IS NULL LIMIT $2
         ) open
       ) counted WHERE bytes_before < ${BYTES_AT_ONCE}`,
      [accountId, Math.min(left, AT_ONCE)],
    );
    if (rows.length === 0) break;
    left -= rows.length;
    const same = rows.map((row) => sameBytes(storedHashOf(key, row), row.stored_hash));
    const updated = await pool.query<{ confirmed: boolean }>(
      `UPDATE item SET confirmed = g.same
       FROM unnest($2::bytea[], $3::int[], $4::boolean[]) AS g(hash, position, same)
       WHERE account_id = $1 AND message_hash = g.hash AND item.position = g.position AND confirmed IS NULL
       RETURNING confirmed`,
      [accountId, rows.map((row) => row.message_hash), rows.map((row) => row.position), same],
    );
    confirmed += updated.rows.filter((row) => row.confirmed).length;
  }
  return confirmed;
}
