import { plainText } from '../kernel/column-text.ts';

/**
 * How texts are kept. A JavaScript string may hold what PostgreSQL's `text` refuses: NUL characters and lone surrogates.
 * Where it does, the exact text is kept beside a stand-in as bytes in generalised UTF-8: UTF-8, with each lone surrogate
 * as the three bytes that its code point would have.
 */

/** A text as the columns of an item hold it. */
export interface StoredText {
  /** What PostgreSQL holds as text: the text itself, or a stand-in with as many characters. */
  readonly text: string;
  /** The exact bytes where `text` is a stand-in; null where it is the text. */
  readonly exact: Buffer | null;
  /** Characters (code points; a lone surrogate is one). */
  readonly chars: number;
  /** Bytes of the exact text. */
  readonly bytes: number;
}

const REFUSED = /[\0\p{Surrogate}]/u;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** The text in the form that its columns hold. */
export function storedText(text: string): StoredText {
  const chars = characters(text);
  if (!REFUSED.test(text)) return { text, exact: null, chars, bytes: Buffer.byteLength(text) };
  const exact = encodeText(text);
  return { text: plainText(text), exact, chars, bytes: exact.length };
}

/** The text that {@link storedText} was made of. */
export function textOf(stored: Pick<StoredText, 'text' | 'exact'>): string {
  return stored.exact === null ? stored.text : decodeText(stored.exact);
}

/** The text in generalised UTF-8. Texts without lone surrogates are plain UTF-8. */
export function encodeText(text: string): Buffer {
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { index } of text.matchAll(LONE_SURROGATE)) {
    const unit = text.charCodeAt(index);
    pieces.push(
      Buffer.from(text.slice(from, index)),
      Buffer.of(0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)),
    );
    from = index + 1;
  }
  if (from === 0) return Buffer.from(text);
  pieces.push(Buffer.from(text.slice(from)));
  return Buffer.concat(pieces);
}

/** The text of bytes that {@link encodeText} made. Bytes that are not generalised UTF-8 become replacement characters. */
export function decodeText(bytes: Uint8Array): string {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let text = '';
  let from = 0;
  // In UTF-8 the byte ED is followed by 80 to 9F; A0 to BF make a surrogate.
  for (let at = whole.indexOf(0xed); at !== -1; at = whole.indexOf(0xed, at + 1)) {
    const second = whole[at + 1] ?? 0;
    const third = whole[at + 2] ?? 0;
    if (second < 0xa0 || second > 0xbf || third < 0x80 || third > 0xbf) continue;
    text += whole.toString('utf8', from, at);
    text += String.fromCharCode(0xd000 | ((second & 0x3f) << 6) | (third & 0x3f));
    from = at + 3;
  }
  return text + whole.toString('utf8', from);
}

/** Characters (code points) of a text; a lone surrogate is one. */
export function characters(text: string): number {
  let count = text.length;
  for (let at = 1; at < text.length; at += 1) {
    const isLow = (text.charCodeAt(at) & 0xfc00) === 0xdc00;
    if (isLow && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800) count -= 1;
  }
  return count;
}

/** `length` characters of the text from character `offset`. No character is ever cut in two. */
export function sliceCharacters(text: string, offset: number, length: number): string {
  const start = unitsOf(text, 0, offset);
  return text.slice(start, unitsOf(text, start, length));
}

/** The index behind `count` characters from index `from`. */
function unitsOf(text: string, from: number, count: number): number {
  let at = from;
  for (let left = count; left > 0 && at < text.length; left -= 1) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return at;
}
