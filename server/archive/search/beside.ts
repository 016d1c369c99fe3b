import { chunkKey, NEIGHBOUR_BYTES, POSTING_BYTES } from './postings.ts';
import type { PostingList } from './rank.ts';

/** How much longer a list counts whose postings all pass. */
const ALL = 16;

/** What a chunk must hold: a word, with these bits beside it. */
export interface Beside extends PostingList {
  readonly bits: number;
}

/** The chunks that may hold all of the words with their neighbours, as {@link chunkKey} names them. */
export function chunksWith(words: readonly Beside[]): ReadonlySet<number> {
  // The list that the fewest postings pass is gone through first: each next one is asked for what was left.
  const inOrder = [...words].sort((one, other) => costOf(one) - costOf(other));
  let left: Set<number> | null = null;
  for (const word of inOrder) {
    const next = new Set<number>();
    for (const [at, row] of word.rows.entries())
      passing(row, word.neighbours?.[at] ?? null, word.bits, left, next);
    left = next;
    if (left.size === 0) break;
  }
  return left ?? new Set();
}

/** Places of a word, fewer where its neighbours are asked for. */
function costOf({ rows, bits }: Beside): number {
  const bytes = rows.reduce((sum, row) => sum + row.byteLength, 0);
  return bits === 0 ? bytes * ALL : bytes;
}

function passing(
  row: Uint8Array,
  neighbours: Uint8Array | null,
  bits: number,
  among: ReadonlySet<number> | null,
  into: Set<number>,
): void {
  const view = new DataView(row.buffer, row.byteOffset, row.byteLength);
  const beside =
    neighbours === null || bits === 0
      ? null
      : new DataView(neighbours.buffer, neighbours.byteOffset, neighbours.byteLength);
  const count = Math.floor(row.byteLength / POSTING_BYTES);
  for (let at = 0; at < count; at += 1) {
    if (beside !== null && (beside.getInt32(at * NEIGHBOUR_BYTES, true) & bits) !== bits) continue;
    const key = chunkKey(
      view.getUint32(at * POSTING_BYTES, true),
      view.getUint16(at * POSTING_BYTES + 4, true),
    );
    if (among === null || among.has(key)) into.add(key);
  }
}
