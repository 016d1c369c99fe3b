import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { World } from '../world.ts';

/** Where a program is found on the PATH, or null. */
export async function programPath(world: World, program: string): Promise<string | null> {
  const names = world.platform === 'win32' ? [`${program}.exe`, `${program}.cmd`] : [program];
  for (const folder of (world.variables.PATH ?? world.variables.Path ?? '').split(delimiter)) {
    if (folder === '') continue;
    for (const name of names) {
      const path = join(folder, name);
      const found = await access(path, constants.X_OK).then(
        () => stat(path).then((info) => info.isFile()),
        () => false,
      );
      if (found) return path;
    }
  }
  return null;
}
