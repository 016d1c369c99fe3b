import { normalName, normalPredicate, toValue } from '../normal-form.ts';
import type { KnownFact } from './types.ts';

/** The one fact among these that has a value; null where none has it, or several. */
export function factWithValue(known: readonly KnownFact[], value: string): KnownFact | null {
  const { key } = toValue(value);
  return only(known.filter((fact) => toValue(fact.value).key === key));
}

/** The one fact of a subject that has a value, or the one whose predicate says where or when it is. */
export function factThatMoved(
  known: readonly KnownFact[],
  subject: string,
  value: string | null,
): KnownFact | null {
  const name = normalName(subject);
  const own = known.filter((fact) => normalName(fact.subject) === name);
  const placed = own.filter((fact) => PLACES.has(normalPredicate(fact.predicate)));
  return (value === null ? null : factWithValue(own, value)) ?? only(placed);
}

const PLACES: ReadonlySet<string> = new Set(['deployed_to', 'region', 'time', 'url', 'deadline']);

function only(facts: readonly KnownFact[]): KnownFact | null {
  const [first] = facts;
  return facts.length === 1 && first !== undefined ? first : null;
}
