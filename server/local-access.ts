import type { ConsoleAccess } from './api/index.ts';
import {
  CONSOLE_LINK_PATH,
  type ConsoleProof,
  createConsoleProof,
  createOwnerCheck,
  type Guard,
  localGuard,
  noTables,
  systemTables,
  tellsOwners,
} from './gateway/index.ts';
import type { Clock } from './kernel/clock.ts';
import type { Env } from './kernel/env.ts';
import { localKey } from './kernel/local-key.ts';
import { systemRandom } from './kernel/random.ts';

/** Who may use a process in local mode, and how a browser gets in. */
export interface LocalAccess {
  readonly guard: Guard;
  readonly console: ConsoleProof;
  readonly links: ConsoleAccess;
}

/**
 * Reads the local key, or makes it, and finds out whether this system tells whose a connection is.
 * @throws ContextModeError `configuration` where the key's file cannot be used
 */
export async function localAccess(env: Env, clock: Clock): Promise<LocalAccess> {
  const key = await localKey(env.home, systemRandom);
  const self = process.getuid?.() ?? null;
  const tables = env.owners === 'system' ? systemTables : noTables;
  const keyNeeded = !(await tellsOwners(self, tables));
  const console = createConsoleProof({ key, clock, random: systemRandom });
  return {
    guard: localGuard({ owners: createOwnerCheck(self, tables), key, console, keyNeeded }),
    console,
    links: {
      keyNeeded,
      makeLink: (baseUrl) => (keyNeeded ? `${baseUrl}${CONSOLE_LINK_PATH}${console.makeToken()}` : baseUrl),
    },
  };
}
