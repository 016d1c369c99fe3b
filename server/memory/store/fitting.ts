import type { Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { type FactPlace, type Scope, scopesOf } from '../place.ts';
import type { Queryable } from './connection.ts';

/** An open fact that has words of what is asked. */
export interface FittingFact {
  readonly fact: Uuid;
  readonly slot: Uuid;
  readonly scope: Scope['kind'];
  readonly subject: string;
  readonly predicate: string;
  readonly value: string;
  /** Words that it is found by, and how often the value was said. */
  readonly words: readonly string[];
  readonly confirmations: number;
  readonly validFrom: Millis;
  /** Hex digits of the document that it was drawn from; null: by hand, or an import. */
  readonly docid: string | null;
}

/** Open facts of a place that hold at an instant and have one of some words, those with the most of them first. The place's filter is part of the query. */
export async function fittingFacts(
  pool: Queryable,
  accountId: Uuid,
  place: FactPlace,
  words: readonly string[],
  at: Millis,
  limit: number,
): Promise<readonly FittingFact[]> {
  const scopes = scopesOf(place);
  if (scopes.length === 0 || words.length === 0) return [];
  const { rows } = await pool.query<{
    fact: Uuid;
    slot_id: Uuid;
    scope_kind: Scope['kind'];
    subject: string;
    predicate: string;
    value: string;
    words: string[];
    valid_from: Date;
    docid: string | null;
    confirmations: number;
  }>({
    name: 'memory_fitting',
    text: FITTING,
    values: [
      accountId,
      scopes.map(({ kind }) => kind),
      scopes.map(({ id }) => id),
      words,
      limit,
      new Date(at),
    ],
  });
  return rows.map((row) => ({
    fact: row.fact,
    slot: row.slot_id,
    scope: row.scope_kind,
    subject: row.subject,
    predicate: row.predicate,
    value: row.value,
    words: row.words,
    confirmations: row.confirmations,
    validFrom: row.valid_from.getTime() as Millis,
    docid: row.docid,
  }));
}

/** By the index of words first: most facts of a place have none of them. */
const FITTING = `
WITH hit AS MATERIALIZED (
  SELECT fact, slot_id, value, value_key, words, valid_from FROM fact_version
  WHERE account_id = $1 AND recorded_to IS NULL AND valid_to IS NULL AND words && $4::text[]
    AND valid_from <= GREATEST($6, (SELECT clock_at FROM account WHERE id = $1))
), found AS (
  SELECT v.*, s.scope_kind, s.subject, s.predicate,
    (SELECT count(*) FROM unnest(v.words) w WHERE w = ANY($4::text[])) AS hits
  FROM hit v
  JOIN slot s ON s.account_id = $1 AND s.id = v.slot_id
  JOIN unnest($2::text[], $3::uuid[]) AS p(kind, id) ON s.scope_kind = p.kind AND s.scope_id = p.id
  ORDER BY hits DESC, v.valid_from DESC, v.fact LIMIT $5
)
SELECT f.*, (SELECT docid FROM statement t WHERE t.account_id = $1 AND t.id = f.fact) AS docid,
  (SELECT count(*)::int FROM statement t
   WHERE t.account_id = $1 AND t.slot_id = f.slot_id AND t.kind = 'value' AND t.value_key = f.value_key) AS confirmations
FROM found f ORDER BY f.hits DESC, f.valid_from DESC, f.fact`;

/** Whether there is a slot in the account. */
export async function hasFacts(pool: Queryable, accountId: Uuid): Promise<boolean> {
  const { rows } = await pool.query<{ there: boolean }>({
    name: 'memory_has_facts',
    text: 'SELECT EXISTS (SELECT 1 FROM slot WHERE account_id = $1) AS there',
    values: [accountId],
  });
  return rows[0]?.there ?? false;
}
