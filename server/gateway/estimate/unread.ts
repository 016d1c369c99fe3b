import { mediaTokens } from './media.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Shortest value of these members that is taken for data: what is shorter is counted as text. */
const SHORTEST = 32;
/** Bytes at each end of a value that are looked at. */
const LOOKED_AT = 48;

/** Members whose strings a model does not read as text. */
const UNREAD = ['signature', 'encrypted_content', 'data', 'image_url', 'file_data', 'url'] as const;
/** Their last two letters, so that most other names are told by two bytes. */
const ENDINGS = new Set(
  UNREAD.map((name) => ending(name.charCodeAt(name.length - 2), name.charCodeAt(name.length - 1))),
);

/** Per byte: 1 is in the alphabets of base64. */
const BASE64 = new Uint8Array(256);
for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=') {
  BASE64[letter.charCodeAt(0)] = 1;
}

/** A string that is not read as text: where its last quote stands, and the tokens that it stands for. */
export interface Unread {
  readonly end: number;
  readonly tokens: number;
}

/**
 * Tells whether the string that opens at `quote` is a signature, ciphertext or base64: by the name of its member and by
 * its ends. Null: it is read, or is none. Signatures and ciphertexts stand for no tokens here: kept reasoning counts by
 * what the provider reported.
 * @param from where the JSON begins: nothing before it is looked at
 */
export function unreadAt(bytes: Buffer, quote: number, from: number, to: number): Unread | null {
  const name = nameBefore(bytes, quote, from);
  if (name === null) return null;
  const end = bytes.indexOf(QUOTE, quote + 1);
  if (end < 0 || end >= to || end - quote <= SHORTEST) return null;
  const start = dataStart(bytes, quote + 1, end);
  if (name === 'url' && start === quote + 1) return null;
  if (!isBase64(bytes, start, end)) return null;
  const isMedia = name !== 'signature' && name !== 'encrypted_content';
  return { end, tokens: isMedia ? mediaTokens(bytes, start, end) : 0 };
}

/** The name before the colon before this place, if it is one of those that are not read. */
function nameBefore(bytes: Buffer, quote: number, from: number): (typeof UNREAD)[number] | null {
  let at = spaceBefore(bytes, quote - 1);
  if (bytes[at] !== 0x3a) return null;
  at = spaceBefore(bytes, at - 1);
  if (bytes[at] !== QUOTE || !ENDINGS.has(ending(bytes[at - 2] ?? 0, bytes[at - 1] ?? 0))) return null;
  for (const name of UNREAD) {
    const open = at - name.length - 1;
    if (open < from || bytes[open] !== QUOTE || bytes[open - 1] === BACKSLASH) continue;
    if (bytes.toString('latin1', open + 1, at) === name) return name;
  }
  return null;
}

function spaceBefore(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at -= 1;
  return at;
}

/** Where the base64 begins: behind the head of a `data:` address, if there is one. */
function dataStart(bytes: Buffer, start: number, end: number): number {
  if (bytes.toString('latin1', start, Math.min(end, start + 5)) !== 'data:') return start;
  const head = bytes.toString('latin1', start, Math.min(end, start + 128));
  const comma = head.indexOf(';base64,');
  return comma < 0 ? start : start + comma + 8;
}

function isBase64(bytes: Buffer, start: number, end: number): boolean {
  const checked = (from: number, to: number) => {
    for (let at = from; at < to; at += 1) if (BASE64[bytes[at] ?? 0] === 0) return false;
    return true;
  };
  return (
    start < end &&
    checked(start, Math.min(end, start + LOOKED_AT)) &&
    checked(Math.max(start, end - LOOKED_AT), end)
  );
}

function ending(last2: number, last: number): number {
  return last2 * 256 + last;
}
