import type { Millis } from '../kernel/clock.ts';
import type { Uuid } from '../kernel/ids.ts';
import type { FittingFact } from './store/fitting.ts';
import { wordsIn } from './words.ts';

/** Facts that a judge is asked about, and those that a block holds at most. */
export const POOL = 20;
export const MOST_FACTS = 6;
/** How long a judge has, in milliseconds: then the best by rank go out. */
export const JUDGE_MS = 1_200;

/** What is typed at the beginning of a conversation. */
export interface BlockQuestion {
  readonly typed: string;
  /** The words of it in the form in which facts are found. */
  readonly words: readonly string[];
  readonly now: Millis;
}

/** Says of a fact whether it fits what is typed. */
export type Judge = (fact: FittingFact, question: BlockQuestion) => Promise<boolean> | boolean;

/** A block: its text, and the facts that stand in it. */
export interface Block {
  readonly text: string;
  readonly facts: readonly Uuid[];
}

/** A question from what is typed. */
export function blockQuestion(typed: string, now: Millis): BlockQuestion {
  return { typed, words: wordsIn(typed), now };
}

/** Lets a time pass, unless it is no longer waited for. */
export type After = (ms: number) => { readonly over: Promise<void>; cancel(): void };

/**
 * The block of a new conversation: of the pool by rank those that the judge lets through, six at most. A judge that has not
 * answered in time is cut off, and the six best by rank go out. Null: no fact fits.
 */
export async function makeBlock(
  found: readonly FittingFact[],
  question: BlockQuestion,
  judge: Judge,
  after: After,
): Promise<Block | null> {
  const pool = ranked(found, question).slice(0, POOL);
  if (pool.length === 0) return null;
  const fitting = await judged(pool, question, judge, after);
  const chosen = fitting.slice(0, MOST_FACTS);
  return chosen.length === 0 ? null : { text: blockText(chosen), facts: chosen.map(({ fact }) => fact) };
}

async function judged(
  pool: readonly FittingFact[],
  question: BlockQuestion,
  judge: Judge,
  after: After,
): Promise<readonly FittingFact[]> {
  const answers = pool.map((fact) => judge(fact, question));
  if (answers.every((answer) => typeof answer === 'boolean'))
    return pool.filter((_, index) => answers[index]);
  const timer = after(JUDGE_MS);
  const all = Promise.all(answers.map((answer) => Promise.resolve(answer).catch(() => false)));
  const verdicts = await Promise.race([all, timer.over.then(() => null)]);
  timer.cancel();
  return verdicts === null ? pool : pool.filter((_, index) => verdicts[index]);
}

/** How near a scope is: what belongs to the worktree goes before what belongs to all of the repository. */
const NEARNESS = { thread: 0.3, worktree: 0.2, project: 0 } as const;
const DAY_MS = 86_400_000;

/** Facts by how well they match, how near, how new and how often they were said; the same on every machine. */
export function ranked(found: readonly FittingFact[], { words, now }: BlockQuestion): readonly FittingFact[] {
  const asked = new Set(words);
  const frequency = new Map<string, number>();
  for (const { words: own } of found)
    for (const word of own) if (asked.has(word)) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const score = (fact: FittingFact): number => {
    let match = 0;
    for (const word of fact.words) {
      const among = frequency.get(word);
      if (among !== undefined) match += 1 / Math.sqrt(among);
    }
    const days = Math.max(0, now - fact.validFrom) / DAY_MS;
    return match + NEARNESS[fact.scope] + 0.2 / (1 + days / 30) + 0.02 * Math.min(5, fact.confirmations);
  };
  return found
    .map((fact) => ({ fact, score: score(fact) }))
    .toSorted((one, other) => other.score - one.score || (one.fact.fact < other.fact.fact ? -1 : 1))
    .map(({ fact }) => fact);
}

/** Predicates whose value is a whole sentence, in the words of who said it. */
const SENTENCES: ReadonlySet<string> = new Set(['must', 'must_not', 'decided', 'note']);
/** Share of a sentence's own words that must be typed for it to fit. */
const SENTENCE_PART = 0.4;

/**
 * The built-in judge: a fact fits where what is typed names its subject, or two of its words, or one of its value. A sentence
 * fits where two of its words are typed, or a large part of a short one.
 */
export function lexicalJudge(fact: FittingFact, { words }: BlockQuestion): boolean {
  const asked = new Set(words);
  const value = wordsIn(fact.value);
  const hits = (own: readonly string[]) => own.filter((word) => asked.has(word)).length;
  if (SENTENCES.has(fact.predicate)) {
    const found = hits(value);
    return found >= 2 || (found > 0 && found / value.length >= SENTENCE_PART);
  }
  const subject = wordsIn(fact.subject);
  if (subject.length > 0 && hits(subject) === subject.length) return true;
  if (hits(value) > 0) return true;
  return hits(fact.words) >= 2;
}

const HEAD = '[Context Mode, facts of this project that hold now:]';
/** Characters of a value that are shown. */
const VALUE_CHARS = 240;

/** The text of a block: a line for each fact, the best first. */
export function blockText(facts: readonly FittingFact[]): string {
  return [HEAD, ...facts.map((fact) => `- ${factLine(fact)}`)].join('\n');
}

/** A fact in one line, in the words that it was said in. */
export function factLine({
  subject,
  predicate,
  value,
}: Pick<FittingFact, 'subject' | 'predicate' | 'value'>): string {
  const plain = value.replace(/\s+/gu, ' ').trim();
  const shown = plain.length > VALUE_CHARS ? `${plain.slice(0, VALUE_CHARS)}…` : plain;
  if (SENTENCES.has(predicate)) return shown;
  const verb = predicate.replaceAll('_', ' ');
  return verb === 'is' || VERBAL.has(predicate)
    ? `${subject} ${verb} ${shown}`.replace(/\s+/gu, ' ')
    : `${subject} ${verb}: ${shown}`.replace(/\s+/gu, ' ');
}

const VERBAL: ReadonlySet<string> = new Set([
  'deployed_to',
  'uses',
  'prefers',
  'released',
  'shipped',
  'stored_in',
  'handled_by',
]);
