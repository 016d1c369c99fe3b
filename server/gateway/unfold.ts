/** Gives the pieces of a body as they are decoded, in their order; false where the bytes are not of the coding. */
export type Decoding = (take: (piece: Uint8Array) => void) => Promise<boolean>;

/** Thrown by what takes pieces, where nothing more is to be decoded. */
export class Enough extends Error {}

/** Bytes of pieces that are held until their number is known. */
const HELD_BYTES = 4 * 1024 * 1024;

/**
 * Puts together what a decoding gives. Pieces are let go of once they are more than a small body's, and only counted: a
 * large body is decoded once more into memory of its size, so that no time holds it twice, and one beyond the bound never.
 * @returns null where the bytes are not of the coding, or more than `limit` bytes come out
 */
export async function unfold(limit: number, decoding: Decoding): Promise<Uint8Array | null> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const isOfIt = await decoding((piece) => {
    size += piece.length;
    if (size > limit) throw new Enough();
    if (size <= HELD_BYTES) pieces.push(Uint8Array.prototype.slice.call(piece));
    else pieces.length = 0;
  });
  if (!isOfIt || size > limit) return null;
  if (size <= HELD_BYTES) return Buffer.concat(pieces, size);
  const whole = Buffer.allocUnsafeSlow(size);
  let at = 0;
  await decoding((piece) => {
    whole.set(piece, at);
    at += piece.length;
  });
  return at === size ? whole : null;
}
