import type pg from 'pg';
import type { Uuid } from '../../../server/kernel/ids.ts';
import type { Archived } from './archived.ts';
import type { QuestionClass } from './facts/fact.ts';
import type { Question } from './sessions.ts';

/** Share of questions whose evidence is among the first 1, 5 and 10 hits, and how many there were. */
export interface Rates {
  readonly questions: number;
  readonly first1: number;
  readonly first5: number;
  readonly first10: number;
}

/** Rates over all questions and for each class. */
export interface Verdict {
  readonly all: Rates;
  readonly classes: Readonly<Partial<Record<QuestionClass, Rates>>>;
  /** Questions whose evidence is not among the first ten. */
  readonly missed: readonly { readonly q: string; readonly kind: QuestionClass }[];
}

/** Asks every question of a search; `ask` gives document ids, best first. */
export async function judge(
  questions: readonly Question[],
  evidence: readonly ReadonlySet<string>[],
  ask: (q: string) => Promise<readonly string[]>,
): Promise<Verdict> {
  const places: number[] = [];
  for (const [at, { q }] of questions.entries()) {
    const hits = await ask(q);
    const place = hits.findIndex((docid) => evidence[at]?.has(docid));
    places.push(place < 0 ? Number.POSITIVE_INFINITY : place);
  }
  const ratesOf = (some: readonly number[]): Rates => {
    const within = (first: number) => some.filter((place) => place < first).length / Math.max(1, some.length);
    return { questions: some.length, first1: within(1), first5: within(5), first10: within(10) };
  };
  const classes: Partial<Record<QuestionClass, Rates>> = {};
  for (const kind of new Set(questions.map((question) => question.kind)))
    classes[kind] = ratesOf(places.filter((_, at) => questions[at]?.kind === kind));
  const missed = questions.filter((_, at) => (places[at] ?? 10) >= 10);
  return { all: ratesOf(places), classes, missed };
}

/** The product's search. */
export function askProduct({ reader, accountId }: Archived): (q: string) => Promise<readonly string[]> {
  return async (q) => (await reader.search(accountId, { q, limit: 10 })).items.map((hit) => hit.docid);
}

/**
 * What PostgreSQL offers by itself, over the same items: `english`, any of the words, `ts_rank`. A call and its result are
 * one document there too.
 */
export async function askPostgres(
  connection: Pick<pg.Pool, 'query'>,
  accountId: Uuid,
): Promise<(q: string) => Promise<readonly string[]>> {
  await connection.query(
    `CREATE TEMPORARY TABLE IF NOT EXISTS plain_search (account_id uuid, docid text, words tsvector)`,
  );
  await connection.query(
    `INSERT INTO plain_search
     SELECT c.account_id, c.docid, to_tsvector('english', left(c.text || ' ' || COALESCE(r.text, ''), 400000))
     FROM item c LEFT JOIN item r
       ON r.account_id = c.account_id AND r.call_message = c.message_hash AND r.call_position = c.position
     WHERE c.account_id = $1 AND c.call_message IS NULL`,
    [accountId],
  );
  return async (q) => {
    const { rows } = await connection.query<{ docid: string }>(
      `SELECT docid FROM plain_search,
         (SELECT replace(plainto_tsquery('english', $2)::text, '&', '|')::tsquery AS q) AS asked
       WHERE account_id = $1 AND words @@ q ORDER BY ts_rank(words, q) DESC, docid LIMIT 10`,
      [accountId, q],
    );
    return rows.map((row) => `context-mode-msg-${row.docid}`);
  };
}
