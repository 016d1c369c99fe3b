import { compareText } from './rank.ts';
import type { Arity, Value } from './types.ts';

/** What a slot is called, in the form that equal ones share. */
export interface SlotName {
  readonly subject: string;
  readonly predicate: string;
}

/** What is said: the words of a fact, as they were said. */
export interface Triple {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
}

/** Between the two ends of a relation that runs both ways. */
const BOTH_WAYS = ' ↔ ';

/**
 * The slot that a triple speaks of. Case, spaces, `_`, `-`, articles and known synonyms make no difference; of a `pair`
 * neither does which end is named first.
 */
export function slotName({ subject, predicate, object }: Triple, arity: Arity): SlotName {
  const one = normalName(subject);
  const name = { subject: one, predicate: normalPredicate(predicate) };
  if (arity !== 'pair') return name;
  return { ...name, subject: [one, normalName(object)].toSorted(compareText).join(BOTH_WAYS) };
}

/** A subject in normal form; one of nothing but marks stays as it is. */
export function normalName(text: string): string {
  const plain = folded(text)
    .replace(/[\s_-]+/gu, ' ')
    .trim();
  const words = plain.replace(EDGES, '').replace(ARTICLES, '');
  return words === '' ? plain : words;
}

/** A predicate in normal form, by the name that its synonyms share. */
export function normalPredicate(text: string): string {
  const name = normalName(text).replaceAll(' ', '_');
  return SYNONYMS.get(name) ?? name;
}

/** A value with the key that equal ones share. Case counts in what looks like code: paths, versions, identifiers. */
export function toValue(text: string): Value {
  return { text, key: valueKey(text) };
}

function valueKey(text: string): string {
  const bare = text
    .normalize('NFC')
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(QUOTES, '')
    .replace(/[.!]+$/u, '')
    .trim();
  const words = bare.replace(ARTICLES, '');
  const isProse = words.split(BETWEEN_WORDS).every((word) => WORD.test(word));
  const key = isProse ? words.toLowerCase() : words;
  return key === '' ? text : key;
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

const ARTICLES = /^(?:(?:the|a|an|our)\s+)+(?=\S)/iu;
/** Marks at either end of a name. */
const EDGES = /^[\s"'`“”‘’«».,;:!?()[\]]+|[\s"'`“”‘’«».,;:!?()[\]]+$/gu;
const QUOTES = /^["'`“”‘’«»]+|["'`“”‘’«»]+$/gu;
const BETWEEN_WORDS = /[\s,'’&()-]+/u;
/** A word with no digit or mark in it, and no capital but its first or all of them. */
const WORD = /^(?:\p{Lu}?[\p{Ll}\p{Lo}]*|\p{Lu}+)$/u;

/** Predicates that say the same of a thing, each under the first. */
const SAME_PREDICATES: readonly (readonly string[])[] = [
  [
    'deployed_to',
    'deployed_on',
    'deployed_at',
    'deploys_to',
    'runs_on',
    'runs_at',
    'running_on',
    'hosted_on',
    'hosted_at',
    'hosted_by',
    'lives_on',
    'served_from',
    'host',
    'hosting',
    'hosting_provider',
    'deployment_target',
    'deploy_target',
  ],
  [
    'region',
    'located_in',
    'is_in',
    'lives_in',
    'hosted_in',
    'deployed_in',
    'runs_in',
    'location',
    'data_center',
  ],
  ['uses', 'use', 'using', 'is_using', 'built_with', 'based_on', 'relies_on', 'depends_on'],
  ['version', 'is_version', 'pinned_to', 'pinned_at', 'is_on_version'],
  ['owner', 'owned_by', 'maintained_by', 'maintainer', 'responsible', 'is_owned_by', 'belongs_to'],
  ['port', 'listens_on', 'listens_on_port', 'runs_on_port', 'port_number'],
  ['name', 'named', 'called', 'is_called', 'is_named'],
  ['deadline', 'due', 'due_on', 'due_date', 'due_by', 'is_due'],
  ['codename', 'code_name', 'codenamed'],
  ['time', 'is_at', 'takes_place_at', 'starts_at', 'scheduled_at', 'scheduled_for'],
  ['url', 'address', 'available_at', 'reachable_at', 'found_at'],
  ['prefers', 'prefer', 'likes', 'favours', 'favors'],
];
const SYNONYMS: ReadonlyMap<string, string> = new Map(
  SAME_PREDICATES.flatMap(([first = '', ...others]) => others.map((other) => [other, first] as const)),
);

/** All predicates that say the same as one in normal form, itself among them. */
export function synonymsOf(predicate: string): readonly string[] {
  return SAME_PREDICATES.find(([first]) => first === predicate) ?? [predicate];
}

/** How many values a slot of this predicate holds where nobody said it: one, unless it is in this list. */
export function usualArity(predicate: string): Arity {
  return USUAL.get(predicate) ?? 'one';
}

const USUAL: ReadonlyMap<string, Arity> = new Map<string, Arity>([
  ...[
    'must',
    'must_not',
    'decided',
    'note',
    'prefers',
    'uses',
    'member',
    'includes',
    'supports',
    'tagged',
  ].map((name) => [name, 'many'] as const),
  ...['released', 'happened', 'shipped', 'met', 'incident'].map((name) => [name, 'event'] as const),
  ...['married_to', 'sibling_of', 'paired_with', 'peered_with', 'same_as', 'works_with'].map(
    (name) => [name, 'pair'] as const,
  ),
]);
