import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dataFolder } from '../data-folder.ts';
import type { World } from '../world.ts';

/** The header that carries the key; the gateway never forwards it. */
export const KEY_HEADER = 'x-context-mode-key';

/** The key that the local gateway made in the data folder (`local.key`), or null where none can be read. */
export async function readLocalKey(world: World): Promise<string | null> {
  const text = await readFile(join(dataFolder(world), 'local.key'), 'utf8').catch(() => '');
  return /^cml_[\w-]{43}$/.test(text.trim()) ? text.trim() : null;
}

/** The key as a line of an agent's own headers. */
export function keyLine(key: string): string {
  return `${KEY_HEADER}: ${key}`;
}

/** The header line that connecting wrote, whatever its key, in a text of header lines; null: none. */
export function foundKeyLine(headers: string): string | null {
  return headers.split(/\r?\n/).find((line) => /^x-context-mode-key\s*:\s*cml_/i.test(line)) ?? null;
}
