import type { DocId } from '../conversation/index.ts';
import type { LinePart } from './index-lines.ts';
import type { IndexPiece } from './stored.ts';

/** The text of parts. */
export function textOfParts(parts: readonly LinePart[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : part.words)).join('');
}

/** Parts as they are kept: typed words as references, texts of ours that stand together as one. */
export function piecesOf(parts: readonly LinePart[]): readonly IndexPiece[] {
  const pieces: IndexPiece[] = [];
  for (const part of parts) {
    const before = pieces.at(-1);
    if (typeof part !== 'string') {
      if (part.words === '') continue;
      pieces.push({ docid: part.docid, start: part.start, end: part.start + part.words.length });
    } else if (typeof before === 'string') pieces[pieces.length - 1] = before + part;
    else if (part !== '') pieces.push(part);
  }
  return pieces;
}

/**
 * The text of an index from its pieces, to the character.
 * @param typedOf what a person typed in a document; null where it is not there
 * @returns null where words that it refers to are missing
 */
export function restoreIndex(
  pieces: readonly IndexPiece[],
  typedOf: (docid: DocId) => string | null,
): string | null {
  const texts: string[] = [];
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      texts.push(piece);
      continue;
    }
    const typed = typedOf(piece.docid);
    if (typed === null || typed.length < piece.end) return null;
    texts.push(typed.slice(piece.start, piece.end));
  }
  return texts.join('');
}
