import type { DocId } from '../conversation/index.ts';
import type { IndexPiece } from './stored.ts';

/** What a person typed in a document, as the archive holds it. */
export interface TypedText {
  readonly text: string;
  readonly masked: boolean;
  /** UTF-8 bytes of the text before masking. */
  readonly originalSize: number;
}

/** Documents whose typed words an index shows. */
export function typedIn(pieces: readonly IndexPiece[]): readonly DocId[] {
  return [...new Set(pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.docid])))];
}

/**
 * An index as the archive can show it. It was sent with the words as they were typed; where these hold secrets, the
 * archive has masks in their place, whose lengths differ: then the masked text stands for the range, whole where the range
 * may be the whole. Null where a text is missing.
 * @returns the text, and how many documents of it are masked
 */
export function shownIndex(
  pieces: readonly IndexPiece[],
  typed: ReadonlyMap<DocId, TypedText>,
): { readonly text: string; readonly masked: number } | null {
  const masked = new Set<DocId>();
  const texts: string[] = [];
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      texts.push(piece);
      continue;
    }
    const found = typed.get(piece.docid);
    if (found === undefined) return null;
    if (found.masked) masked.add(piece.docid);
    texts.push(found.masked ? maskedRange(piece, found) : found.text.slice(piece.start, piece.end));
  }
  return { text: texts.join(''), masked: masked.size };
}

/** A UTF-16 unit is at most three bytes of UTF-8: a text of more bytes was longer than the range. */
function maskedRange({ start, end }: Exclude<IndexPiece, string>, { text, originalSize }: TypedText): string {
  const mayBeWhole = start === 0 && originalSize <= (end - start) * 3;
  return mayBeWhole ? text : text.slice(start, end);
}
