import type { Json } from './json.ts';

/**
 * The simulator's token rule: a text of n UTF-16 units is ceil(n / charactersPerToken) tokens. It is exact and
 * repeatable, not what the providers' tokenizers would say.
 */
export type TokenRule = { readonly charactersPerToken: number };

/** Tokens of a text that is so many UTF-16 units long. */
export function tokensOfLength(units: number, rule: TokenRule): number {
  return Math.ceil(units / rule.charactersPerToken);
}

/** Members whose text a model does not read as text: media, signatures and ciphertexts. */
const UNREAD = new Set(['signature', 'encrypted_content', 'data', 'image_url', 'file_data', 'cache_control']);

/** Units of an image, whatever its size: 1,500 tokens at four characters each. */
const IMAGE_UNITS = 6000;

/** UTF-16 units that count of a block or item: its strings, numbers and member names, without unread members. */
export function unitsOf(value: Json | undefined): number {
  if (typeof value === 'string') return value.length;
  if (value === null || typeof value !== 'object') return value === undefined ? 0 : String(value).length;
  if (Array.isArray(value)) return value.reduce<number>((sum, entry) => sum + unitsOf(entry), 0);
  let units = value.type === 'image' || value.type === 'input_image' ? IMAGE_UNITS : 0;
  for (const key in value) {
    if (UNREAD.has(key) && typeof value[key] !== 'number') continue;
    units += key === 'text' || key === 'content' || key === 'type' ? 0 : key.length;
    if (key !== 'type') units += unitsOf(value[key]);
  }
  return units;
}
