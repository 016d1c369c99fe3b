import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { installationKey, seal, unseal } from './installation-key.ts';
import { systemRandom } from './random.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'context-mode-key-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('the installation key', () => {
  test('is made once, however many ask at once, and only its owner may read it', async () => {
    const home = join(folder, 'new', 'home');
    const keys = await Promise.all(Array.from({ length: 20 }, () => installationKey(home, systemRandom)));
    const again = await installationKey(home, systemRandom);
    for (const key of keys) expect(key).toEqual(again);
    expect(again).toHaveLength(32);
    expect((await stat(join(home, 'installation.key'))).mode & 0o777).toBe(0o600);
    expect(await readdir(home)).toEqual(['installation.key']);
  });

  test('is never made anew over a file that is broken', async () => {
    await writeFile(join(folder, 'installation.key'), 'not a key');
    await expect(installationKey(folder, systemRandom)).rejects.toMatchObject({ code: 'configuration' });
  });
});

describe('sealing', () => {
  test('opens to the same bytes under the same key and label, and under no other', async () => {
    const key = await installationKey(folder, systemRandom);
    const other = await installationKey(join(folder, 'other'), systemRandom);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.string(), fc.nat(), (secret, label, at) => {
        const sealed = seal(key, secret, label, systemRandom);
        expect(Buffer.from(unseal(key, sealed, label))).toEqual(Buffer.from(secret));
        expect(() => unseal(other, sealed, label)).toThrow();
        expect(() => unseal(key, sealed, `${label}.`)).toThrow();
        const spoiled = Buffer.from(sealed);
        const place = at % spoiled.length;
        spoiled.writeUInt8(spoiled.readUInt8(place) ^ 1, place);
        expect(() => unseal(key, spoiled, label)).toThrow();
      }),
    );
  });
});
