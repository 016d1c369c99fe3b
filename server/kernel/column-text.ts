import { createHash } from 'node:crypto';

/** Longest name that goes into an index as it is, in characters; PostgreSQL's index rows end at 2,704 bytes. */
const NAME_CHARS = 400;

const REFUSED = /[\0\p{Surrogate}]/u;
const EACH_REFUSED = /[\0\p{Surrogate}]/gu;
/** Shown where a NUL character stands (the picture of one), and where a lone surrogate does (the replacement character). */
const NUL_PICTURE = '\u2400';
const REPLACEMENT = '\ufffd';

/** The text without what PostgreSQL's `text` refuses (NUL, lone surrogates): a visible stand-in for each such character. */
export function plainText(text: string): string {
  if (!REFUSED.test(text)) return text;
  return text.replace(EACH_REFUSED, (char) => (char === '\0' ? NUL_PICTURE : REPLACEMENT));
}

/**
 * A name of another program's making, fit for a column and an index: what PostgreSQL refuses is replaced, a long one ends
 * in its hash. Whoever looks for a name that another part of the program stored spells it the same with this.
 * @param chars characters of the name that are kept as they are
 */
export function columnName(text: string, chars = NAME_CHARS): string {
  const plain = plainText(text);
  if (plain.length <= chars) return plain;
  const hash = createHash('sha256').update(plain).digest('hex').slice(0, 32);
  return `${plainText(plain.slice(0, chars))}…${hash}`;
}
