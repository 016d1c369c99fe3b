import { createHash } from 'node:crypto';

/** A part of an assistant's message as agents send it again, told by what stays the same. */
export interface VisiblePart {
  /** Hash of a text, of a thinking with its signature; the id alone of a call. */
  readonly fingerprint: string;
  readonly isReasoning: boolean;
}

/** A hidden round of a delivered answer: where it stood, and the messages that are sent in its place. */
export interface HiddenPlace {
  /** Parts of reasoning, and others, that the client had of the answer up to the round's end. */
  readonly reasoning: number;
  readonly position: number;
  /** JSON texts of the messages, as they were sent the first time. */
  readonly sent: readonly string[];
}

/** A call of ours beside calls of the client's, in the last round of a delivered answer. */
export interface MixedRound {
  /** JSON text of the assistant's message of that round, our call in its place. */
  readonly message: string;
  /** JSON texts of our results, sent behind the client's own. */
  readonly results: readonly string[];
}

/** A delivered answer with hidden rounds, as it is kept. */
export interface HiddenAnswer {
  /** Names the record; one is used once in a request. */
  readonly id: string;
  /** The chain of the assistant's messages before it, in the client's view. */
  readonly chain: string;
  /**
   * True: it was written before the answer had ended (the follow-up went out, or the answer broke off), and the client may
   * have more parts than are listed.
   */
  readonly open: boolean;
  /** The parts that the client got, blank texts left out. */
  readonly parts: readonly VisiblePart[];
  /** In order, all but a mixed last one. */
  readonly places: readonly HiddenPlace[];
  readonly mixed: MixedRound | null;
}

/** The chain of a conversation whose client has no assistant's message yet. */
export const FIRST_CHAIN = '';

/** The chain behind an assistant's message with these parts; reasoning is no part of it, since agents leave it out. */
export function chainBehind(chain: string, parts: readonly VisiblePart[]): string {
  const hash = createHash('sha256').update(chain);
  for (const fingerprint of comparable(parts)) hash.update(`\0${fingerprint}`);
  return hash.digest('base64url');
}

/**
 * The kept answer that an echoed message is, or a beginning of it that reaches behind its first hidden round. Of several,
 * the whole one, then the newest (the last of the list). An echo of an open answer may go on behind the parts that are
 * known, where it has at least one of them: an attempt that was thrown away is not to be taken for the one that was kept.
 */
export function answerOf(
  echoed: readonly VisiblePart[],
  candidates: readonly HiddenAnswer[],
  used: ReadonlySet<string>,
): HiddenAnswer | null {
  const fitting = candidates.filter((candidate) => !used.has(candidate.id) && fits(echoed, candidate));
  const whole = fitting.findLast((candidate) => isWhole(echoed, candidate));
  const begun = () => fitting.findLast((candidate) => placesBehind(echoed, candidate).length > 0);
  return whole ?? begun() ?? null;
}

/** The hidden rounds of an answer that its echo reaches behind: all of them where it is the whole answer. */
export function placesBehind(echoed: readonly VisiblePart[], answer: HiddenAnswer): readonly HiddenPlace[] {
  if (isWhole(echoed, answer)) return answer.places;
  if (!fits(echoed, answer)) return [];
  const seen = comparable(echoed).length;
  return answer.places.filter((place) => place.position < seen || thinksBehind(echoed, answer, place));
}

/** Where a person breaks in while the model thinks, its reasoning alone tells that the echo reaches behind a round. */
function thinksBehind(echoed: readonly VisiblePart[], answer: HiddenAnswer, place: HiddenPlace): boolean {
  const reasoning = answer.parts.filter((part) => part.isReasoning).map((part) => part.fingerprint);
  const before = new Set(reasoning.slice(0, place.reasoning));
  const behind = new Set(reasoning.slice(place.reasoning));
  const goesOn = answer.open && sharesReasoning(echoed, answer);
  return echoed.some(
    ({ isReasoning, fingerprint }) =>
      isReasoning && (behind.has(fingerprint) || (goesOn && !before.has(fingerprint))),
  );
}

/** True where the echo has all parts of the answer; of an open one nobody knows. */
export function isWhole(echoed: readonly VisiblePart[], answer: HiddenAnswer): boolean {
  if (answer.open) return false;
  return fits(echoed, answer) && comparable(echoed).length === comparable(answer.parts).length;
}

/** Agents leave reasoning out on a change of model: it decides nothing. */
function comparable(parts: readonly VisiblePart[]): readonly string[] {
  return parts.filter((part) => !part.isReasoning).map((part) => part.fingerprint);
}

/** True where an echo is a beginning of the answer, or goes on behind what is known of an open one. */
function fits(echoed: readonly VisiblePart[], answer: HiddenAnswer): boolean {
  const known = comparable(answer.parts);
  const seen = comparable(echoed);
  const shared = seen.slice(0, known.length);
  if (!shared.every((fingerprint, index) => known[index] === fingerprint)) return false;
  return (
    seen.length <= known.length || (answer.open && (shared.length > 0 || sharesReasoning(echoed, answer)))
  );
}

/** Reasoning is told by its signature: where both have the same, they are of one answer. */
function sharesReasoning(echoed: readonly VisiblePart[], answer: HiddenAnswer): boolean {
  const known = new Set(answer.parts.filter((part) => part.isReasoning).map((part) => part.fingerprint));
  return echoed.some((part) => part.isReasoning && known.has(part.fingerprint));
}

/**
 * The parts of an echo behind the last of its hidden rounds; those up to it are in the messages sent for the rounds.
 * Reasoning is told by its fingerprint, since an agent may have left some out.
 */
export function partsBehind<Part extends VisiblePart>(
  echoed: readonly Part[],
  answer: HiddenAnswer,
  last: HiddenPlace | undefined,
): readonly Part[] {
  if (last === undefined) return echoed;
  const reasoning = answer.parts.filter((part) => part.isReasoning).slice(0, last.reasoning);
  const gone = new Set(reasoning.map((part) => part.fingerprint));
  let others = 0;
  return echoed.filter((part) => {
    if (part.isReasoning) return others >= last.position && !gone.has(part.fingerprint);
    others += 1;
    return others > last.position;
  });
}
