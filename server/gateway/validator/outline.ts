import type { Slice } from '../../conversation/index.ts';
import { firstRounds, NO_ROUNDS, type Rounds, roundsIn } from './rounds.ts';
import { type Skim, type SkimNode, skim } from './skim.ts';

/** Of the elements of a client's body what the rules look at: each with its long strings cut. */
export interface Outlines {
  /** JSON texts with a comma behind each. An element that is no JSON stands there as it is. */
  readonly bytes: Buffer;
  /** Where each ends, its comma counted. */
  readonly ends: readonly number[];
  readonly rounds: Rounds;
}

const NONE: Outlines = { bytes: Buffer.alloc(0), ends: [], rounds: NO_ROUNDS };

/** Bytes up to which an element stands for itself, and a string in it is kept. */
const SHORT = 60;

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
 * elements that are the same bytes at the same places; `firstOutlines` gives these.
 * @param known outlines of the first elements
 */
export function outlinesIn(body: Buffer, elements: readonly Slice[], known: Outlines = NONE): Outlines {
  const pieces: Buffer[] = [known.bytes];
  const ends = [...known.ends];
  let end = known.bytes.length;
  for (const { start, end: behind } of elements.slice(ends.length)) {
    const outline = outlineOf(body.subarray(start, behind), ends.length);
    pieces.push(outline, COMMA);
    end += outline.length + 1;
    ends.push(end);
  }
  const bytes = Buffer.concat(pieces);
  const outlineAt = (element: number) => bytes.subarray(ends[element - 1] ?? 0, (ends[element] ?? 1) - 1);
  return { bytes, ends, rounds: roundsIn(outlineAt, ends.length, known.rounds) };
}

/** The outlines of the first elements alone. */
export function firstOutlines({ bytes, ends, rounds }: Outlines, count: number): Outlines {
  return {
    bytes: bytes.subarray(0, ends[count - 1] ?? 0),
    ends: ends.slice(0, count),
    rounds: firstRounds(rounds, count),
  };
}

const COMMA = Buffer.from(',');

/**
 * The outline of one element. What is cut is told by the element's place, so that outlines of two places are the same only
 * where nothing is cut in them.
 */
function outlineOf(element: Buffer, place: number): Buffer {
  const doc = element.length <= SHORT ? null : skim(element);
  if (doc === null) return element;
  const pieces: Buffer[] = [];
  let from = 0;
  let cuts = 0;
  for (const { start, end } of longStrings(doc)) {
    pieces.push(element.subarray(from, start), Buffer.from(`"cut ${place}.${cuts++}"`));
    from = end;
  }
  return Buffer.concat([...pieces, element.subarray(from)]);
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
