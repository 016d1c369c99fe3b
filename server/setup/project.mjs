// What the setup scripts share: where the project is, fingerprints of its files, and running its tools.
// Plain JavaScript without dependencies: these scripts run before anything is installed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** The project's root folder. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** An absolute path from one inside the project. */
export const at = (...parts) => join(root, ...parts);

/** A fault that a person is to read: printed without a stack. */
export class SetupError extends Error {}

/** Folders that hold results, never sources. */
const RESULTS = new Set(['node_modules', '.next', 'dist', '.git', 'generated', 'test-results']);

/** All source files under the given files and folders, sorted, as absolute paths. Missing ones are left out. */
export function sourceFiles(paths, accept = () => true) {
  const found = [];
  const visit = (path) => {
    const info = statSync(path, { throwIfNoEntry: false });
    if (info?.isFile() && accept(relative(root, path).split(sep).join('/'))) found.push(path);
    if (!info?.isDirectory()) return;
    for (const name of readdirSync(path)) if (!RESULTS.has(name)) visit(join(path, name));
  };
  for (const path of paths) visit(at(path));
  return found.sort();
}

/** A fingerprint of the contents of files and of what else the result depends on. */
export function fingerprint(files, ...extra) {
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  return hash.update(JSON.stringify([process.version, ...extra])).digest('hex');
}

/** True if the result that `stampFile` stands beside was made from what `stamp` is the fingerprint of. */
export function isCurrent(stampFile, stamp) {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp;
}

/** Notes what a result was made from. Written last, so that a run that was cut short is repeated. */
export function writeStamp(stampFile, stamp) {
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, stamp);
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program and answers with its exit code (128 for a signal) and what it printed.
 * `show` is told of its output as it comes, too; the program has no terminal.
 */
export function run(command, args, { show, env = {}, cwd = root, timeout } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk) => {
        output += chunk;
        show?.(chunk);
      });
    // Ctrl-C reaches the program too, a signal sent to us alone does not: it is passed on, and then obeyed.
    const pass = (signal) => {
      child.kill(signal);
      child.once('close', () => process.kill(process.pid, signal));
    };
    for (const signal of SIGNALS) process.once(signal, pass);
    const settle = () => {
      for (const signal of SIGNALS) process.removeListener(signal, pass);
    };
    child.on('error', (error) => {
      settle();
      reject(error);
    });
    child.on('close', (code) => {
      settle();
      resolve({ code: code ?? 128, output });
    });
  });
}

/** Runs one of the installed JavaScript tools with this Node. */
export const runNode = (file, args, options) => run(process.execPath, [file, ...args], options);

/** Runs npm: the one that started us, or else the one on the path. */
export function runNpm(args, options) {
  const npm = process.env.npm_execpath;
  if (npm && /\.c?js$/.test(npm)) return runNode(npm, args, options);
  return process.platform === 'win32'
    ? run('cmd', ['/c', 'npm', ...args], options)
    : run('npm', args, options);
}

/** Prints one line of progress, does the work, and fails with its output if it failed. */
export async function step(title, work) {
  const begun = performance.now();
  process.stderr.write(`${title} …\n`);
  const { code, output } = await work();
  if (code !== 0) throw new SetupError(`${title} failed:\n\n${output.trim()}\n`);
  process.stderr.write(`${title}: done in ${((performance.now() - begun) / 1000).toFixed(1)} s\n`);
}

let holdsLock = false;

/**
 * Lets one process at a time install, generate or build in this folder; a lock whose process is gone is taken over.
 * A process that holds the lock may ask for it again.
 */
export async function alone(work) {
  if (holdsLock) return work();
  const lock = at('.setup-lock');
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      // Whoever cannot write here cannot install or build here either, and needs no protection from doing so twice.
      if (error.code === 'EACCES' || error.code === 'EROFS') return work();
      if (error.code !== 'EEXIST') throw error;
      if (isGone(lock)) rmSync(lock, { force: true });
      else await delay(200);
    }
  }
  holdsLock = true;
  const unlock = () => rmSync(lock, { force: true });
  process.once('exit', unlock);
  try {
    return await work();
  } finally {
    unlock();
    process.removeListener('exit', unlock);
    holdsLock = false;
  }
}

/** True if the process that a lock names has ended. A lock that is being written names none yet and is given time. */
function isGone(lock) {
  const pid = Number(existsSync(lock) ? readFileSync(lock, 'utf8') : '');
  if (!pid) return existsSync(lock) && Date.now() - statSync(lock).mtimeMs > 5_000;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** Runs a script's work and turns a fault into one message and the exit code 1. */
export async function main(work) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

/** True if `url` is the script that Node was started with. */
export const isEntry = (url) => process.argv[1] !== undefined && fileURLToPath(url) === process.argv[1];
