import { viewOf } from '../conversation/index.ts';
import { PiecedBody } from './pieced-body.ts';

/** A range of a body, `[start, end)`, and the bytes that stand in its place. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly insert: Uint8Array;
}

/**
 * A body with ranges of it replaced; every byte outside them as it was. What is kept is the body's own memory; without
 * edits it is that alone.
 * @throws RangeError where edits overlap or lie outside: a fault of the caller's
 */
export function applyEdits(body: Uint8Array, edits: readonly Edit[]): PiecedBody {
  const bytes = viewOf(body);
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { start, end, insert } of edits.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    if (start < from || end < start || end > body.length)
      throw new RangeError('Edits overlap or lie outside the body.');
    pieces.push(bytes.subarray(from, start), viewOf(insert));
    from = end;
  }
  pieces.push(bytes.subarray(from));
  return new PiecedBody(pieces);
}
