import { createHash } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Makes identifiers in the providers' look: `make('msg_', 24)`. */
export type IdMaker = (prefix: string, length: number) => string;

/** Identifiers that follow from a seed alone: the same seed gives the same row of ids, another seed another one. */
export function idMaker(seed: string): IdMaker {
  let count = 0;
  return (prefix, length) => {
    count += 1;
    let text = '';
    for (let block = 0; text.length < length; block += 1) {
      const digest = createHash('sha256').update(`${seed}/${count}/${block}`).digest();
      for (const byte of digest) text += ALPHABET.charAt(byte % ALPHABET.length);
    }
    return prefix + text.slice(0, length);
  };
}

/** SHA-256 of a text or of bytes, in lower-case hex. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
