import { maskText } from './mask.ts';

/** Short texts that hold nothing to mask, so that the same names are not looked at in each request. */
const harmless = new Set<string>();
const REMEMBERED = 5_000;
const REMEMBERED_CHARS = 200;

/** A name of another program's making (of a tool, a model, a session, a call) as it may be stored. */
export async function maskName(text: string, accountKey: Uint8Array): Promise<string> {
  if (harmless.has(text)) return text;
  const masked = (await maskText(text, accountKey)).text;
  if (masked === text && text.length <= REMEMBERED_CHARS) {
    if (harmless.size >= REMEMBERED) harmless.clear();
    harmless.add(text);
  }
  return masked;
}

/** The same for a name that may be absent. */
export async function maskNameOrNull(text: string | null, accountKey: Uint8Array): Promise<string | null> {
  return text === null ? null : maskName(text, accountKey);
}
