import type { FoundDate } from './dates.ts';
import { type Context, PROJECT, type Reading } from './reading.ts';
import { readValue } from './value-readings.ts';
import { isPassing, isUnsure, withoutTail } from './words.ts';

/** What a sentence without its leading words says: orders and decisions as they were said, else what has which value. */
export function readStatement(words: string, context: Context): readonly Reading[] {
  const order = readOrder(words, context.isTold);
  if (order !== null) return [order];
  const decision = readDecision(words);
  const values = isUnsure(words) ? [] : readValues(withoutDecision(words), context);
  if (decision !== null) return [decision, ...values];
  if (values.length > 0) return values;
  return context.isTold ? readNote(words) : [];
}

const ORDER =
  /^(?:please )?(?<how>do not|don['’]t|dont|never|always|you must (?:not|never|always)|you should (?:never|always)|we (?:never|always)|(?:nobody|no one) (?:may|should|must))\s+\S+.*$/iu;
const FORBIDS = /not|don|never|nobody|no one/iu;
/** What is ordered of the piece of work in hand. */
const IN_HAND =
  /\b(?:this|that|these|those) (?:pr|file|function|change|commit|step|session|task|branch|turn|case|test|method|class|line|time|one|part|run|message|fix|refactor|round)s?\b|\bhere\b/iu;

function readOrder(words: string, isTold: boolean): Reading | null {
  const told = isTold ? /^to (?<what>\S+ .+)$/iu.exec(words)?.groups?.what : undefined;
  if (told !== undefined) return verbatim('must', told);
  const how = ORDER.exec(words)?.groups?.how;
  if (how === undefined || isPassing(words) || IN_HAND.test(words)) return null;
  if (words.split(/\s+/u).length < 3) return null;
  return verbatim(FORBIDS.test(how) ? 'must_not' : 'must', words);
}

const DECISIONS: readonly RegExp[] = [
  /^(?:we|i)(?:['’]ve| have|['’]re| are)? ?(?:just |all |finally )?(?:decided|agreed|settled|opted|chose)\b .+$/iu,
  /^decision\s*(?::|[-–—])\s*(?<what>.+)$/iu,
  /^(?:let['’]s|let us|we['’]ll|we will|we['’]re going to|we are going to|we) (?:go|stick|stay|went) with .+$/iu,
  /^(?:option|plan|variant|approach|proposal|alternative) [\p{Lu}\d]\b.* because .+$/u,
  /^(?:Option|Plan|Variant|Approach|Proposal|Alternative) [\p{Lu}\d]\b.* because .+$/u,
];

function readDecision(words: string): Reading | null {
  if (/\?$/u.test(words)) return null;
  for (const pattern of DECISIONS) {
    const match = pattern.exec(words);
    if (match !== null) return verbatim('decided', match.groups?.what ?? words);
  }
  return null;
}

/** `we decided to use X` says that X is used, too. */
function withoutDecision(words: string): string {
  return words
    .replace(
      /^(?:decision\s*(?::|[-–—])\s*|(?:we|i)(?:['’]ve| have)? (?:just |all |finally )?(?:decided|agreed|chose) to (?=use|deploy|host|run|move|migrate|switch))/iu,
      'we ',
    )
    .replace(/^we we /iu, 'we ');
}

function verbatim(predicate: string, value: string): Reading {
  return { subject: PROJECT, predicate, value, kind: 'value', isDated: false };
}

function readNote(words: string): readonly Reading[] {
  return words.split(/\s+/u).length < 2 ? [] : [verbatim('note', words)];
}

/** Between clauses that each say something of their own. */
const CLAUSES = /;\s+|,? (?:and|but) (?=(?:we|our|the|staging|production|prod)\s)/iu;

function readValues(words: string, context: Context): readonly Reading[] {
  const { date } = context;
  const isDated = date !== null && isTime(date, words);
  const bare = isDated ? withoutSpan(words, date) : words;
  return bare
    .split(CLAUSES)
    .flatMap((clause) => readValue(withoutTail(clause.trim()), context))
    .map((reading) => ({ ...reading, isDated }));
}

const LEADING: ReadonlySet<string> = new Set([
  'since',
  'as of',
  'from',
  'starting',
  'starting on',
  'starting from',
  'effective',
  'effective from',
  'until',
  'till',
]);
const PAST =
  /\b(?:moved|migrated|switched|changed|renamed|released|shipped|launched|published|deployed|dropped|removed|replaced|stopped|became|took over|got|ported|will|was|were|used)\b/iu;

/** True where a date says when it became so; `the standup is on Monday` says what it is. */
function isTime(date: FoundDate, words: string): boolean {
  if (LEADING.has(date.by)) return true;
  return PAST.test(words) && !VALUE_FOLLOWS.test(words.slice(0, date.start));
}

/** `the deadline was changed to Friday`: what follows is the value. */
const VALUE_FOLLOWS = /(?<![\p{L}\p{N}])(?:to|is|are) *$/iu;

function withoutSpan(words: string, { start, end }: FoundDate): string {
  return `${words.slice(0, start)} ${words.slice(end)}`
    .replace(/\s+/gu, ' ')
    .replace(/ ,/gu, ',')
    .replace(/^[\s,]+|[\s,]+$/gu, '');
}
