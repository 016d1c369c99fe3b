import { isUtf8 } from 'node:buffer';
import { createHmac } from 'node:crypto';
import type { MaskedItem } from '../../archive/index.ts';
import { type Item, type Media, type ToolLink, viewOf } from '../../conversation/index.ts';
import { breathe } from '../../kernel/breath.ts';
import { maskJson, maskName, maskNameOrNull, maskText } from '../../redaction/index.ts';
import { describeCall } from '../reading/parts.ts';

/**
 * Items as they may be stored: secrets and e-mail addresses masked in text, body, names, main input, path and in files
 * that are text; size and keyed hash of the text before that. The bytes of other media stay as they are.
 */
export async function maskItems(
  items: readonly Item[],
  accountKey: Uint8Array,
): Promise<readonly MaskedItem[]> {
  const masked: MaskedItem[] = [];
  for (const item of items) {
    masked.push(await maskItem(item, accountKey));
    await breathe();
  }
  return masked;
}

async function maskItem(item: Item, accountKey: Uint8Array): Promise<MaskedItem> {
  const text = (await (item.kind === 'tool_call' ? maskJson : maskText)(item.text, accountKey)).text;
  const body = item.body === null ? null : await maskBytes(item.body, accountKey);
  const tool = await maskTool(item.tool, accountKey);
  const media = await Promise.all(item.media.map((one) => maskMedia(one, accountKey)));
  const line = await maskLine(item, text, accountKey);
  return {
    ...item,
    ...line,
    text,
    body,
    tool,
    media,
    originalSize: Buffer.byteLength(item.text, 'utf8'),
    originalHash: createHmac('sha256', accountKey).update('text\0').update(item.text, 'utf16le').digest(),
    masked:
      text !== item.text ||
      (body !== null && item.body !== null && Buffer.compare(body, item.body) !== 0) ||
      media.some((one, index) => one.bytes !== item.media[index]?.bytes),
  };
}

/**
 * The line and the path of a call. Both are parts of the text: where that holds a mask they are read from the masked one,
 * since a line is cut, and a secret that the cut goes through would not be known any more.
 */
async function maskLine(
  { kind, text, tool, mainInput, path }: Item,
  maskedText: string,
  accountKey: Uint8Array,
): Promise<Pick<Item, 'mainInput' | 'path'>> {
  if (kind === 'tool_call' && maskedText !== text && mainInput !== null)
    return describeCall(tool?.name ?? '', maskedText);
  return { mainInput: await maskOptional(mainInput, accountKey), path: await maskOptional(path, accountKey) };
}

async function maskTool(tool: ToolLink | null, accountKey: Uint8Array): Promise<ToolLink | null> {
  if (tool === null) return null;
  return {
    ...tool,
    callId: await maskName(tool.callId, accountKey),
    name: await maskNameOrNull(tool.name, accountKey),
    namespace: await maskNameOrNull(tool.namespace, accountKey),
  };
}

/** A file that is text, whatever it is called, is masked as text; one of other bytes stays as it is. */
async function maskMedia(media: Media, accountKey: Uint8Array): Promise<Media> {
  const mime = await maskName(media.mime, accountKey);
  if (!isUtf8(media.bytes) || media.bytes.includes(0)) return { mime, bytes: media.bytes };
  const text = viewOf(media.bytes).toString('utf8');
  const masked = (await maskText(text, accountKey)).text;
  return { mime, bytes: masked === text ? media.bytes : Buffer.from(masked, 'utf8') };
}

async function maskOptional(text: string | null, accountKey: Uint8Array): Promise<string | null> {
  return text === null ? null : (await maskText(text, accountKey)).text;
}

/** Masks a JSON text given as bytes. Bytes that are not UTF-8 are read one to one, so that none is lost. */
export async function maskBytes(json: Uint8Array, accountKey: Uint8Array): Promise<Uint8Array> {
  const encoding = isUtf8(json) ? 'utf8' : 'latin1';
  const text = viewOf(json).toString(encoding);
  const masked = await maskJson(text, accountKey);
  return masked.text === text ? json : Buffer.from(masked.text, encoding);
}
