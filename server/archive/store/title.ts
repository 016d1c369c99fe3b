import { sliceCharacters } from '../text.ts';

/** Characters of a session's title. */
const TITLE_CHARS = 120;

/** The first typed words as a title: one line of at most 120 characters. */
export function titleFrom(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
  const line = text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
  const start = sliceCharacters(line, 0, TITLE_CHARS);
  return start === line ? line : `${sliceCharacters(line, 0, TITLE_CHARS - 1).trimEnd()}…`;
}
