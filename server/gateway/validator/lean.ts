import { fieldNamed, fieldStart, nextEntry, type Slice, valueEnd, viewOf } from '../../conversation/index.ts';
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
  const match = matched(client, edited, elements, list, body.edits, left);
  if (match === null) return null;
  const { outlines } = known;
  const isIn = new Set(match.map(({ element }) => element));
  const inClient = elements.flatMap((slice, element) =>
    isIn.has(element) || left[element] === WHOLE ? [{ slice, element }] : [],
  );
  return {
    ...body,
    client: withOutlines(client, inClient, outlines),
    edited: withOutlines(edited, match, outlines),
  };
}

/** A place in a body that is an element of the client's. */
interface Match {
  readonly slice: Slice;
  readonly element: number;
}

function withOutlines(bytes: Buffer, matches: readonly Match[], outlines: Outlines): Buffer {
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { slice, element } of matches) {
    const outline = outlines[element] ?? null;
    if (outline === null) continue;
    pieces.push(bytes.subarray(from, slice.start), outline);
    from = slice.end;
  }
  pieces.push(bytes.subarray(from));
  return Buffer.concat(pieces);
}

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

/** The entries of the edited list that are elements of the client's and no edit's; null where there is no such list. */
function matched(
  client: Buffer,
  edited: Buffer,
  elements: readonly Slice[],
  list: string,
  edits: readonly Edit[],
  left: Uint8Array,
): readonly Match[] | null {
  const start = fieldStart(edited, list);
  if (start === null || edited[start] !== 0x5b) return null;
  const named = namedPlaces(edits);
  const found: Match[] = [];
  let next = 0;
  let at: number | null = nextEntryAt(edited, start + 1);
  for (let place = 0; at !== null; place += 1) {
    const from: number = at;
    const element = named.has(place) ? -1 : elementAt(client, edited, elements, left, next, from);
    const slice = elements[element];
    const end: number = slice === undefined ? valueEnd(edited, from) : from + slice.end - slice.start;
    if (slice !== undefined) {
      found.push({ slice: { start: from, end }, element });
      next = element + 1;
    }
    at = nextEntry(edited, end);
  }
  return found;
}

function nextEntryAt(bytes: Buffer, at: number): number | null {
  let start = at;
  while (bytes[start] === 0x20 || bytes[start] === 0x0a || bytes[start] === 0x0d || bytes[start] === 0x09)
    start += 1;
  return start < bytes.length && bytes[start] !== 0x5d ? start : null;
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
