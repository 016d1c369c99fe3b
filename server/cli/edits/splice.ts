/**
 * One change of a text: at offset `at` (UTF-16 units) the text `removed` gives way to `inserted`. Splices of a
 * list are applied one after the other, each to the result of the one before.
 */
export interface Splice {
  readonly at: number;
  readonly removed: string;
  readonly inserted: string;
}

/** The text after all splices, or null when a text that is to be removed does not stand where it should. */
export function applySplices(text: string, splices: readonly Splice[]): string | null {
  let result = text;
  for (const splice of splices) {
    const end = splice.at + splice.removed.length;
    if (splice.at < 0 || result.slice(splice.at, end) !== splice.removed) return null;
    result = result.slice(0, splice.at) + splice.inserted + result.slice(end);
  }
  return result;
}

/** The splices that take a text back: applied after the given ones they restore every character. */
export function invertSplices(splices: readonly Splice[]): Splice[] {
  return splices
    .map((splice) => ({ at: splice.at, removed: splice.inserted, inserted: splice.removed }))
    .reverse();
}

/** Line and column, both from 1, of an offset in a text. */
export function positionAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return { line, column: offset - (before.lastIndexOf('\n') + 1) + 1 };
}

/** The line ending that a text uses at its first line's end; "\n" where there is none. */
export function lineEndingOf(text: string): string {
  const first = text.indexOf('\n');
  return first > 0 && text[first - 1] === '\r' ? '\r\n' : '\n';
}
