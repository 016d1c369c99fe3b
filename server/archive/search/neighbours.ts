/**
 * Which words stand beside a word in a chunk, told without the chunk's text: 32 bits beside each posting, the lower half
 * for the words behind it, the upper half for those before it. Each word has one of 16 marks, so that a bit that is not set
 * says that a word does not stand there, and one that is set says that it may. Where nothing is known all bits are set.
 */

const MARKS = 16;

/**
 * The mark of a word, folded: FNV-1a (Fowler, Noll and Vo), its halves put together. Another mark asks for another number
 * in `WORDS_VERSION`.
 */
export function markOf(form: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < form.length; at += 1) hash = Math.imul(hash ^ form.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 16)) & (MARKS - 1);
}

/** The bit that says that a word with this mark stands behind. */
export function behind(mark: number): number {
  return 1 << mark;
}

/** The bit that says that a word with this mark stands before. */
export function before(mark: number): number {
  return 1 << (mark + MARKS);
}
