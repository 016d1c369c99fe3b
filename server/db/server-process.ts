import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fchownSync, openSync, renameSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { ContextModeError } from '../kernel/errors.ts';
import type { Logger } from '../kernel/log.ts';
import { type Cluster, DATABASE_NAME } from './cluster.ts';
import type { ClusterPlace } from './cluster-place.ts';
import type { ConnectionSettings } from './connection.ts';
import { endServer, stopOrphan } from './orphan.ts';
import { NO_ENVIRONMENT } from './server-user.ts';

const run = promisify(execFile);

/** A running server that is started again if it dies. */
export interface ServerProcess {
  /** Number of the server's first process at this moment; undefined while it is being started again. */
  pid(): number | undefined;
  /** Ends the server: open transactions are rolled back, what was committed is on disk. */
  stop(): Promise<void>;
}

/** What a server is started with. */
export interface ServerOptions {
  readonly place: ClusterPlace;
  readonly cluster: Cluster;
  readonly settings: ConnectionSettings;
  readonly log: Logger;
  /** Server settings that differ from the product's, by PostgreSQL's own names. */
  readonly overrides: Readonly<Record<string, string>>;
}

/** Settings for one machine that people also work on. Statements never reach the log: they carry content. */
const SETTINGS: Readonly<Record<string, string>> = {
  max_connections: '60',
  shared_buffers: '128MB',
  max_wal_size: '512MB',
  // Old segments are removed, not written over later: what was deleted must not stay in them.
  wal_recycle: 'off',
  wal_compression: 'on',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  dynamic_shared_memory_type: process.platform === 'win32' ? 'windows' : 'mmap',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'warning',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  unix_socket_permissions: '0700',
};

/** Milliseconds between a death and the next start: doubled from the first to the last. */
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 10_000;
/** Starts that may fail in a row before the first one counts as failed (helpers of a killed server take a moment to go). */
const FIRST_START_ATTEMPTS = 4;
/** Milliseconds for one start, replay of the write-ahead log after a crash included. */
const READY_TIMEOUT_MS = 300_000;
/** A log file that is larger than this at a start is set aside, in bytes. */
const MAX_LOG_BYTES = 5_000_000;

/**
 * Starts the server and waits until it answers. A server that was left over is ended first.
 * If it dies later it is started again, with growing pauses, until `stop`.
 * @throws ContextModeError `internal` if it does not start; its log is named in the hint.
 */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  let stopping = false;
  let child: ChildProcess | undefined;
  const killAtExit = (): void => {
    child?.kill('SIGINT');
  };

  const startOnce = async (): Promise<void> => {
    await stopOrphan(options.cluster.data, options.log);
    const started = launch(options);
    child = started;
    await untilReady(started, options);
    started.once('exit', (code, signal) => {
      child = undefined;
      if (stopping) return;
      options.log.error({ code, signal }, 'the database server died; starting it again');
      supervise().catch((error: unknown) =>
        options.log.error({ reason: String(error) }, 'database restart failed'),
      );
    });
  };

  const supervise = async (): Promise<void> => {
    for (let pause = FIRST_PAUSE_MS; !stopping; pause = Math.min(pause * 2, LAST_PAUSE_MS)) {
      await delay(pause);
      if (stopping) return;
      try {
        await startOnce();
        options.log.info({ pid: child?.pid }, 'the database server runs again');
        return;
      } catch (error) {
        options.log.error({ reason: String(error) }, 'the database server did not start');
      }
    }
  };

  rotateLog(options.cluster.logFile);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await startOnce();
      break;
    } catch (error) {
      if (attempt === FIRST_START_ATTEMPTS) throw error;
      await delay(FIRST_PAUSE_MS * 2 ** attempt);
    }
  }
  process.once('exit', killAtExit);
  return {
    pid: () => child?.pid,
    async stop() {
      stopping = true;
      process.removeListener('exit', killAtExit);
      const ending = child;
      if (ending?.pid === undefined) return;
      const gone = ending.exitCode === null && ending.signalCode === null ? once(ending, 'exit') : undefined;
      if (process.platform === 'win32') await stopOnWindows(options);
      else await endServer(ending.pid);
      await gone;
    },
  };
}

/** Windows has no signals to end a program politely; PostgreSQL's own tool does it there. */
async function stopOnWindows({ place, cluster }: ServerOptions): Promise<void> {
  await run(place.binaries.pgCtl, ['stop', '-D', cluster.data, '-m', 'fast', '-w']);
}

function launch({ place, cluster, settings, overrides }: ServerOptions): ChildProcess {
  const isWindows = process.platform === 'win32';
  const chosen = {
    ...SETTINGS,
    listen_addresses: isWindows ? '127.0.0.1' : '',
    unix_socket_directories: isWindows ? '' : cluster.socketFolder,
    port: String(settings.port ?? 5432),
    ...overrides,
  };
  const flags = Object.entries(chosen).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const log = openSync(cluster.logFile, 'a', 0o600);
  if (place.user) fchownSync(log, place.user.uid, place.user.gid);
  try {
    const child = spawn(place.binaries.postgres, ['-D', cluster.data, ...flags], {
      cwd: place.base,
      env: NO_ENVIRONMENT,
      stdio: ['ignore', log, log],
      // A session of its own: Ctrl-C in the terminal reaches only us, and we end the server after the last write.
      detached: !isWindows,
      windowsHide: true,
      ...place.user,
    });
    child.on('error', () => undefined);
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

/** Waits until the server answers; fails as soon as it has ended. */
async function untilReady(child: ChildProcess, { cluster, settings }: ServerOptions): Promise<void> {
  const step = 20;
  for (let waited = 0; waited < READY_TIMEOUT_MS; waited += step) {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) break;
    if (await answers(settings)) return;
    await delay(step);
  }
  child.kill('SIGQUIT');
  throw new ContextModeError('internal', 'The embedded PostgreSQL did not start.', {
    hint: `Its own log says why: ${cluster.logFile}`,
  });
}

async function answers(settings: ConnectionSettings): Promise<boolean> {
  const client = new pg.Client({ ...settings, database: 'postgres', connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await ensureDatabase(client);
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function ensureDatabase(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE_NAME]);
  if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE_NAME}`);
}

function rotateLog(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_LOG_BYTES) renameSync(file, `${file}.1`);
}
