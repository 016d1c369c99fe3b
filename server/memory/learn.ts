import type { DocId } from '../conversation/index.ts';
import type { Millis } from '../kernel/clock.ts';
import { extractByRules, isTypedPart, RULES_AUTHOR } from './extraction/rules.ts';
import type { Extracted, KnownFact, LearnedTurn, TurnPart } from './extraction/types.ts';
import { likeSubject } from './likeness.ts';
import type { Scope } from './place.ts';
import type { Claim, Doubt } from './store/review-types.ts';
import type { FactDraft } from './store/types.ts';

/** What is asked of a turn: its parts, what was answered before it, where it belongs. */
export interface TurnQuestion {
  readonly isMain: boolean;
  readonly parts: readonly TurnPart[];
  /** Texts of the answer that the typed words follow. */
  readonly answered: readonly TurnPart[];
  readonly saidAt: Millis;
  readonly zone: string;
  readonly scope: Scope;
  readonly known: readonly KnownFact[];
}

/** What a turn teaches: what is written, and what an answer says by itself, which waits for a person. */
export interface Learned {
  readonly drafts: readonly FactDraft[];
  readonly claims: ReadonlyMap<DocId, readonly Claim[]>;
}

/** True where a person typed something in the main line: other turns are not looked at. */
export function isTypedTurn({ isMain, parts }: Pick<TurnQuestion, 'isMain' | 'parts'>): boolean {
  return isMain && parts.some((part) => isTypedPart(part) && part.text.trim() !== '');
}

/** What the built-in rules draw from a turn. What an answer says is written only where the typed words confirm it. */
export function learnByRules(question: TurnQuestion): Learned {
  const { parts, answered, known, scope } = question;
  const stated = extractByRules(asTurn(question, parts));
  const claimed = extractByRules(asTurn(question, answered.map(asIfTyped)));
  const isConfirmed = parts.some((part) => isTypedPart(part) && confirms(part.text));
  const draws = isConfirmed ? [...claimed, ...stated] : stated;
  const said = new Set(stated.map(nameOf));
  return {
    drafts: draws.map((one) => draftOf(one, question.saidAt, scope, known)),
    claims: isConfirmed
      ? new Map()
      : claimsOf(
          claimed.filter((one) => !said.has(nameOf(one))),
          question.saidAt,
        ),
  };
}

function asTurn({ isMain, saidAt, zone, known }: TurnQuestion, parts: readonly TurnPart[]): LearnedTurn {
  return { isMain, parts, saidAt, zone, known };
}

/** The rules read what is typed alone; of an answer they are asked what it would mean if it were. */
function asIfTyped(part: TurnPart): TurnPart {
  return { ...part, role: 'user', kind: 'input' };
}

/** Words that agree with the answer before them, at the beginning of what is typed. */
const YES =
  /^\s*(?:yes|yep|yeah|yup|right|correct|exactly|true|agreed|confirmed|that(?:['’]s| is) (?:right|correct|true)|all correct|ja|genau|stimmt|oui|sí|si)(?![\p{L}\p{N}])(?!,? but\b)/iu;

/** Whether typed words confirm what was answered before them. */
export function confirms(text: string): boolean {
  return YES.test(text);
}

function nameOf({ subject, predicate, value, kind }: Extracted): string {
  return JSON.stringify([subject.toLowerCase(), predicate, value?.toLowerCase() ?? null, kind]);
}

function draftOf(drawn: Extracted, saidAt: Millis, scope: Scope, known: readonly KnownFact[]): FactDraft {
  const like = likeSubject(drawn, known);
  const doubts: Doubt[] = [];
  if (drawn.dated === 'words') doubts.push('date');
  if (like !== null) doubts.push('likeness');
  const { predicate, value, kind, from, docid, start, end } = drawn;
  return {
    scope,
    subject: like ?? drawn.subject,
    predicate,
    value,
    kind,
    from,
    source: { docid, saidAt, start, end },
    ...(drawn.arity === undefined ? {} : { arity: drawn.arity }),
    ...(doubts.length === 0 ? {} : { doubts }),
  };
}

function claimsOf(claimed: readonly Extracted[], saidAt: Millis): ReadonlyMap<DocId, readonly Claim[]> {
  const claims = new Map<DocId, Claim[]>();
  for (const { subject, predicate, value, kind, from, docid, start, end } of claimed) {
    const claim: Claim = { subject, predicate, value, kind, from, saidAt, start, end, author: RULES_AUTHOR };
    claims.set(docid, [...(claims.get(docid) ?? []), claim]);
  }
  return claims;
}
