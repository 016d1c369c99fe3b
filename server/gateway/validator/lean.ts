import {
  fieldNamed,
  fieldStart,
  firstEntry,
  nextEntry,
  type Slice,
  valueEnd,
  viewOf,
} from '../../conversation/index.ts';
import type { Edit } from './edits.ts';
import type { Outlines } from './outline.ts';
import type { EditedBody } from './request.ts';

/** Client elements that are tried at a place of the edited list before it is taken for a changed one. */
const TRIES = 4;

/**
 * The same two bodies with outlines in the place of those elements that are in both, byte for byte, and of those that a
 * layout leaves out: whatever the rules allow here, they allow there. Null where they cannot be told or nothing is known.
 */
export function leanOf(body: EditedBody, list: 'messages' | 'input'): EditedBody | null {
  const { known } = body;
  const field = known === undefined ? null : fieldNamed(known.scan, list);
  if (known === undefined || field === null || field.elements === null || known.scan.fault !== null)
    return null;
  const client = viewOf(body.client);
  const edited = viewOf(body.edited);
  const { elements } = field;
  const left = leftOut(body.edits, elements.length);
  const entries = entriesOfEdited(client, edited, elements, list, body.edits, left);
  if (entries === null) return null;
  const isIn = new Set(entries.map(({ element }) => element));
  const ours = elements.map((slice, element): Entry => {
    const isOutlined = isIn.has(element) || left[element] === WHOLE;
    return { slice, element: isOutlined ? element : null };
  });
  return {
    ...body,
    client: withOutlines(client, ours, known.outlines),
    edited: withOutlines(edited, entries, known.outlines),
  };
}

/** An entry of a list, and the element of the client's that it is; null: none. */
interface Entry {
  readonly slice: Slice;
  readonly element: number | null;
}

/** A body with outlines in the place of those entries that are the client's. */
function withOutlines(bytes: Buffer, entries: readonly Entry[], { bytes: texts, ends }: Outlines): Buffer {
  const first = entries[0]?.slice.start;
  const last = entries.at(-1)?.slice.end;
  if (first === undefined || last === undefined) return bytes;
  const pieces: Buffer[] = [bytes.subarray(0, first)];
  for (let index = 0; index < entries.length; ) {
    const { slice, element } = entries[index] as Entry;
    let next = index + 1;
    if (element === null) pieces.push(bytes.subarray(slice.start, slice.end), COMMA);
    else {
      // Entries that follow each other in both lists are one stretch of their outlines.
      while (entries[next]?.element === element + next - index) next += 1;
      pieces.push(texts.subarray(ends[element - 1] ?? 0, ends[element + next - index - 1]));
    }
    index = next;
  }
  const end = pieces.at(-1);
  pieces[pieces.length - 1] = end === undefined || end === COMMA ? NOTHING : end.subarray(0, -1);
  return Buffer.concat([...pieces, bytes.subarray(last)]);
}

const COMMA = Buffer.from(',');
const NOTHING = Buffer.alloc(0);

const WHOLE = 1;
const PARTLY = 2;

/** Of each element of the client's whether the edits leave it out, whole or in part. */
function leftOut(edits: readonly Edit[], count: number): Uint8Array {
  const left = new Uint8Array(count);
  for (const edit of edits) {
    if (edit.kind === 'left-out-messages' || edit.kind === 'left-out-turn')
      left.fill(WHOLE, edit.from, edit.to);
    if (edit.kind === 'left-out-thinking') left.fill(PARTLY, edit.from, edit.to);
    if (edit.kind === 'left-out-parts') left.fill(PARTLY, edit.element, edit.element + 1);
  }
  return left;
}

/** Places of the edited list that the edits name. */
function namedPlaces(edits: readonly Edit[]): ReadonlySet<number> {
  return new Set(
    edits.flatMap((edit) => {
      if (edit.kind === 'tool-definition') return edit.item ?? [];
      return 'element' in edit && edit.kind !== 'left-out-parts' ? edit.element : [];
    }),
  );
}

/** The entries of the edited list, those told that are elements of the client's and no edit's; null: there is no list. */
function entriesOfEdited(
  client: Buffer,
  edited: Buffer,
  elements: readonly Slice[],
  list: string,
  edits: readonly Edit[],
  left: Uint8Array,
): readonly Entry[] | null {
  const start = fieldStart(edited, list);
  if (start === null || edited[start] !== 0x5b) return null;
  const named = namedPlaces(edits);
  const entries: Entry[] = [];
  let next = 0;
  let at: number | null = firstEntry(edited, start);
  while (at !== null) {
    const from: number = at;
    const found = named.has(entries.length) ? -1 : elementAt(client, edited, elements, left, next, from);
    const slice = elements[found];
    const end: number = slice === undefined ? valueEnd(edited, from) : from + slice.end - slice.start;
    if (end < 0) return null;
    entries.push({ slice: { start: from, end }, element: slice === undefined ? null : found });
    if (slice !== undefined) next = found + 1;
    at = nextEntry(edited, end);
  }
  return entries;
}

/** The element of the client's whose bytes stand at a place of the edited body, among the next ones; -1: none. */
function elementAt(
  client: Buffer,
  edited: Buffer,
  elements: readonly Slice[],
  left: Uint8Array,
  from: number,
  at: number,
): number {
  let tries = 0;
  for (let element = from; element < elements.length && tries < TRIES; element += 1) {
    if (left[element] === WHOLE) continue;
    tries += 1;
    const slice = elements[element];
    if (slice === undefined || left[element] === PARTLY) continue;
    const end = at + slice.end - slice.start;
    if (end <= edited.length && client.compare(edited, at, end, slice.start, slice.end) === 0) return element;
  }
  return -1;
}
