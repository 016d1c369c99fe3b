import type { Uuid } from '../../kernel/ids.ts';
import type { SearchAnswer } from '../types.ts';
import { prepared, type Queryable } from './connection.ts';

/** Items that wait for the index from which on every answer says so; below, only one that found nothing. */
const MANY = 500;
const NOTE = 'What was archived last is still being indexed: search again in a moment to find it too.';

/**
 * Adds to an answer that it may lack what is archived and not indexed yet, as after an import. It is asked for beside the
 * search, which takes longer.
 */
export async function withWaiting(
  pool: Queryable,
  accountId: Uuid,
  searched: Promise<SearchAnswer>,
): Promise<SearchAnswer> {
  const [answer, { rows }] = await Promise.all([
    searched,
    pool.query<{ waiting: number }>(prepared('search_waiting', WAITING, [accountId])),
  ]);
  const waiting = rows[0]?.waiting ?? 0;
  if (waiting < MANY && (waiting === 0 || answer.items.length > 0)) return answer;
  return { ...answer, notes: [...answer.notes, NOTE] };
}

const WAITING = `
SELECT count(*)::int AS waiting FROM (SELECT 1 FROM unindexed_item WHERE account_id = $1 LIMIT ${MANY}) AS first`;
