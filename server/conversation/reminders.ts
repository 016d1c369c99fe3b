/**
 * What moved reminders look like in the texts that they were moved to. Pure functions of strings.
 */

/**
 * The reminders that stand behind one of these beginnings in a text, each behind an empty line, blanks at their ends
 * kept or lost; null where the text is not one of the beginnings with nothing but these behind it.
 * @returns indices into `reminders`, none twice
 */
export function unfold(
  text: string,
  beginnings: readonly string[],
  reminders: readonly string[],
): readonly number[] | null {
  const beginning = beginnings.find((candidate) => text.startsWith(`${candidate}\n\n`));
  if (beginning === undefined) return null;
  const used: number[] = [];
  let at = beginning.length;
  while (at < text.length) {
    const index = reminders.findIndex(
      (reminder, position) => !used.includes(position) && foldedLength(text, at, reminder) > 0,
    );
    if (index < 0) return null;
    at += foldedLength(text, at, reminders[index] as string);
    used.push(index);
  }
  return used;
}

/** Characters that the reminder takes up at this place of a text that it is folded into; 0: it does not stand there. */
function foldedLength(text: string, at: number, reminder: string): number {
  const form = [`\n\n${reminder}`, `\n\n${reminder.trimEnd()}`].find((candidate) =>
    text.startsWith(candidate, at),
  );
  return form?.length ?? 0;
}

/**
 * Where moved reminders stand: `absorbed` the text is these and nothing more, in any order, equal ones once at least;
 * `needed` it has each of them among its paragraphs; `missing` it has not.
 */
export function placeIn(
  reminders: readonly string[],
  text: string | null,
): 'absorbed' | 'needed' | 'missing' {
  if (text === null || reminders.includes('')) return 'missing';
  if (isJoined(text, reminders, 'distinct')) return 'absorbed';
  return reminders.every((reminder) => hasParagraph(text, reminder)) ? 'needed' : 'missing';
}

/**
 * True if the text is these in any order, one under the other by a line break or an empty line: each of them, or equal
 * ones once at least.
 */
export function isJoined(text: string, reminders: readonly string[], which: 'each' | 'distinct'): boolean {
  const left = reminders.toSorted((one, other) => other.length - one.length);
  const found = new Set<string>();
  for (let at = 0; ; ) {
    const index = left.findIndex((reminder) => text.startsWith(reminder, at));
    const [piece] = index < 0 ? [] : left.splice(index, 1);
    if (piece === undefined) return false;
    found.add(piece);
    at += piece.length;
    if (at === text.length) {
      return which === 'each' ? left.length === 0 : left.every((reminder) => found.has(reminder));
    }
    if (text[at] !== '\n') return false;
    at += text[at + 1] === '\n' ? 2 : 1;
  }
}

/** True if the reminder stands in the text from the beginning of a line to the end of one. */
function hasParagraph(text: string, reminder: string): boolean {
  for (let at = text.indexOf(reminder); at >= 0; at = text.indexOf(reminder, at + 1)) {
    const end = at + reminder.length;
    if ((at === 0 || text[at - 1] === '\n') && (end === text.length || text[end] === '\n')) return true;
  }
  return false;
}
