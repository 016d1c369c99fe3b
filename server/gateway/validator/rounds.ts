import { type Skim, type SkimNode, skim } from './skim.ts';

/**
 * Of each element whether a round begins with it that is whole and plain: what a model made, from its reasoning on, and the
 * results of all its calls, with nothing else in it that a rule looks at. A number: elements of the round times four (none:
 * 0), and two more where a model made the element, and one where the round has reasoning in it.
 */
export interface Rounds {
  readonly marks: readonly number[];
  /** Ids of each element that no other may have, and whether one stands twice. */
  readonly ids: readonly (readonly string[])[];
  readonly repeats: boolean;
}

/** Of no elements. */
export const NO_ROUNDS: Rounds = { marks: [], ids: [], repeats: false };

/** What an element is to a round. */
interface Share {
  /** Ids that no other element may have. */
  readonly ids: readonly string[];
  readonly side: 'made' | 'results' | 'other';
  readonly thinks: boolean;
  readonly opens: readonly string[];
  readonly closes: readonly string[];
  /** It has more than results. */
  readonly isMixed: boolean;
}

const OTHER: Share = { ids: [], side: 'other', thinks: false, opens: [], closes: [], isMixed: false };

/** The number of elements of the round that begins with an element; 0: none does. */
export function spanOf(rounds: Rounds, element: number): number {
  return (rounds.marks[element] ?? 0) >> 2;
}

/** Whether a model made an element. */
export function isMade(rounds: Rounds, element: number): boolean {
  return ((rounds.marks[element] ?? 0) & 2) !== 0;
}

/** Whether there is reasoning in the round that begins with an element. */
export function thinks(rounds: Rounds, element: number): boolean {
  return ((rounds.marks[element] ?? 0) & 1) !== 0;
}

/**
 * Rounds of elements, told from their outlines.
 * @param outlineAt the outline of an element
 * @param known those of the first elements, as they were when nothing stood behind these
 */
export function roundsIn(outlineAt: (element: number) => Buffer, count: number, known: Rounds): Rounds {
  const marks = [...known.marks];
  const ids = [...known.ids];
  // The last round that is known may go on with what is new: it is gone through again.
  let from = marks.length;
  while (from > 0 && from > marks.length - LONGEST && !endsBefore(known, from)) from -= 1;
  let start = -1;
  let hasThought = false;
  const open = new Set<string>();
  for (let element = from; element < count; element += 1) {
    const share = shareOf(skim(outlineAt(element)));
    marks[element] = share.side === 'made' ? 2 : 0;
    ids[element] = share.ids;
    if (share.side === 'made') {
      if (start < 0) {
        start = element;
        hasThought = false;
        open.clear();
      }
      hasThought ||= share.thinks;
      for (const id of share.opens) open.add(id);
      continue;
    }
    const fits = share.side === 'results' && start >= 0 && share.closes.every((id) => open.delete(id));
    if (fits && open.size === 0) marks[start] = ((element + 1 - start) << 2) | 2 | (hasThought ? 1 : 0);
    if (!fits || open.size === 0 || share.isMixed) start = -1;
  }
  return { marks, ids, repeats: doRepeat(ids) };
}

/** The rounds of the first elements alone. */
export function firstRounds(rounds: Rounds, count: number): Rounds {
  const ids = rounds.ids.slice(0, count);
  const marks = rounds.marks
    .slice(0, count)
    .map((mark, element) => (element + spanOf(rounds, element) > count ? mark & 2 : mark));
  return { marks, ids, repeats: rounds.repeats && doRepeat(ids) };
}

function doRepeat(ids: Rounds['ids']): boolean {
  const seen = new Set<string>();
  return ids.some((own) => own.some((id) => seen.size === seen.add(id).size));
}

/** Elements that are looked back at for a round which is not over. */
const LONGEST = 64;

/** True where a round ends right before an element, or one that is none of a round stands there. */
function endsBefore(rounds: Rounds, element: number): boolean {
  for (let back = 1; back <= LONGEST && back <= element; back += 1) {
    const span = spanOf(rounds, element - back);
    if (span > 0) return span === back;
  }
  return false;
}

function shareOf(doc: Skim | null): Share {
  if (doc === null || doc.kind(0) !== 'object') return OTHER;
  const type = doc.stringMember(0, 'type');
  const share = type === null ? shareOfMessage(doc) : shareOfItem(doc, type);
  return { ...share, ids: type === null ? idsOfMessage(doc) : idsOfItem(doc, type) };
}

function idsOfMessage(doc: Skim): readonly string[] {
  return doc
    .entries(doc.member(0, 'content'))
    .flatMap((node) =>
      doc.stringMember(node, 'type') === 'tool_use' ? (doc.stringMember(node, 'id') ?? []) : [],
    );
}

function idsOfItem(doc: Skim, type: string): readonly string[] {
  const id = doc.stringMember(0, 'id');
  const callId = doc.stringMember(0, 'call_id');
  return [...(id === null ? [] : [id]), ...(callId === null || type.endsWith('_output') ? [] : [callId])];
}

const ENVELOPE: ReadonlySet<string> = new Set(['role', 'content']);

function shareOfMessage(doc: Skim): Share {
  const role = doc.stringMember(0, 'role');
  const parts = doc.entries(doc.member(0, 'content'));
  const isPlain =
    (role === 'assistant' || role === 'user') &&
    parts.length > 0 &&
    doc.children(0).every((node) => ENVELOPE.has(doc.key(node))) &&
    parts.every((node) => isPlainPart(doc, node, role));
  if (!isPlain) return OTHER;
  const types = parts.map((node) => doc.stringMember(node, 'type'));
  const ids = (type: string, key: string) =>
    parts.flatMap((node, at) => (types[at] === type ? [doc.stringMember(node, key) ?? ''] : []));
  const closes = ids('tool_result', 'tool_use_id');
  const isMixed = closes.length < parts.length;
  if (role === 'user') {
    const first = types.slice(0, closes.length).every((type) => type === 'tool_result');
    return closes.length > 0 && first ? { ...OTHER, side: 'results', closes, isMixed } : OTHER;
  }
  const opens = ids('tool_use', 'id');
  return { ...OTHER, side: 'made', opens, thinks: types.some((type) => type?.includes('thinking')), isMixed };
}

const OF_ROLE: Readonly<Record<string, ReadonlySet<string>>> = {
  assistant: new Set(['text', 'thinking', 'redacted_thinking', 'tool_use']),
  user: new Set(['text', 'tool_result']),
};

/** A part that no rule looks at beyond its id: without a cache mark, an empty text, a reference. */
function isPlainPart(doc: Skim, node: SkimNode, role: string): boolean {
  const type = doc.stringMember(node, 'type') ?? '';
  if (OF_ROLE[role]?.has(type) !== true || doc.member(node, 'cache_control') !== null) return false;
  if (type === 'text') return (doc.stringMember(node, 'text') ?? '') !== '';
  const inner = doc.entries(doc.member(node, 'content'));
  return inner.every(
    (part) => doc.stringMember(part, 'type') === 'text' && doc.member(part, 'cache_control') === null,
  );
}

const CALLS: Readonly<Record<string, string>> = {
  function_call: 'function_call_output',
  custom_tool_call: 'custom_tool_call_output',
};
const OUTPUTS: ReadonlySet<string> = new Set(Object.values(CALLS));

function shareOfItem(doc: Skim, type: string): Share {
  const callId = doc.stringMember(0, 'call_id');
  if (type === 'reasoning') {
    const isWhole = doc.stringMember(0, 'encrypted_content') !== null;
    return isWhole ? { ...OTHER, side: 'made', thinks: true } : OTHER;
  }
  if (type === 'message')
    return doc.stringMember(0, 'role') === 'assistant' && doc.kind(doc.member(0, 'content')) === 'array'
      ? { ...OTHER, side: 'made' }
      : OTHER;
  const answers = CALLS[type];
  if (answers !== undefined && callId !== null)
    return { ...OTHER, side: 'made', opens: [`${answers} ${callId}`] };
  return OUTPUTS.has(type) && callId !== null
    ? { ...OTHER, side: 'results', closes: [`${type} ${callId}`] }
    : OTHER;
}
