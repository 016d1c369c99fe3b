// Installs the packages of the lock file if they are not installed already.
import { existsSync, readFileSync } from 'node:fs';
import { alone, at, isEntry, main, runNpm, SetupError, step } from './project.mjs';

/** Fails if this Node is older than package.json allows. */
export function checkNode(version = process.versions.node) {
  const { engines } = JSON.parse(readFileSync(at('package.json'), 'utf8'));
  const needed = engines.node.replace('>=', '').split('.').map(Number);
  const present = version.split('.').map(Number);
  const isOlder =
    present[0] < needed[0] || (present[0] === needed[0] && (present[1] ?? 0) < (needed[1] ?? 0));
  if (isOlder) {
    throw new SetupError(`Context Mode needs Node ${needed.join('.')} or newer; this is Node ${version}.`);
  }
}

/**
 * True if what is installed in `folder` is what its lock file asks for. npm notes what it installed in a lock file of
 * its own; packages for other machines are missing there.
 */
export function isInstalled(folder) {
  const notes = `${folder}/node_modules/.package-lock.json`;
  if (!existsSync(notes)) return false;
  const wanted = JSON.parse(readFileSync(`${folder}/package-lock.json`, 'utf8')).packages;
  const present = JSON.parse(readFileSync(notes, 'utf8')).packages;
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.startsWith('node_modules/') && !path.includes('/node_modules/')) return true;
    const found = present[path];
    if (!found) return entry.optional === true || entry.devOptional === true || entry.peer === true;
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

const CI = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/** Installs the packages of `folder`; answers at once if they are there. */
export async function installIn(folder, title) {
  if (isInstalled(folder)) return;
  await step(title, () => runNpm(CI, { cwd: folder }));
}

/** Installs the project's packages if they are missing or the lock file has changed. */
export async function install() {
  checkNode();
  await alone(() => installIn(at(), 'Installing packages'));
}

if (isEntry(import.meta.url)) await main(install);
