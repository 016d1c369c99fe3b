import { normalPredicate, synonymsOf } from './normal-form.ts';

/** Words that say nothing of what a text is about. */
const EMPTY: ReadonlySet<string> = new Set(
  (
    'a an the and or but if then else so as of at by for from in into on onto out over to up with without about after ' +
    'before between through during above below under again once here there when where why how what which who whom whose ' +
    'this that these those it its he she they them his her their i me my mine we us our ours you your yours be is am are ' +
    'was were been being do does did doing done have has had having can could should would will shall may might must not ' +
    'no nor only own same such than too very just now also any all both each few more most other some please let lets ' +
    'make makes made get gets got go goes going went want wants need needs like use uses used using thing things way ' +
    'new old one two first last next still yet ever never always don doesn didn isn aren wasn won ll ve re tell me show ' +
    'give say says said know think see look works work working project file files code add fix change changes write run'
  ).split(' '),
);

/** Endings that a word is looked up without, the longest first. */
const ENDINGS = [
  'ments',
  'ment',
  'ations',
  'ation',
  'ings',
  'ing',
  'ers',
  'er',
  'ies',
  'ied',
  'ed',
  'es',
  's',
  'e',
  'y',
];
/** Letters that are left of a word at least. */
const STEM = 4;
/** Words of a text that are looked up at most: what is pasted says little of what is asked. */
const MOST = 200;

/** The words of a text in the form in which they are compared, each once, without those that say nothing. */
export function wordsIn(text: string): readonly string[] {
  const words = new Set<string>();
  for (const [word] of text.normalize('NFKC').toLowerCase().matchAll(WORD)) {
    if (words.size >= MOST) break;
    if (word.length > 1 && !EMPTY.has(word)) words.add(stemOf(word));
  }
  return [...words];
}

const WORD = /[\p{L}\p{N}]+/gu;

function stemOf(word: string): string {
  if (/\p{N}/u.test(word)) return word;
  const ending = ENDINGS.find((end) => word.endsWith(end) && word.length - end.length >= STEM);
  return ending === undefined ? word : word.slice(0, -ending.length);
}

/** The words that a fact is found by: its own, and those that say the same as its predicate. */
export function wordsOfFact(subject: string, predicate: string, value: string): readonly string[] {
  const same = synonymsOf(normalPredicate(predicate)).join(' ').replaceAll('_', ' ');
  return wordsIn(`${subject} ${predicate.replaceAll('_', ' ')} ${value} ${same}`);
}
