/**
 * Characters (code points) of a text, as offsets and lengths of documents count them; a lone surrogate is one. A
 * JavaScript string's own length counts an emoji twice.
 */
export function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
