import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { localKey } from './local-key.ts';
import { systemRandom } from './random.ts';

async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'context-mode-key-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('the key is made once, for all that ask together, readable by its owner alone', async () => {
  const folder = join(await scratch(), 'data');
  const keys = await Promise.all(Array.from({ length: 8 }, () => localKey(folder, systemRandom)));
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toMatch(/^cml_[\w-]{43}$/);
  expect(await readFile(join(folder, 'local.key'), 'utf8')).toBe(`${keys[0]}\n`);
  expect((await stat(join(folder, 'local.key'))).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(['local.key']);
  expect(await localKey(folder, systemRandom)).toBe(keys[0]);
});

test('a file that others could read is closed to them', async () => {
  const folder = await scratch();
  const text = `cml_${'x'.repeat(43)}`;
  await writeFile(join(folder, 'local.key'), text, { mode: 0o644 });
  expect(await localKey(folder, systemRandom)).toBe(text);
  expect((await stat(join(folder, 'local.key'))).mode & 0o777).toBe(0o600);
});

test.each(['', 'cml_short', `cmk_${'x'.repeat(43)}`, `cml_${'x'.repeat(43)}\nmore`])(
  'a file that holds %j is an error that says what to do',
  async (text) => {
    const folder = await scratch();
    await writeFile(join(folder, 'local.key'), text);
    await expect(localKey(folder, systemRandom)).rejects.toMatchObject({
      code: 'configuration',
      hint: expect.stringContaining('Delete the file'),
    });
  },
);
