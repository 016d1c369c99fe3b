import type { Uuid } from '../../kernel/ids.ts';
import type { Queryable } from './connection.ts';

/** What is counted of turns: looked at by the extractor, skipped because nobody typed in them, given up. */
export type TurnCount = 'turns_read' | 'turns_skipped' | 'turns_failed';

/** How much an account's memory holds, and what became of its turns. */
export interface MemoryCounts {
  readonly turnsRead: number;
  readonly turnsSkipped: number;
  readonly turnsFailed: number;
  readonly slots: number;
  readonly openFacts: number;
  /** Entries of the queue that nobody settled. */
  readonly toReview: number;
}

/** Counts turns. */
export async function countTurns(
  from: Queryable,
  accountId: Uuid,
  counts: Readonly<Partial<Record<TurnCount, number>>>,
): Promise<void> {
  const entries = Object.entries(counts).filter(([, value]) => value > 0);
  if (entries.length === 0) return;
  await from.query(
    `INSERT INTO memory_count AS c (account_id, name, value)
     SELECT $1, * FROM unnest($2::text[], $3::bigint[])
     ON CONFLICT (account_id, name) DO UPDATE SET value = c.value + EXCLUDED.value`,
    [accountId, entries.map(([name]) => name), entries.map(([, value]) => value)],
  );
}

/** Reads what is counted. */
export async function readCounts(from: Queryable, accountId: Uuid): Promise<MemoryCounts> {
  const { rows } = await from.query<{ name: string; value: string }>(
    `SELECT name, value FROM memory_count WHERE account_id = $1
     UNION ALL SELECT 'slots', count(*) FROM slot WHERE account_id = $1
     UNION ALL SELECT 'open', count(*) FROM fact_version
       WHERE account_id = $1 AND recorded_to IS NULL AND valid_to IS NULL
     UNION ALL SELECT 'review', count(*) FROM memory_review WHERE account_id = $1 AND outcome IS NULL`,
    [accountId],
  );
  const values = new Map(rows.map(({ name, value }) => [name, Number(value)]));
  const value = (name: string) => values.get(name) ?? 0;
  return {
    turnsRead: value('turns_read'),
    turnsSkipped: value('turns_skipped'),
    turnsFailed: value('turns_failed'),
    slots: value('slots'),
    openFacts: value('open'),
    toReview: value('review'),
  };
}
