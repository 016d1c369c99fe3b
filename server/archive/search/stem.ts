/**
 * Light English stemming: endings of number, tense and kind of word are taken off where enough of the word stays. It is
 * made for two uses of one word to meet (`deploy`, `deployed`, `deployments`), not to be right about language. A stem is
 * always a beginning of its word, but that a last `y` is written `i`; prefix search counts on it.
 */

/** Longest ending that a stem can be shorter than its word by. */
export const LONGEST_ENDING = 9;

/** Endings with the fewest letters that must stay before each, longest first. */
const ENDINGS: readonly (readonly [ending: string, stays: number])[] = [
  ['ization', 4],
  ['isation', 4],
  ['fulness', 3],
  ['iveness', 4],
  ['ousness', 4],
  ['ability', 4],
  ['ibility', 4],
  ['ations', 4],
  ['ation', 4],
  ['ately', 4],
  ['ition', 4],
  ['ingly', 4],
  ['ments', 4],
  ['ment', 4],
  ['ness', 4],
  ['able', 4],
  ['ible', 4],
  ['ance', 5],
  ['ence', 5],
  ['less', 4],
  ['ally', 4],
  ['izer', 4],
  ['iser', 4],
  ['ator', 4],
  ['ful', 4],
  ['ion', 4],
  ['ity', 4],
  ['ize', 4],
  ['ise', 4],
  ['ive', 5],
  ['ing', 3],
  ['ate', 4],
  ['ed', 3],
  ['er', 4],
  ['or', 4],
  ['al', 5],
  ['ly', 4],
];
const BY_LAST = groupByLast();

const PLAIN = /^[a-z]{4,}$/;
const VOWEL = /[aeiouy]/;
const DOUBLE = /([bdfgmnprt])\1$/;

/** The stem of a folded word. Words that are not plain letters `a` to `z`, or short, are their own stems. */
export function stem(word: string): string {
  if (!PLAIN.test(word)) return word;
  let rest = singular(word);
  for (let rounds = 0; rounds < 2; rounds += 1) {
    const shorter = withoutEnding(rest);
    if (shorter === rest) break;
    rest = shorter;
  }
  if (rest.length > 3 && rest.endsWith('e')) rest = rest.slice(0, -1);
  if (rest.length > 4 && rest.endsWith('at')) rest = rest.length > 5 ? rest.slice(0, -2) : rest;
  return rest.endsWith('y') && rest.length > 3 ? `${rest.slice(0, -1)}i` : rest;
}

function singular(word: string): string {
  if (!word.endsWith('s') || word.endsWith('ss') || word.endsWith('us') || word.endsWith('is')) return word;
  if (word.endsWith('ies')) return word.length > 4 ? word.slice(0, -2) : word.slice(0, -1);
  if (/(?:ss|x|ch|sh|z)es$/.test(word)) return word.slice(0, -2);
  return word.slice(0, -1);
}

function withoutEnding(word: string): string {
  for (const [ending, stays] of BY_LAST.get(word.charCodeAt(word.length - 1)) ?? []) {
    if (word.length < ending.length + stays || !word.endsWith(ending)) continue;
    const rest = word.slice(0, -ending.length);
    if (!VOWEL.test(rest)) continue;
    if (ending === 'ed' && rest.endsWith('e')) return word.slice(0, -1);
    if (ending === 'ed' || ending === 'ing' || ending === 'er') return rest.replace(DOUBLE, '$1');
    return rest;
  }
  return word;
}

function groupByLast(): ReadonlyMap<number, readonly (readonly [string, number])[]> {
  const groups = new Map<number, (readonly [string, number])[]>();
  for (const one of ENDINGS) {
    const last = one[0].charCodeAt(one[0].length - 1);
    groups.set(last, [...(groups.get(last) ?? []), one]);
  }
  return groups;
}
