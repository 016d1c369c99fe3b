import { expect, test } from 'vitest';
import { createOutput, reportFault } from './output.ts';
import type { World } from './world.ts';

test('nothing that a title or a path holds is obeyed by the terminal', () => {
  const written: string[] = [];
  const world = {
    write: (text: string) => void written.push(text),
    complain: (text: string) => void written.push(text),
  } as unknown as World;
  const hostile = 'a\u001b]0;owned\u0007\u001b[2Jb\u009b31mc\rd\u202ee\tf';
  createOutput(world, false).line(hostile);
  createOutput(world, true).result({ title: hostile });
  reportFault(world, false, new Error(hostile));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  for (const text of written) expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f]/);
  expect(written[0]).toBe('a\ufffd]0;owned\ufffd\ufffd[2Jb\ufffd31mc\ufffdd\ufffde\tf\n');
});
