import type { Slice } from '../../conversation/index.ts';
import { type Skim, type SkimNode, skim } from './skim.ts';

/**
 * Of each element of a client's body what the rules look at: the element with its long strings cut. Null: it stands for
 * itself, since it is short or no JSON.
 */
export type Outlines = readonly (Buffer | null)[];

/** Bytes up to which an element stands for itself, and a string in it is kept. */
const SHORT = 300;

/** Members whose strings the rules compare with others. */
const COMPARED: ReadonlySet<string> = new Set([
  'id',
  'tool_use_id',
  'call_id',
  'name',
  'tool_name',
  'type',
  'role',
  'ttl',
]);

/**
 * The outlines of a body's elements. A longer request of the same conversation takes those of the one before for all
 * elements that are the same bytes at the same places.
 * @param known outlines of the first elements
 */
export function outlinesIn(body: Buffer, elements: readonly Slice[], known: Outlines = []): Outlines {
  const more = elements
    .slice(known.length)
    .map(({ start, end }, index) => outlineOf(body.subarray(start, end), known.length + index));
  return known.length === 0 ? more : [...known, ...more];
}

/**
 * The outline of one element. What is cut is told by the element's place, so that outlines of two places are the same only
 * where nothing is cut in them.
 */
function outlineOf(element: Buffer, place: number): Buffer | null {
  const doc = element.length <= SHORT ? null : skim(element);
  if (doc === null) return null;
  const pieces: Buffer[] = [];
  let from = 0;
  let cuts = 0;
  for (const { start, end } of longStrings(doc)) {
    pieces.push(element.subarray(from, start), Buffer.from(`"cut ${place}.${cuts++}"`));
    from = end;
  }
  return cuts === 0 ? null : Buffer.concat([...pieces, element.subarray(from)]);
}

/** The long strings of a document that the rules do not read, in their order. */
function longStrings(doc: Skim): readonly Slice[] {
  const found: Slice[] = [];
  const walk = (node: SkimNode): void => {
    const kind = doc.kind(node);
    const start = doc.start(node);
    const end = doc.end(node);
    if (kind === 'string' && end - start > SHORT) found.push({ start, end });
    if (end - start <= SHORT) return;
    for (const child of doc.children(node)) {
      if (kind !== 'object' || !COMPARED.has(doc.key(child))) walk(child);
    }
  };
  walk(0);
  return found;
}
