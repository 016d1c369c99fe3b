import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { Logger } from '../kernel/log.ts';
import { type RandomBytes, systemRandom } from '../kernel/random.ts';
import { DATABASE_NAME, prepareCluster } from './cluster.ts';
import { placeCluster } from './cluster-place.ts';
import type { ConnectionSettings } from './connection.ts';
import { lockHome } from './home-lock.ts';
import { startServer } from './server-process.ts';

/** An embedded PostgreSQL that this process runs. */
export interface EmbeddedServer {
  readonly settings: ConnectionSettings;
  /** Folder that holds the database's files. */
  readonly base: string;
  /** Number of the server's first process; undefined while it is being started again. */
  pid(): number | undefined;
  /** Ends the server and gives the data folder back. */
  stop(): Promise<void>;
}

/** What {@link startEmbedded} is told. */
export interface EmbeddedOptions {
  /** The data folder; made if it is missing. */
  readonly home: string;
  readonly log: Logger;
  readonly random?: RandomBytes;
  /** Server settings that differ from the product's (tests: `fsync`), by PostgreSQL's own names. */
  readonly overrides?: Readonly<Record<string, string>>;
}

/**
 * Starts the PostgreSQL of a data folder: makes it at the first start, ends one that was left over, and starts it again
 * if it dies. It listens on a Unix socket in a private folder and on no port; on Windows, which has no such sockets, on
 * a free port of the loopback address. Either way a random password is asked for.
 * @throws ContextModeError `conflict` if another process holds the data folder; `configuration` or `internal` if the
 * server cannot be made or started.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const random = options.random ?? systemRandom;
  await mkdir(options.home, { recursive: true, mode: 0o700 });
  const lock = await lockHome(options.home);
  try {
    const place = await placeCluster(options.home, random);
    const cluster = await prepareCluster(place, random);
    const isWindows = process.platform === 'win32';
    const settings: ConnectionSettings = {
      host: isWindows ? '127.0.0.1' : cluster.socketFolder,
      port: isWindows ? await freePort() : 5432,
      user: DATABASE_NAME,
      password: cluster.password,
      database: DATABASE_NAME,
    };
    const server = await startServer({
      place,
      cluster,
      settings,
      log: options.log,
      overrides: options.overrides ?? {},
    });
    return {
      settings,
      base: place.base,
      pid: server.pid,
      async stop() {
        await server.stop();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
