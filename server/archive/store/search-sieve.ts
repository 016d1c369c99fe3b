import type { Uuid } from '../../kernel/ids.ts';
import { ASCII } from '../search/fold.ts';
import type { Phrase } from '../search/query.ts';
import type { Queryable } from './connection.ts';
import type { StoredChunk } from './search-fit.ts';
import { readChunks } from './search-hits.ts';
import type { Plan } from './search-plan.ts';

/**
 * Of two common words a hundred documents hold both for each that holds them in a row. Which chunks may is told first, by
 * a pattern that every chunk with the phrase fits, so that the words of the others need not be read, nor their places
 * among the filters be asked for.
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

/** A pattern that fits every text of plain characters with the phrase in it; null where there is none. */
export function patternOf(phrase: Phrase): RegExp | null {
  if (phrase.text.length > IN_CHUNK || !ASCII.test(phrase.text)) return null;
  return new RegExp(phrase.byWords ? phrase.forms.map(literally).join(GAP) : literally(phrase.text), 'i');
}

function literally(text: string): string {
  return text.replace(/[^0-9A-Za-z\s_]/g, (one) => `\\${one}`);
}

/** A phrase that candidates are sieved by. */
export interface Sieve {
  readonly pattern: RegExp;
  /** Bits of the lists that a chunk with the phrase is in. */
  readonly bits: number;
  /** Chunks that may hold it, as far as the postings tell; null where they tell nothing. */
  readonly chunks: ReadonlySet<number> | null;
}

/** The sieve of a query: its longest phrase that has a pattern; null where none has. */
export function sieveOf({ phrases }: Plan): Sieve | null {
  const sieves = phrases.flatMap(({ phrase, bits, chunks }) => {
    const pattern = bits === 0 ? null : patternOf(phrase);
    return pattern === null ? [] : [{ pattern, bits, chunks }];
  });
  return sieves.sort((one, other) => other.pattern.source.length - one.pattern.source.length)[0] ?? null;
}

/** Chunks that one connection is asked for. */
const AT_ONCE = 1_000;

/**
 * Documents of which a chunk fits a pattern, or may without being plain characters. The words of a call's input stand
 * behind JSON's escapes: it is looked at as a text later. What was written together is read together.
 */
export async function fittingPattern(
  pool: Queryable,
  accountId: Uuid,
  chunks: readonly ChunkName[],
  pattern: RegExp,
): Promise<ReadonlySet<number>> {
  const inOrder = [...chunks].sort((one, other) => one.doc - other.doc || one.n - other.n);
  const pieces = Array.from({ length: Math.ceil(inOrder.length / AT_ONCE) }, (_, at) =>
    inOrder.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
  );
  const fits = ({ text, is_call }: StoredChunk) =>
    is_call || pattern.test(text) || Buffer.byteLength(text) !== text.length;
  const fitting = await Promise.all(
    pieces.map(async (piece) => (await readChunks(pool, accountId, piece)).filter(fits)),
  );
  return new Set(fitting.flat().map(({ doc }) => doc));
}
