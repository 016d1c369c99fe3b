import type { Slice } from '../../conversation/index.ts';
import type { Edit } from '../splice.ts';
import type { Edit as NamedEdit } from '../validator/index.ts';
import type { ComposedBody, ViewRun } from './plan.ts';

/** An edit that a piece holds, without the piece's position in the edited list. `part`: of the piece's content. */
export type PieceEdit =
  | {
      readonly kind: 'head-message' | 'memory-part' | 'hidden-round' | 'trimmed-result' | 'filled-result';
      readonly part?: number;
    }
  | { readonly kind: 'tool-definition'; readonly index: number };

/** One entry of the edited list. */
export interface Piece {
  readonly json: Uint8Array;
  readonly edits: readonly PieceEdit[];
}

/** What stands in the edited list in the place of one element of the client's, or of several that are left out. */
export interface Change {
  /** Elements that it is of. */
  readonly span: number;
  /** In their order; none: the element is left out. */
  readonly pieces: readonly Piece[];
  /** What is left out, in places of the client's list. */
  readonly leftOut: readonly NamedEdit[];
  readonly runs: readonly ViewRun[];
}

/** Changes by the elements that they are of, in the order of the list. */
export type Changes = ReadonlyMap<number, Change>;

/** Our tool in a request's own list: what changes in its bytes, and the name of the change for the validator. */
export interface AddedTool {
  readonly edit: Edit;
  readonly named: NamedEdit;
}

/** What our tool is to a view of a request. */
export function toolRun(json: string): ViewRun {
  return { is: 'ours', what: 'tool', bytes: Buffer.byteLength(json), record: null };
}

/** An element that stays as it is, beside what is put in front of it or behind it. */
export function keptChange(element: number, json: Uint8Array): Change {
  return {
    span: 1,
    pieces: [{ json, edits: [] }],
    leftOut: [],
    runs: [{ is: 'kept', from: element, to: element + 1 }],
  };
}

/** Adds a value to the list under a key. */
export function addTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** Elements that a layout puts out of view, from one to before another. */
export function leftOutChange(from: number, to: number): Change {
  return {
    span: to - from,
    pieces: [],
    leftOut: [{ kind: 'left-out-messages', from, to }],
    runs: [{ is: 'left_out', from, to }],
  };
}

/** A list with changes in it: what changes in the bytes, the names of it, and how many entries the list has. */
export interface ChangedList {
  readonly edits: readonly Edit[];
  readonly named: readonly NamedEdit[];
  readonly runs: ComposedBody['runs'];
  readonly length: number;
}

/**
 * Puts changes into a list. Every element that is not changed keeps its bytes, and so does what stands between elements
 * that stay: a separator is the client's wherever an element stands behind it in the client's list.
 */
export function changeList(elements: readonly Slice[], changes: Changes): ChangedList {
  const edits: Edit[] = [];
  const named: NamedEdit[] = [];
  let shift = 0;
  for (const [index, { span, pieces, leftOut }] of changes) {
    const position = index + shift;
    const slice = elements[index];
    if (slice === undefined) continue;
    named.push(...leftOut);
    if (pieces.length === 0) addGap(edits, gapOf(elements, index, span, position > 0));
    else edits.push({ ...slice, insert: joined(pieces) });
    for (const [offset, piece] of pieces.entries()) {
      for (const edit of piece.edits) named.push(namedAt(edit, position + offset));
    }
    shift += pieces.length - span;
  }
  return {
    edits,
    named: mergedRanges(named),
    runs: runsOf(elements.length, changes),
    length: elements.length + shift,
  };
}

/** The bytes that go with elements: the separator in front of them, or behind them where nothing stands before them. */
function gapOf(elements: readonly Slice[], index: number, span: number, behind: boolean): Slice {
  const start = elements[index]?.start ?? 0;
  const end = elements[index + span - 1]?.end ?? start;
  return behind
    ? { start: elements[index - 1]?.end ?? start, end }
    : { start, end: elements[index + span]?.start ?? end };
}

function addGap(edits: Edit[], gap: Slice): void {
  const last = edits.at(-1);
  if (last !== undefined && last.end === gap.start && last.insert.length === 0)
    edits[edits.length - 1] = { ...last, end: gap.end };
  else edits.push({ ...gap, insert: NOTHING });
}

const NOTHING = Buffer.alloc(0);
const COMMA = Buffer.from(',');

function joined(pieces: readonly Piece[]): Uint8Array {
  const [first] = pieces;
  if (pieces.length === 1 && first !== undefined) return first.json;
  return Buffer.concat(pieces.flatMap(({ json }, index) => (index === 0 ? [json] : [COMMA, json])));
}

function namedAt(edit: PieceEdit, position: number): NamedEdit {
  return edit.kind === 'tool-definition' ? { ...edit, item: position } : { ...edit, element: position };
}

/** Edits of one kind that name neighbouring elements, as one. */
function mergedRanges(named: readonly NamedEdit[]): readonly NamedEdit[] {
  const merged: NamedEdit[] = [];
  for (const edit of named) {
    const last = merged.at(-1);
    const isRange = edit.kind === 'left-out-messages' || edit.kind === 'left-out-thinking';
    if (isRange && last?.kind === edit.kind && last.to === edit.from)
      merged[merged.length - 1] = { ...last, to: edit.to };
    else merged.push(edit);
  }
  return merged;
}

function runsOf(count: number, changes: Changes): readonly ViewRun[] {
  const runs: ViewRun[] = [];
  let at = 0;
  const keptTo = (to: number) => {
    if (at < to) addRun(runs, { is: 'kept', from: at, to });
  };
  for (const [index, change] of changes) {
    keptTo(index);
    for (const run of change.runs) addRun(runs, run);
    at = index + change.span;
  }
  keptTo(count);
  return runs;
}

function addRun(runs: ViewRun[], run: ViewRun): void {
  const last = runs.at(-1);
  const isStretch = run.is === 'kept' || run.is === 'left_out';
  if (isStretch && last?.is === run.is && last.to === run.from)
    runs[runs.length - 1] = { ...last, to: run.to };
  else runs.push(run);
}
