import { execFile } from 'node:child_process';
import { access, chown, lstat, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ContextModeError } from '../kernel/errors.ts';
import type { RandomBytes } from '../kernel/random.ts';
import type { ClusterPlace } from './cluster-place.ts';
import { NO_ENVIRONMENT, type ServerUser } from './server-user.ts';

const run = promisify(execFile);

/** A database directory that exists and can be started. */
export interface Cluster {
  /** PostgreSQL's data directory. */
  readonly data: string;
  /** Folder of mode 0700 that holds the server's socket. */
  readonly socketFolder: string;
  readonly logFile: string;
  readonly password: string;
}

/** The database superuser and the database; nobody else has a role there. */
export const DATABASE_NAME = 'context_mode';

/** Longest path of a Unix socket, in bytes, on the systems we run on (Linux 107; macOS 103). */
const MAX_SOCKET_PATH = 103;

/**
 * Makes the database directory at the first start, or checks the one that is there.
 * It is made under another name and renamed when it is whole, so that a start that was cut short leaves nothing half-made.
 * @throws ContextModeError `configuration` if it belongs to another major version of PostgreSQL or its password is gone.
 */
export async function prepareCluster(place: ClusterPlace, random: RandomBytes): Promise<Cluster> {
  const data = join(place.base, 'data');
  const passwordFile = join(place.base, 'password');
  const found = await readIfThere(join(data, 'PG_VERSION'));
  if (found === undefined) await create(place, data, passwordFile, random);
  const major = place.binaries.version.split('.')[0] ?? '';
  if (found !== undefined && found.trim() !== major) {
    throw new ContextModeError(
      'configuration',
      `The database in ${data} was made by PostgreSQL ${found.trim()}, not ${major}.`,
      {
        hint: 'Start the version of Context Mode that made it and take a backup there, then restore it here.',
      },
    );
  }
  const password = await readIfThere(passwordFile);
  if (password === undefined) {
    throw new ContextModeError(
      'configuration',
      `The file ${passwordFile} is missing; without it the database cannot be opened.`,
      {
        hint: 'Restore the file from a backup of the data folder.',
      },
    );
  }
  return {
    data,
    socketFolder: await socketFolder(place),
    logFile: join(place.base, 'server.log'),
    password,
  };
}

async function create(
  place: ClusterPlace,
  data: string,
  passwordFile: string,
  random: RandomBytes,
): Promise<void> {
  const making = `${data}.making`;
  await rm(making, { recursive: true, force: true });
  await writeFile(passwordFile, Buffer.from(random(32)).toString('base64url'), { mode: 0o600 });
  if (place.user) await chown(passwordFile, place.user.uid, place.user.gid);
  const settings = [
    `--pgdata=${making}`,
    `--username=${DATABASE_NAME}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    // 256 random bits cannot be guessed, so the many rounds that protect a weak password would only cost time.
    '--set=scram_iterations=64',
  ];
  try {
    await run(place.binaries.initdb, settings, { cwd: place.base, env: NO_ENVIRONMENT, ...place.user });
  } catch (cause) {
    throw new ContextModeError('internal', 'The embedded PostgreSQL could not make its database.', {
      hint: `Look for free disk space and for the rights on ${place.base}.`,
      detail: (cause as { stderr?: string }).stderr ?? String(cause),
      cause,
    });
  }
  await rename(making, data);
}

/** A private folder for the socket: inside the database's own, or, if that path is too long, a short one that it names. */
async function socketFolder(place: ClusterPlace): Promise<string> {
  const inside = join(place.base, 'run');
  if (Buffer.byteLength(join(inside, '.s.PGSQL.5432')) <= MAX_SOCKET_PATH)
    return makePrivate(inside, place.user);
  const note = join(place.base, 'socket-folder');
  const noted = await readIfThere(note);
  if (noted !== undefined && (await isPrivate(noted, place.user))) return noted;
  const parent = Buffer.byteLength(tmpdir()) < 60 ? tmpdir() : '/tmp';
  const made = await mkdtemp(join(parent, 'context-mode-'));
  if (place.user) await chown(made, place.user.uid, place.user.gid);
  await writeFile(note, made, { mode: 0o644 });
  return made;
}

async function makePrivate(folder: string, user: ServerUser | undefined): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (user) await chown(folder, user.uid, user.gid);
  return folder;
}

/** A folder in a place that everybody can write to is used again only if it is still ours alone. */
async function isPrivate(folder: string, user: ServerUser | undefined): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  if (!found?.isDirectory()) return false;
  return found.uid === (user?.uid ?? process.getuid?.()) && (found.mode & 0o077) === 0;
}

async function readIfThere(file: string): Promise<string | undefined> {
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  return isThere ? readFile(file, 'utf8') : undefined;
}
