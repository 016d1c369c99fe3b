import { viewOf } from '../conversation/index.ts';

/** A range of a body, `[start, end)`, and the bytes that stand in its place. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly insert: Uint8Array;
}

/**
 * A body with ranges of it replaced; every byte outside them as it was. Without edits it is the very same buffer.
 * @throws RangeError where edits overlap or lie outside: a fault of the caller's
 */
export function applyEdits(body: Uint8Array, edits: readonly Edit[]): Buffer {
  if (edits.length === 0) return viewOf(body);
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const { start, end, insert } of edits.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    if (start < from || end < start || end > body.length)
      throw new RangeError('Edits overlap or lie outside the body.');
    pieces.push(body.subarray(from, start), insert);
    from = end;
  }
  pieces.push(body.subarray(from));
  return Buffer.concat(pieces);
}
