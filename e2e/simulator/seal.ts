import { createHmac } from 'node:crypto';
import { asObject, type JsonObject, parseJson } from './json.ts';

const MAC_CHARACTERS = 22;

/**
 * Sealed data in the look of the providers' opaque strings: base64 of JSON behind a keyed hash. Signatures of
 * thinking and encrypted reasoning are sealed, so that a changed one is noticed without any store.
 */
export function seal(payload: JsonObject, secret: string): string {
  const text = Buffer.from(JSON.stringify(payload)).toString('base64');
  return `${macOf(text, secret)}${text}`;
}

/** The sealed data, or `undefined` when the text was changed or sealed by another simulator. */
export function unseal(sealed: string, secret: string): JsonObject | undefined {
  const text = sealed.slice(MAC_CHARACTERS);
  if (macOf(text, secret) !== sealed.slice(0, MAC_CHARACTERS)) return undefined;
  return asObject(parseJson(Buffer.from(text, 'base64').toString()));
}

function macOf(text: string, secret: string): string {
  return createHmac('sha256', secret).update(text).digest('base64').slice(0, MAC_CHARACTERS);
}
