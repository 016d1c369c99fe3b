import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

test('the command starts the product with the flags of npm start', async () => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as {
    scripts: Record<string, string>;
  };
  const flags = (scripts.start ?? '').split(' ').filter((part) => part.startsWith('--'));
  const source = await readFile('server/cli/real-world.ts', 'utf8');
  const listed = /const NODE_FLAGS = \[(.*)\];/.exec(source)?.[1] ?? '';
  expect(listed.split(', ').map((flag) => flag.replaceAll("'", ''))).toEqual(flags);
  for (const flag of flags) expect(scripts['start:next']).toContain(flag);
});
