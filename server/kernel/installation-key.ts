import { createCipheriv, createDecipheriv } from 'node:crypto';
import { join } from 'node:path';
import { ContextModeError } from './errors.ts';
import type { RandomBytes } from './random.ts';
import { secretFile } from './secret-file.ts';

/** The 32-byte key of an installation: what is secret in the database is sealed with it. */
export type InstallationKey = Uint8Array & { readonly __key: 'installation' };

const FILE = 'installation.key';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** First byte of everything sealed, so that another way can follow. */
const VERSION = 1;

/**
 * The key in the data folder, made at the first start (`installation.key`, mode 0600). Any number of processes may ask
 * at once and get the same one.
 * @throws ContextModeError `configuration` where the file does not hold a key.
 */
export async function installationKey(folder: string, random: RandomBytes): Promise<InstallationKey> {
  const file = join(folder, FILE);
  const text = await secretFile(file, random, () => Buffer.from(random(KEY_BYTES)).toString('hex'));
  const key = Buffer.from(text, 'hex');
  if (key.length !== KEY_BYTES) {
    throw new ContextModeError('configuration', `${file} does not hold an installation key.`, {
      hint: 'Put the file back from a backup. Without it the archive in this data folder cannot be read on.',
    });
  }
  return key as Uint8Array as InstallationKey;
}

/**
 * Seals `secret` with AES-256-GCM. `label` names what it belongs to (an account's id): it opens under that label only.
 */
export function seal(
  key: InstallationKey,
  secret: Uint8Array,
  label: string,
  random: RandomBytes,
): Uint8Array {
  const nonce = random(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(label));
  const body = Buffer.concat([cipher.update(secret), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), body]);
}

/**
 * Opens what {@link seal} made.
 * @throws ContextModeError `configuration` under another key or label, or where a byte was changed.
 */
export function unseal(key: InstallationKey, sealed: Uint8Array, label: string): Uint8Array {
  try {
    if (sealed[0] !== VERSION) throw new Error(`sealed in a way that is not known: ${sealed[0]}`);
    const tagAt = 1 + NONCE_BYTES;
    const bodyAt = tagAt + TAG_BYTES;
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, tagAt), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(Buffer.from(label))
      .setAuthTag(sealed.subarray(tagAt, bodyAt));
    return Buffer.concat([decipher.update(sealed.subarray(bodyAt)), decipher.final()]);
  } catch (cause) {
    throw new ContextModeError(
      'configuration',
      'A secret in the database does not open with the installation key.',
      {
        hint: `Database and ${FILE} belong together: put the ${FILE} that this database was made with into the data folder. Gateways on one database share one.`,
        cause,
      },
    );
  }
}
