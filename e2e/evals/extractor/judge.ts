import type { DocId } from '../../../server/archive/types.ts';
import type { Millis } from '../../../server/kernel/clock.ts';
import type { Uuid } from '../../../server/kernel/ids.ts';
import {
  type FactDraft,
  learnByRules,
  normalPredicate,
  slotName,
  toValue,
  usualArity,
} from '../../../server/memory/index.ts';
import type { Label, LabelledTurn } from './turns.ts';

/** What an extractor draws from a typed text. */
export type Extractor = (text: string) => readonly Label[];

/** How an extractor agrees with the labels; shares from 0 to 1. */
export interface Agreement {
  readonly turns: number;
  readonly facts: number;
  /** Turns in which there is something where there should be, and nothing where not. */
  readonly presence: number;
  readonly slot: number;
  /** Slot and value. */
  readonly value: number;
  /** Turns without a fact that yield one, of these. */
  readonly invented: number;
  readonly misses: readonly string[];
}

/** The built-in rules as an extractor. */
export const byRules: Extractor = (text) => {
  const docid = `context-mode-msg-${'0'.repeat(16)}` as DocId;
  const { drafts } = learnByRules({
    isMain: true,
    parts: [{ docid, role: 'user', kind: 'input', text }],
    answered: [],
    saidAt: Date.UTC(2026, 11, 1, 12) as Millis,
    zone: 'UTC',
    scope: { kind: 'project', id: '00000000-0000-7000-8000-000000000001' as Uuid },
    known: [],
  });
  return drafts.flatMap(({ subject, predicate, value, kind }: FactDraft) =>
    kind === 'value' && value !== null ? [{ subject, predicate, value }] : [],
  );
};

/** Compares an extractor with labelled turns. */
export function agreementOf(extractor: Extractor, turns: readonly LabelledTurn[]): Agreement {
  let facts = 0;
  let present = 0;
  let slots = 0;
  let values = 0;
  let silent = 0;
  let invented = 0;
  const misses: string[] = [];
  for (const { text, facts: labels } of turns) {
    const drawn = extractor(text);
    if (drawn.length > 0 === labels.length > 0) present += 1;
    if (labels.length === 0) {
      silent += 1;
      if (drawn.length > 0) {
        invented += 1;
        misses.push(`invented: ${text} → ${JSON.stringify(drawn)}`);
      }
    }
    for (const label of labels) {
      facts += 1;
      const same = drawn.filter((one) => slotOf(one) === slotOf(label));
      if (same.length > 0) slots += 1;
      if (same.some((one) => toValue(one.value).key === toValue(label.value).key)) values += 1;
      else misses.push(`missed: ${text} → ${JSON.stringify(drawn)}`);
    }
  }
  return {
    turns: turns.length,
    facts,
    presence: present / turns.length,
    slot: slots / facts,
    value: values / facts,
    invented: invented / silent,
    misses,
  };
}

function slotOf({ subject, predicate, value }: Label): string {
  const name = slotName({ subject, predicate, object: value }, usualArity(normalPredicate(predicate)));
  return `${name.subject} | ${name.predicate}`;
}
