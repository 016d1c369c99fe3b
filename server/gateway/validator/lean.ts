import { fieldNamed, type Slice, viewOf } from '../../conversation/index.ts';
import type { Edit } from './edits.ts';
import { type Entry, editedEntries, type Left, leftOut, WHOLE } from './lean-entries.ts';
import type { Outlines } from './outline.ts';
import type { EditedBody } from './request.ts';
import { isMade, spanOf, thinks } from './rounds.ts';

/**
 * The same two bodies with less in them: outlines in the place of those elements that are in both, byte for byte, and of
 * those that a layout leaves out; and without whole rounds in the midst of these, which no rule about the rest looks at.
 * Whatever the rules allow here, they allow there. Null where it cannot be told or nothing is known.
 */
export function leanOf(body: EditedBody, list: 'messages' | 'input'): EditedBody | null {
  const { known, edits } = body;
  const field = known === undefined ? null : fieldNamed(known.scan, list);
  if (known === undefined || field === null || field.elements === null || known.scan.fault !== null)
    return null;
  const client = viewOf(body.client);
  const edited = viewOf(body.edited);
  const { elements } = field;
  const left = leftOut(edits, elements.length);
  const entries = editedEntries({ client, edited, elements, list, edits, left });
  if (entries === null) return null;
  const places = new Int32Array(elements.length).fill(-1);
  for (const [place, { element }] of entries.entries()) if (element !== null) places[element] = place;
  const tools = fieldNamed(known.scan, 'tools')?.value;
  const isDeferring =
    tools !== undefined && client.subarray(tools.start, tools.end).includes('"defer_loading"');
  const most = isDeferring ? NOTHING_DROPPED : droppedOf(places, left, edits, known.outlines);
  const dropped = hasIdOf(edited, entries, most, known.outlines) ? NOTHING_DROPPED : most;
  const shifted = dropped.length === 0 ? edits : shiftedEdits(edits, dropped, places);
  if (shifted === null) return null;
  const isDropped = new Set(dropped);
  const ours = elements.flatMap((slice, element): readonly Entry[] => {
    if (isDropped.has(element)) return [];
    const isOutlined = (places[element] ?? -1) >= 0 || left[element] === WHOLE;
    return [{ slice, element: isOutlined ? element : null }];
  });
  const theirs =
    dropped.length === 0
      ? entries
      : entries.filter(({ element }) => element === null || !isDropped.has(element));
  return {
    ...body,
    edits: shifted,
    client: withOutlines(client, spanned(elements), ours, known.outlines),
    edited: withOutlines(edited, spanned(entries.map((entry) => entry.slice)), theirs, known.outlines),
  };
}

const NOTHING_DROPPED: readonly number[] = [];

/** From the first to the end of the last of a list's entries. */
function spanned(slices: readonly Slice[]): Slice {
  const start = slices[0]?.start ?? 0;
  return { start, end: slices.at(-1)?.end ?? start };
}

/** A body with outlines in the place of those entries of its list that are the client's. */
function withOutlines(
  bytes: Buffer,
  list: Slice,
  entries: readonly Entry[],
  { bytes: texts, ends }: Outlines,
): Buffer {
  if (entries.length === 0) return bytes;
  const pieces: Buffer[] = [bytes.subarray(0, list.start)];
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
  const last = pieces.at(-1);
  pieces[pieces.length - 1] = last === undefined || last === COMMA ? NOTHING : last.subarray(0, -1);
  return Buffer.concat([...pieces, bytes.subarray(list.end)]);
}

const COMMA = Buffer.from(',');
const NOTHING = Buffer.alloc(0);

/**
 * Elements of rounds that stand whole in a stretch of elements which are all in both lists, or all left out, with one of
 * the stretch before them and one that a model made behind. Where reasoning is left out somewhere, rounds with kept
 * reasoning count.
 */
function droppedOf(
  places: Int32Array,
  left: Left,
  edits: readonly Edit[],
  { rounds }: Outlines,
): readonly number[] {
  const leavesThinking = edits.some((edit) => edit.kind === 'left-out-thinking');
  if (rounds.repeats || edits.some((edit) => edit.kind === 'left-out-turn')) return NOTHING_DROPPED;
  const isOut = (element: number) => left[element] === WHOLE;
  const goesOn = (element: number) => {
    const place = places[element] ?? -1;
    if (place < 0) return isOut(element) && isOut(element - 1);
    return places[element - 1] === place - 1;
  };
  const dropped: number[] = [];
  for (let element = 1; element < places.length; ) {
    const span = spanOf(rounds, element);
    const end = element + span;
    let from = element;
    while (from <= end && goesOn(from)) from += 1;
    const counts = leavesThinking && !isOut(element) && thinks(rounds, element);
    if (span === 0 || from <= end || counts || !isMade(rounds, end)) {
      element += 1;
      continue;
    }
    for (; element < end; element += 1) dropped.push(element);
  }
  return dropped;
}

/** Whether an entry that is not the client's has an id of a dropped element: that it stands twice would not be seen. */
function hasIdOf(
  edited: Buffer,
  entries: readonly Entry[],
  dropped: readonly number[],
  { rounds }: Outlines,
): boolean {
  const ids = new Set(dropped.flatMap((element) => rounds.ids[element] ?? []));
  return entries.some(({ slice, element }) => {
    if (element !== null || ids.size === 0) return false;
    const words = edited
      .toString('utf8', slice.start, slice.end)
      .matchAll(/"(?:id|call_id)"\s*:\s*"([^"]*)"/g);
    return [...words].some(([, id]) => ids.has(id ?? ''));
  });
}

/** The edits with their places as they are without the dropped elements; null where one names no place. */
function shiftedEdits(
  edits: readonly Edit[],
  dropped: readonly number[],
  places: Int32Array,
): readonly Edit[] | null {
  const client = shiftOf(dropped, places.length);
  const droppedPlaces = dropped.flatMap((element) => {
    const place = places[element] ?? -1;
    return place < 0 ? [] : [place];
  });
  const edited = shiftOf(droppedPlaces, MOST_PLACES);
  const shifted: Edit[] = [];
  for (const edit of edits) {
    const one = shiftedEdit(edit, client, edited);
    if (one === null) return null;
    shifted.push(one);
  }
  return shifted;
}

const MOST_PLACES = 1e9;

type Shift = (place: number) => number | null;

/** Where a place is without those that are dropped; null for what is no place of the list (its end is one). */
function shiftOf(dropped: readonly number[], count: number): Shift {
  return (place) => {
    if (!Number.isSafeInteger(place) || place < 0 || place > count) return null;
    let low = 0;
    let high = dropped.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((dropped[middle] as number) < place) low = middle + 1;
      else high = middle;
    }
    return place - low;
  };
}

function shiftedEdit(edit: Edit, client: Shift, edited: Shift): Edit | null {
  switch (edit.kind) {
    case 'block-binding':
      return edit;
    case 'tool-definition': {
      if (edit.item === undefined) return edit;
      const item = edited(edit.item);
      return item === null ? null : { ...edit, item };
    }
    case 'left-out-thinking':
    case 'left-out-turn':
    case 'left-out-messages': {
      const from = client(edit.from);
      const to = client(edit.to);
      return from === null || to === null ? null : { ...edit, from, to };
    }
    case 'left-out-parts': {
      const element = client(edit.element);
      return element === null ? null : { ...edit, element };
    }
    default: {
      const element = edited(edit.element);
      return element === null ? null : { ...edit, element };
    }
  }
}
