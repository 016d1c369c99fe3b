import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { ContextModeError } from '../kernel/errors.ts';

const run = promisify(execFile);

/** The operating system's numbers of the user that the database server runs as. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** The environment of the server and its tools: none, so that no variable of ours changes what they do or is seen by them. */
export const NO_ENVIRONMENT = {} as NodeJS.ProcessEnv;

/** The system user that the server runs as when Context Mode itself runs as root: PostgreSQL refuses to run as root. */
const OWN_USER = 'context-mode-db';

/** Users that exist on many machines and may do nothing: the fall-back where no user can be added. */
const EXISTING_USERS = ['postgres', '_postgres', 'nobody'];

/** True if this process is root, so that the server needs a user of its own. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * The user for the server when this process is root; it is added to the system at the first start.
 * @throws ContextModeError `configuration` if none can be added and none of the usual ones exists.
 */
export async function findServerUser(): Promise<ServerUser> {
  const own = await lookUp(OWN_USER);
  if (own) return own;
  await run('useradd', [
    '--system',
    '--no-create-home',
    '--user-group',
    '--shell',
    '/usr/sbin/nologin',
    OWN_USER,
  ]).catch(() => undefined);
  for (const name of [OWN_USER, ...EXISTING_USERS]) {
    const user = await lookUp(name);
    if (user) return user;
  }
  throw new ContextModeError(
    'configuration',
    'Running as root, and no user was found for the database server to run as.',
    {
      hint: `Add a system user named ${OWN_USER}, start as an ordinary user, or set DATABASE_URL.`,
    },
  );
}

/** True if `user` can enter `folder` and read what is in it. */
export async function canReach(user: ServerUser, folder: string): Promise<boolean> {
  return run('/bin/sh', ['-c', 'cd "$1" && ls . >/dev/null', 'sh', folder], { ...user, cwd: '/' }).then(
    () => true,
    () => false,
  );
}

async function lookUp(name: string): Promise<ServerUser | undefined> {
  if (process.platform === 'darwin') {
    const uid = await id(name, '-u');
    const gid = await id(name, '-g');
    return uid && gid ? { uid, gid } : undefined;
  }
  const users = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const fields = users
    .split('\n')
    .map((line) => line.split(':'))
    .find((parts) => parts[0] === name);
  const uid = Number(fields?.[2]);
  const gid = Number(fields?.[3]);
  return uid > 0 && gid > 0 ? { uid, gid } : undefined;
}

async function id(name: string, flag: '-u' | '-g'): Promise<number | undefined> {
  const output = await run('id', [flag, name]).catch(() => undefined);
  const number = Number(output?.stdout.trim());
  return number > 0 ? number : undefined;
}
