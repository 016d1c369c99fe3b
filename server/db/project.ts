import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The project's root folder: the nearest one above this file that holds `prisma/migrations`' parent and a package.json.
 * It is found from the source tree and from the built file alike.
 */
export function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!(existsSync(join(folder, 'package.json')) && existsSync(join(folder, 'prisma')))) {
    const parent = dirname(folder);
    if (parent === folder)
      throw new Error('The folder "prisma" of the project was not found above the running file.');
    folder = parent;
  }
  return folder;
}
