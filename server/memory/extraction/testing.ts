import type { DocId } from '../../conversation/index.ts';
import type { Millis } from '../../kernel/clock.ts';
import { extractByRules } from './rules.ts';
import type { Extracted, KnownFact, LearnedTurn, TurnPart } from './types.ts';

/** A Tuesday, ten o'clock. */
export const SAID = Date.parse('2026-12-01T10:00:00Z') as Millis;

/** A typed part with sensible fields around the given ones. */
export function part(text: string, fields: Partial<TurnPart> = {}): TurnPart {
  return {
    docid: 'context-mode-msg-0123456789abcdef' as DocId,
    role: 'user',
    kind: 'input',
    text,
    ...fields,
  };
}

/** A turn of one typed text. */
export function typedTurn(text: string, known: readonly KnownFact[] = []): LearnedTurn {
  return { isMain: true, parts: [part(text)], saidAt: SAID, zone: 'UTC', known };
}

/** What is drawn from a typed text. */
export function drawnFrom(text: string, known: readonly KnownFact[] = []): readonly Extracted[] {
  return extractByRules(typedTurn(text, known));
}

/** Facts on one line each: `subject | predicate | value`; an end with `✗` before its value, the day where it was said. */
export function factsShown(facts: readonly Extracted[]): readonly string[] {
  return facts.map(({ subject, predicate, value, kind, from, dated }) => {
    const what = `${subject} | ${predicate} | ${kind === 'end' ? '✗ ' : ''}${value ?? ''}`;
    return dated === 'turn' ? what : `${what} @ ${new Date(from).toISOString().slice(0, 10)}`;
  });
}

/** A fact of the place from `subject | predicate | value`. */
export function knownFact(line: string): KnownFact {
  const [subject = '', predicate = '', value = ''] = line.split(' | ');
  return { subject, predicate, value };
}
