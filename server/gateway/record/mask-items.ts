import { isUtf8 } from 'node:buffer';
import { createHmac } from 'node:crypto';
import type { MaskedItem } from '../../archive/index.ts';
import type { Item } from '../../conversation/index.ts';
import { maskJson, maskText } from '../../redaction/index.ts';

/**
 * Items as they may be stored: secrets and e-mail addresses masked in text, body, main input and
 * path; size and keyed hash of the text before that. Media bytes stay as they are.
 */
export async function maskItems(
  items: readonly Item[],
  accountKey: Uint8Array,
): Promise<readonly MaskedItem[]> {
  const masked: MaskedItem[] = [];
  for (const item of items) masked.push(await maskItem(item, accountKey));
  return masked;
}

async function maskItem(item: Item, accountKey: Uint8Array): Promise<MaskedItem> {
  const text = await (item.kind === 'tool_call' ? maskJson : maskText)(item.text, accountKey);
  const body = item.body === null ? null : await maskBytes(item.body, accountKey);
  const mainInput = await maskOptional(item.mainInput, accountKey);
  const path = await maskOptional(item.path, accountKey);
  return {
    ...item,
    text: text.text,
    body,
    mainInput,
    path,
    originalSize: Buffer.byteLength(item.text, 'utf8'),
    originalHash: createHmac('sha256', accountKey).update('text\0').update(item.text, 'utf16le').digest(),
    masked:
      text.text !== item.text ||
      (body !== null && item.body !== null && Buffer.compare(body, item.body) !== 0),
  };
}

async function maskOptional(text: string | null, accountKey: Uint8Array): Promise<string | null> {
  return text === null ? null : (await maskText(text, accountKey)).text;
}

/** Masks a JSON text given as bytes. Bytes that are not UTF-8 are read one to one, so that none is lost. */
export async function maskBytes(json: Uint8Array, accountKey: Uint8Array): Promise<Uint8Array> {
  const encoding = isUtf8(json) ? 'utf8' : 'latin1';
  const text = Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString(encoding);
  const masked = await maskJson(text, accountKey);
  return masked.text === text ? json : Buffer.from(masked.text, encoding);
}
