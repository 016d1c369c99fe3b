/** Pieces of fewer bytes are joined with their neighbours: a write each would cost more than copying them. */
const LARGE_PIECE = 64 * 1024;

/** Bytes of memory that are kept for bodies which have to be looked at in one. */
const SCRATCH_BYTES = 4 * 1024 * 1024;
/** Conversations grow: so much more is taken than is needed. */
const GROWTH = 1.25;
/** Null: in use. */
let scratch: Buffer | null = Buffer.alloc(0);

/**
 * A body in pieces, which are sent one after another. Large ones are the memory that they were cut from, so that a body of
 * megabytes is not copied for the few bytes in it that change.
 */
export class PiecedBody {
  /** In their order; none is empty but the only one. */
  readonly pieces: readonly Buffer[];
  readonly byteLength: number;

  constructor(pieces: readonly Buffer[]) {
    this.pieces = withoutSmallOnes(pieces);
    this.byteLength = this.pieces.reduce((sum, piece) => sum + piece.length, 0);
  }

  /** All of it in one buffer; where it is but one piece, that very one. */
  joined(): Buffer {
    const [first] = this.pieces;
    return this.pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.pieces);
  }

  /**
   * Looks at all of it in one buffer, which holds these bytes until `look` returns and no longer: nothing of it may be kept.
   * New memory for each body would cost more than filling it.
   */
  inOne<Result>(look: (bytes: Buffer) => Result): Result {
    const isKept = this.pieces.length > 1 && this.byteLength <= SCRATCH_BYTES;
    let memory = isKept ? scratch : null;
    if (memory === null) return look(this.joined());
    if (memory.length < this.byteLength) memory = Buffer.allocUnsafeSlow(Math.ceil(this.byteLength * GROWTH));
    const bytes = memory.subarray(0, this.byteLength);
    let at = 0;
    for (const piece of this.pieces) at += piece.copy(bytes, at);
    // Who looks at another body meanwhile finds the memory taken.
    scratch = null;
    try {
      return look(bytes);
    } finally {
      scratch = memory;
    }
  }
}

/** The pieces with runs of small ones joined. */
function withoutSmallOnes(pieces: readonly Buffer[]): readonly Buffer[] {
  const joined: Buffer[] = [];
  let small: Buffer[] = [];
  const close = () => {
    const [first] = small;
    if (first !== undefined) joined.push(small.length === 1 ? first : Buffer.concat(small));
    small = [];
  };
  for (const piece of pieces) {
    if (piece.length === 0) continue;
    if (piece.length < LARGE_PIECE) small.push(piece);
    else {
      close();
      joined.push(piece);
    }
  }
  close();
  return joined.length > 0 ? joined : [Buffer.alloc(0)];
}
