import type pg from 'pg';
import { ContextModeError } from '../kernel/errors.ts';
import type { Logger } from '../kernel/log.ts';
import { type ConnectionSettings, openPool } from './connection.ts';
import { type EmbeddedServer, startEmbedded } from './embedded.ts';
import type { PrismaClient } from './generated/client.ts';

/** The opened database of a process. */
export interface Database {
  /** For SQL of our own. It outlives restarts of the server: meanwhile queries fail, afterwards they work again. */
  readonly pool: pg.Pool;
  /** How to reach the same database from elsewhere (a worker thread opens a pool of its own with it). */
  readonly settings: ConnectionSettings;
  /** The embedded server, or undefined if the database is an operator's own. */
  readonly embedded: EmbeddedServer | undefined;
  /** Prisma's client over the same pool; made at the first call. */
  prisma(): Promise<PrismaClient>;
  /** Closes the pool and ends the embedded server. Harmless when repeated. */
  stop(): Promise<void>;
}

/** What {@link openDatabase} is told. */
export interface DatabaseOptions {
  /** The data folder. */
  readonly home: string;
  /** A PostgreSQL of the operator's own; undefined: the embedded one in the data folder. */
  readonly databaseUrl: string | undefined;
  readonly log: Logger;
}

/**
 * Opens the database: an operator's own if there is an address, else the embedded one, which is started.
 * Migrations are not applied; see `migrate`.
 * @throws ContextModeError `conflict` if another process holds the data folder; `configuration` if the operator's database
 * cannot be reached.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { databaseUrl, log } = options;
  if (databaseUrl === undefined) {
    const embedded = await startEmbedded({ home: options.home, log });
    return databaseOver(embedded.settings, log, embedded);
  }
  const database = databaseOver({ connectionString: databaseUrl }, log, undefined);
  try {
    await database.pool.query('SELECT 1');
  } catch (cause) {
    await database.stop();
    throw new ContextModeError('configuration', 'The PostgreSQL that DATABASE_URL names cannot be reached.', {
      hint: 'Look at the address, the user, the password and the name of the database.',
      detail: cause instanceof Error ? cause.message : String(cause),
      cause,
    });
  }
  return database;
}

/** The database behind `settings`; `embedded` is ended with it. */
export function databaseOver(
  settings: ConnectionSettings,
  log: Logger,
  embedded: EmbeddedServer | undefined,
): Database {
  const pool = openPool(settings, log);
  let client: Promise<PrismaClient> | undefined;
  let stopped: Promise<void> | undefined;
  return {
    pool,
    settings,
    embedded,
    prisma() {
      client ??= import('./prisma.ts').then(({ prismaOver }) => prismaOver(pool));
      return client;
    },
    stop() {
      stopped ??= (async () => {
        await (await client?.catch(() => undefined))?.$disconnect();
        await pool.end();
        await embedded?.stop();
      })();
      return stopped;
    },
  };
}
