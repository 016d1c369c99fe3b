import type { Uuid } from '../kernel/ids.ts';
import { callsOf } from './read-hidden.ts';
import { readLayout, readLayouts } from './read-layouts.ts';
import type { RecallReader } from './read-types.ts';
import { readChain, readFailures, readMarks, readMessages } from './read-views.ts';
import type { Queryable } from './store/connection.ts';

/** Makes a {@link RecallReader} over a pool. */
export function createRecallReader(pool: Queryable): RecallReader {
  return {
    layouts: (accountId, sessionId) => readLayouts(pool, accountId, sessionId),
    layout: (accountId, sessionId, message) => readLayout(pool, accountId, sessionId, message),
    chain: (accountId, requestId) => readChain(pool, accountId, requestId),
    messages: (accountId, hashes, clip) => readMessages(pool, accountId, hashes, clip),
    hiddenRound: (accountId, record) => readHiddenRound(pool, accountId, record),
    marks: (accountId, requestIds) => readMarks(pool, accountId, requestIds),
    failures: (accountId, since) => readFailures(pool, accountId, since),
  };
}

async function readHiddenRound(
  pool: Queryable,
  accountId: Uuid,
  record: Uuid,
): ReturnType<RecallReader['hiddenRound']> {
  const { rows } = await pool.query<{ data: unknown }>(
    'SELECT data FROM splice WHERE account_id = $1 AND id = $2',
    [accountId, record],
  );
  const [row] = rows;
  return row === undefined ? null : callsOf(row.data);
}
