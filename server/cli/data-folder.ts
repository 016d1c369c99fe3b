import { join, resolve } from 'node:path';
import type { World } from './world.ts';

/** The data folder, absolute: `CONTEXT_MODE_HOME`, else `.context-mode` in the home folder (Windows: local app data). */
export function dataFolder(world: World): string {
  const { CONTEXT_MODE_HOME: own, LOCALAPPDATA: local } = world.variables;
  if (own) return resolve(world.folder, own);
  if (world.platform === 'win32' && local) return join(local, 'context-mode');
  return join(world.home, '.context-mode');
}
