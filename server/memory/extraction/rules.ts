import type { Millis } from '../../kernel/clock.ts';
import { type FoundDate, findDate, type SpokenAt } from './dates.ts';
import type { Reading } from './reading.ts';
import { readStatement } from './readings.ts';
import { type Sentence, sentencesIn } from './sentences.ts';
import type { Extracted, LearnedTurn, TurnPart } from './types.ts';
import { isAboutSecrets, withoutLeads } from './words.ts';

/** Name and version of these rules, as the author of what they draw. */
export const RULES_AUTHOR = 'rules/1';

/**
 * What a turn says outright, drawn by rules alone: the same input gives the same facts anywhere. Only what a person typed
 * is read; what the agent put beside it, answers, results of tools and what Context Mode put before the model are not.
 */
export function extractByRules(turn: LearnedTurn): readonly Extracted[] {
  if (!turn.isMain) return [];
  return turn.parts
    .filter(isTypedPart)
    .flatMap((part) => sentencesIn(part.text).flatMap((sentence) => readSentence(sentence, part, turn)));
}

/** True for words that a person typed. */
export function isTypedPart({ role, kind }: Pick<TurnPart, 'role' | 'kind'>): boolean {
  return role === 'user' && kind === 'input';
}

function readSentence(sentence: Sentence, part: TurnPart, turn: LearnedTurn): readonly Extracted[] {
  if (isAboutSecrets(sentence.text) || sentence.text.includes('context-mode-')) return [];
  const { words, isTold } = withoutLeads(sentence.text);
  const spoken: SpokenAt = { saidAt: turn.saidAt, zone: turn.zone };
  const date = isPartOfStatement(words) ? findDate(words, spoken) : null;
  const readings = readStatement(words, { date, isTold, known: turn.known, spoken });
  return readings.flatMap((reading) => drawn(reading, sentence, part, turn, reading.isDated ? date : null));
}

/** What is ordered or decided is kept as it was said, with its dates. */
function isPartOfStatement(words: string): boolean {
  return !/^(?:please )?(?:do not|don't|dont|never|always)\b/iu.test(words);
}

function drawn(
  reading: Reading,
  sentence: Sentence,
  part: TurnPart,
  turn: LearnedTurn,
  date: FoundDate | null,
): readonly Extracted[] {
  const place = { docid: part.docid, start: sentence.start, end: sentence.end };
  const dated = date === null ? 'turn' : date.written ? 'written' : 'words';
  const { subject, predicate } = reading;
  const arity = reading.arity === undefined ? {} : { arity: reading.arity };
  const isUntil = date !== null && UNTIL.has(date.by);
  const from: Millis = date === null || isUntil ? turn.saidAt : date.at;
  const fact = { subject, predicate, from, ...arity, ...place, dated } as const;
  const facts: Extracted[] = [{ ...fact, value: reading.value, kind: reading.kind }];
  if (isUntil) facts.push({ ...fact, value: reading.value, kind: 'end', from: date.at });
  return facts;
}

const UNTIL: ReadonlySet<string> = new Set(['until', 'till', 'through', 'by']);
