import type { Uuid } from '../../kernel/ids.ts';
import { ASCII } from '../search/fold.ts';
import type { Phrase } from '../search/query.ts';
import { prepared, type Queryable } from './connection.ts';
import type { Plan } from './search-plan.ts';

/**
 * Of two common words a hundred documents hold both for each that holds them in a row. Which chunks may is asked of the
 * database first, by a pattern that every chunk with the phrase fits, so that the texts of the others need not be fetched,
 * nor their places among the filters be asked for.
 */

/** A chunk by its document and its number there. */
interface ChunkName {
  readonly doc: number;
  readonly n: number;
}

/** Characters of a phrase at most: a longer one may go on in the next chunk. */
const IN_CHUNK = 180;
/** What may stand between two words of a phrase: nothing of a word, or what an apostrophe joins to it. */
const GAP = "(?:[^A-Za-z0-9]|'[A-Za-z]{1,2}[^A-Za-z])*";

/**
 * A pattern for PostgreSQL that fits every text of plain characters with the phrase in it; null where there is none. It
 * holds capitals and small letters by themselves, so that it means the same under any collation.
 */
export function patternOf(phrase: Phrase): string | null {
  if (phrase.text.length > IN_CHUNK || !ASCII.test(phrase.text)) return null;
  return phrase.byWords ? phrase.forms.map(anyCase).join(GAP) : anyCase(phrase.text);
}

function anyCase(text: string): string {
  return text.replace(/[^0-9]/g, (one) =>
    /[A-Za-z]/.test(one) ? `[${one.toLowerCase()}${one.toUpperCase()}]` : `\\${one}`,
  );
}

/** A phrase that candidates are sieved by. */
export interface Sieve {
  readonly pattern: string;
  /** Bits of the lists that a chunk with the phrase is in. */
  readonly bits: number;
}

/** The sieve of a query: its longest phrase that has a pattern; null where none has. */
export function sieveOf({ phrases }: Plan): Sieve | null {
  const sieves = phrases.flatMap(({ phrase, bits }) => {
    const pattern = bits === 0 ? null : patternOf(phrase);
    return pattern === null ? [] : [{ pattern, bits }];
  });
  return sieves.sort((one, other) => other.pattern.length - one.pattern.length)[0] ?? null;
}

/** Documents of which a chunk fits a pattern, or may without being plain characters. */
export async function fittingPattern(
  pool: Queryable,
  accountId: Uuid,
  chunks: readonly ChunkName[],
  pattern: string,
): Promise<ReadonlySet<number>> {
  if (chunks.length === 0) return new Set();
  const { rows } = await pool.query<{ doc: number }>(
    prepared('search_sieve', SIEVE, [
      accountId,
      chunks.map((chunk) => chunk.doc),
      chunks.map((chunk) => chunk.n),
      pattern,
    ]),
  );
  return new Set(rows.map((row) => row.doc));
}

/** The words of a call's input stand behind JSON's escapes: it is looked at as a text later. */
const SIEVE = `
SELECT DISTINCT g.doc FROM unnest($2::int[], $3::int[]) AS g(doc, n)
CROSS JOIN LATERAL (
  SELECT COALESCE(c.text, i.text) AS text, i.kind FROM chunk c
  JOIN item i ON i.account_id = $1 AND i.message_hash = c.message_hash AND i.position = c.position
  WHERE c.account_id = $1 AND c.doc = g.doc AND c.n = g.n OFFSET 0
) t
WHERE t.kind = 'tool_call' OR octet_length(t.text) <> char_length(t.text) OR t.text ~ $4`;
