import { fieldStart, firstEntry, nextEntry, type Slice, valueEnd } from '../../conversation/index.ts';
import type { Edit } from './edits.ts';

/** Client elements that are tried at a place of the edited list before it is taken for a changed one. */
const TRIES = 4;

/** An entry of a list, and the element of the client's that it is; null: none. */
export interface Entry {
  readonly slice: Slice;
  readonly element: number | null;
}

/** Of each element of the client's whether the edits leave it out: {@link WHOLE}, in part, or not (0). */
export type Left = Uint8Array;

/** The element is left out whole. */
export const WHOLE = 1;
const PARTLY = 2;

/** What the edits leave out. */
export function leftOut(edits: readonly Edit[], count: number): Left {
  const left = new Uint8Array(count);
  for (const edit of edits) {
    if (edit.kind === 'left-out-messages' || edit.kind === 'left-out-turn')
      left.fill(WHOLE, edit.from, edit.to);
    if (edit.kind === 'left-out-thinking') left.fill(PARTLY, edit.from, edit.to);
    if (edit.kind === 'left-out-parts') left.fill(PARTLY, edit.element, edit.element + 1);
  }
  return left;
}

/** What the entries of an edited list are told by. */
export interface EntriesQuestion {
  readonly client: Buffer;
  readonly edited: Buffer;
  readonly elements: readonly Slice[];
  readonly list: string;
  readonly edits: readonly Edit[];
  readonly left: Left;
}

/** The entries of the edited list, those told that are elements of the client's and no edit's; null: there is no list. */
export function editedEntries(question: EntriesQuestion): readonly Entry[] | null {
  const { edited, list, edits, elements } = question;
  const start = fieldStart(edited, list);
  if (start === null || edited[start] !== 0x5b) return null;
  const named = namedPlaces(edits);
  const entries: Entry[] = [];
  let next = 0;
  let at: number | null = firstEntry(edited, start);
  while (at !== null) {
    const from: number = at;
    const room =
      (named.find((place) => place >= entries.length) ?? Number.POSITIVE_INFINITY) - entries.length;
    const found = room === 0 ? -1 : elementAt(question, next, from);
    let end: number;
    if (found < 0) {
      end = valueEnd(edited, from);
      if (end < 0) return null;
      entries.push({ slice: { start: from, end }, element: null });
    } else {
      const count = stretchFrom(question, found, from, room);
      const shift = from - (elements[found]?.start ?? 0);
      for (let element = found; element < found + count; element += 1) {
        const slice = elements[element] ?? { start: 0, end: 0 };
        entries.push({ slice: { start: slice.start + shift, end: slice.end + shift }, element });
      }
      next = found + count;
      end = (elements[next - 1]?.end ?? 0) + shift;
    }
    at = nextEntry(edited, end);
  }
  return entries;
}

/** Places of the edited list that the edits name, in their order. */
function namedPlaces(edits: readonly Edit[]): readonly number[] {
  const places = edits.flatMap((edit) => {
    if (edit.kind === 'tool-definition') return edit.item ?? [];
    return 'element' in edit && edit.kind !== 'left-out-parts' ? edit.element : [];
  });
  return [...new Set(places)].sort((a, b) => a - b);
}

/** The element of the client's whose bytes stand at a place of the edited body, among the next ones; -1: none. */
function elementAt({ elements, left, ...bodies }: EntriesQuestion, from: number, at: number): number {
  let tries = 0;
  for (let element = from; element < elements.length && tries < TRIES; element += 1) {
    if (left[element] === WHOLE) continue;
    tries += 1;
    const slice = elements[element];
    if (slice !== undefined && left[element] === 0 && isSame(bodies, slice, at)) return element;
  }
  return -1;
}

/**
 * How many elements from one on stand in both bodies with the same between them. Looked at in stretches that grow, so that
 * a long one is compared at once.
 */
function stretchFrom(question: EntriesQuestion, first: number, at: number, room: number): number {
  const { elements, left } = question;
  const shift = at - (elements[first]?.start ?? 0);
  let count = 1;
  let step = 1;
  while (step > 0) {
    let more = 0;
    while (more < step && count + more < room && left[first + count + more] === 0) more += 1;
    const start = elements[first + count - 1]?.end ?? 0;
    const end = elements[first + count + more - 1]?.end ?? start;
    if (more > 0 && isSame(question, { start, end }, start + shift)) {
      count += more;
      step *= 2;
    } else step = Math.floor(Math.min(step, more) / 2);
  }
  return count;
}

function isSame(
  { client, edited }: Pick<EntriesQuestion, 'client' | 'edited'>,
  { start, end }: Slice,
  at: number,
): boolean {
  const behind = at + end - start;
  return behind <= edited.length && client.compare(edited, at, behind, start, end) === 0;
}
