import fc from 'fast-check';
import type { Millis } from '../kernel/clock.ts';
import type { Uuid } from '../kernel/ids.ts';
import type { Arity, Authority, FactVersion, Statement, VoidReason, Window } from './types.ts';

let made = 0;

/** An id that was not used before; later ones are greater. */
export function nextId(): Uuid {
  made += 1;
  return idOf(made);
}

function idOf(n: number): Uuid {
  return `00000000-0000-8000-8000-${n.toString(16).padStart(12, '0')}` as Uuid;
}

/** Fields of a statement that a test may give. */
export interface Given {
  readonly id?: Uuid;
  readonly authority?: Authority;
  readonly saidAt?: number;
  readonly docid?: string | null;
  readonly offset?: number;
}

function said(from: number, given: Given) {
  return {
    id: given.id ?? nextId(),
    authority: given.authority ?? 'extractor',
    saidAt: (given.saidAt ?? from) as Millis,
    docid: given.docid ?? null,
    offset: given.offset ?? 0,
  } as const;
}

/** A value whose text is its key. */
export function value(text: string) {
  return { text, key: text };
}

/** From `from` on the slot is `text`. */
export function claim(text: string, from: number, given: Given = {}): Statement {
  return { kind: 'value', value: value(text), from: from as Millis, ...said(from, given) };
}

/** At `from` the slot, or one value of it, ended. */
export function end(text: string | null, from: number, given: Given = {}): Statement {
  const named = text === null ? null : value(text);
  return { kind: 'end', value: named, from: from as Millis, ...said(from, given) };
}

/** A person decides at `at` that what closed at `from` went on. */
export function reopen(text: string, from: number, at: number, given: Given = {}): Statement {
  const person = said(at, { authority: 'person', ...given });
  return { kind: 'reopen', value: value(text), from: from as Millis, ...person };
}

/** A person takes a statement back at `at`. */
export function taken(target: Uuid, at: number, reason: VoidReason = 'retracted'): Statement {
  return { kind: 'void', target, reason, ...said(at, { authority: 'person' }) };
}

/** A person says at `at` how many values the slot holds. */
export function arity(many: Arity, at: number, given: Given = {}): Statement {
  return { kind: 'arity', arity: many, ...said(at, { authority: 'person', ...given }) };
}

/** Windows on one line each: `Render [1, 5)`. */
export function shown(windows: readonly Window[]): readonly string[] {
  return windows.map(({ value: { text }, from, to }) => `${text} [${from}, ${to ?? 'now'})`);
}

/** Versions on one line each, in order of recorded time: `Render [1, 5) known [3, 9) superseded`. */
export function versionsShown(versions: readonly FactVersion[]): readonly string[] {
  return versions
    .toSorted((one, other) => one.recordedFrom - other.recordedFrom || one.validFrom - other.validFrom)
    .map(
      (version) =>
        `${version.value.text} [${version.validFrom}, ${version.validTo ?? 'now'}) known ` +
        `[${version.recordedFrom}, ${version.recordedTo ?? 'now'}) ${version.cause}` +
        (version.endCause === null ? '' : `, then ${version.endCause}`),
    );
}

const TIMES = 24;
const time = fc.integer({ min: 0, max: TIMES });
const text = fc.constantFrom('A', 'B', 'C');
const authority = fc.constantFrom<Authority>('import', 'extractor', 'extractor', 'person');
const spoken = {
  saidAt: time,
  docid: fc.constantFrom(null, 'd1', 'd2'),
  offset: fc.integer({ min: 0, max: 2 }),
};

/**
 * Statements of one slot of every kind: values and ends of any authority, reopens, and what takes earlier ones of the
 * list back. Instants are few, so that they meet.
 */
export function anyStatements(arities: readonly Arity[] = []): fc.Arbitrary<readonly Statement[]> {
  const kinds = [
    {
      weight: 8,
      arbitrary: fc.record({ kind: fc.constant('value' as const), text, from: time, authority, ...spoken }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('end' as const),
        text: fc.option(text),
        from: time,
        authority,
        ...spoken,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('reopen' as const), text, from: time, saidAt: time }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('void' as const), back: fc.nat({ max: 5 }), saidAt: time }),
    },
    ...(arities.length === 0
      ? []
      : [
          {
            weight: 1,
            arbitrary: fc.record({
              kind: fc.constant('arity' as const),
              many: fc.constantFrom(...arities),
              authority,
              saidAt: time,
            }),
          },
        ]),
  ];
  return fc.array(fc.oneof(...kinds), { maxLength: 14 }).map((drafts) => {
    const statements: Statement[] = [];
    for (const [index, draft] of drafts.entries()) {
      const id = idOf(index + 1);
      if (draft.kind === 'value') statements.push(claim(draft.text, draft.from, { ...draft, id }));
      else if (draft.kind === 'end') statements.push(end(draft.text, draft.from, { ...draft, id }));
      else if (draft.kind === 'reopen') statements.push(reopen(draft.text, draft.from, draft.saidAt, { id }));
      else if (draft.kind === 'arity') statements.push(arity(draft.many, draft.saidAt, { ...draft, id }));
      else {
        const target = statements[statements.length - 1 - draft.back];
        if (target !== undefined) statements.push({ ...taken(target.id, draft.saidAt), id });
      }
    }
    return statements;
  });
}

/** The same statements in another order. */
export function shuffled<T>(items: readonly T[]): fc.Arbitrary<readonly T[]> {
  return fc.shuffledSubarray([...items], { minLength: items.length, maxLength: items.length });
}
