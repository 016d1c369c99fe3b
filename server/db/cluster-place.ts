import { chmod, chown, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RandomBytes } from '../kernel/random.ts';
import { type Binaries, copyOf, findBinaries } from './binaries.ts';
import { LOCK_FILE } from './home-lock.ts';
import { canReach, findServerUser, isRoot, type ServerUser } from './server-user.ts';

/** Where one embedded server keeps its files and who it runs as. */
export interface ClusterPlace {
  /** Folder of mode 0700 that holds everything of the server's: `data`, `run` (socket), `password`, `server.log`. */
  readonly base: string;
  readonly binaries: Binaries;
  /** The user that the server runs as; absent: the one that this process runs as. */
  readonly user: ServerUser | undefined;
}

/** Where database files of root go if the server's user cannot reach the data folder. */
const SYSTEM_FOLDER = '/var/lib/context-mode';

/** Name of the file in the data folder that says where its database is if that is not inside it. */
const POINTER_FILE = 'database.json';

/**
 * Makes the data folder if it is missing (private to its user) and decides where its database lies.
 * Usually inside it. As root the server runs as another user; if that user cannot reach the data folder, the database
 * lies under `/var/lib/context-mode` in a folder of its own, which the data folder names.
 */
export async function placeCluster(home: string, random: RandomBytes): Promise<ClusterPlace> {
  const isOurs = await makePrivate(home);
  if (!isRoot()) {
    const base = join(home, 'postgres');
    await mkdir(base, { recursive: true, mode: 0o700 });
    return { base, binaries: await findBinaries(join(base, 'programs')), user: undefined };
  }
  const user = (await ownerOf(join(home, 'postgres'))) ?? (await findServerUser());
  const base = (await pointedAt(home)) ?? (await chooseBase(home, isOurs, user, random));
  await mkdir(base, { recursive: true, mode: 0o700 });
  // For a person who finds the folder and wonders whose it is.
  if (!base.startsWith(home)) await writeFile(join(base, 'belongs-to'), `${home}\n`, { mode: 0o600 });
  await chown(base, user.uid, user.gid);
  return { base, binaries: await reachableBinaries(user), user };
}

/** What the product and its command write into a new data folder before the database is placed. */
const OWN_FILES = /^((local|installation)\.key|gateway\.(json|log)|(start|agents)\.json)(\.|$)/;

/** Makes `home` with mode 0700. A folder that already holds somebody's files keeps its mode; then the answer is false. */
async function makePrivate(home: string): Promise<boolean> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const names = await readdir(home);
  const isOurs =
    names.every((name) => name.startsWith(LOCK_FILE) || OWN_FILES.test(name)) ||
    names.includes('postgres') ||
    names.includes(POINTER_FILE);
  if (isOurs && process.platform !== 'win32') await chmod(home, 0o700);
  return isOurs;
}

/** The owner of existing database files, if it is not root. */
async function ownerOf(folder: string): Promise<ServerUser | undefined> {
  const found = await stat(folder).catch(() => undefined);
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : undefined;
}

async function pointedAt(home: string): Promise<string | undefined> {
  const text = await readFile(join(home, POINTER_FILE), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as { folder: string }).folder;
}

async function chooseBase(
  home: string,
  isOurs: boolean,
  user: ServerUser,
  random: RandomBytes,
): Promise<string> {
  const owner = await stat(home);
  if (isOurs && owner.uid === 0 && (await canReach(user, dirname(home))))
    await chown(home, user.uid, user.gid);
  if (await canReach(user, home)) return join(home, 'postgres');
  await mkdir(SYSTEM_FOLDER, { recursive: true, mode: 0o755 });
  // Named by chance, not by the data folder's path: whoever deletes a data folder and starts again starts empty.
  const folder = join(SYSTEM_FOLDER, Buffer.from(random(12)).toString('hex'));
  await writeFile(join(home, POINTER_FILE), `${JSON.stringify({ folder })}\n`, { mode: 0o600 });
  return folder;
}

async function reachableBinaries(user: ServerUser): Promise<Binaries> {
  const shared = join(SYSTEM_FOLDER, 'programs');
  const binaries = await findBinaries(shared);
  if (
    (await canReach(user, dirname(binaries.postgres))) &&
    (await canReach(user, join(binaries.root, 'lib')))
  ) {
    return binaries;
  }
  return copyOf(binaries, shared);
}
