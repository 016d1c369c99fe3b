import { join } from 'node:path';
import { ContextModeError } from './errors.ts';
import type { RandomBytes } from './random.ts';
import { secretFile } from './secret-file.ts';

/** The key by which local mode knows its owner where the system does not tell whose a connection is: `cml_…`. */
export type LocalKey = string & { readonly __key: 'local' };

const FILE = 'local.key';
const KEY_BYTES = 32;
const FORM = /^cml_[\w-]{43}$/;

/**
 * The local key in the data folder, made at the first start (`local.key`, mode 0600): `cml_` and 32 random bytes in
 * base64url. Who deletes the file gets another key at the next start; the old one opens nothing any more.
 * @throws ContextModeError `configuration` where the file does not hold a key.
 */
export async function localKey(folder: string, random: RandomBytes): Promise<LocalKey> {
  const file = join(folder, FILE);
  const text = await secretFile(
    file,
    random,
    () => `cml_${Buffer.from(random(KEY_BYTES)).toString('base64url')}`,
  );
  if (FORM.test(text)) return text as LocalKey;
  throw new ContextModeError('configuration', `${file} does not hold a local key.`, {
    hint: 'Delete the file: the next start makes another. Then connect the agents again.',
  });
}
