import type pg from 'pg';
import { bounded } from '../kernel/bounded.ts';
import { ContextModeError } from '../kernel/errors.ts';
import type { Logger } from '../kernel/log.ts';
import { type ConnectionSettings, openPool } from './connection.ts';
import { type EmbeddedServer, startEmbedded } from './embedded.ts';
import type { PrismaClient } from './generated/client.ts';

/** How long an end waits for queries that run; a server that hangs would never answer them. */
const END_MS = 3_000;

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
  /** Closes the pool and ends the embedded server; queries that hang are given up. Harmless when repeated. */
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
 * cannot be reached or is not in UTF-8.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { databaseUrl, log } = options;
  if (databaseUrl === undefined) {
    const embedded = await startEmbedded({ home: options.home, log });
    return databaseOver(embedded.settings, log, embedded);
  }
  const database = databaseOver({ connectionString: databaseUrl }, log, undefined);
  try {
    await demandUsable(database.pool);
  } catch (error) {
    await database.stop();
    throw error;
  }
  return database;
}

/** Asks an operator's database whether it is there and can hold any text. */
async function demandUsable(pool: pg.Pool): Promise<void> {
  const encoding = await encodingOf(pool);
  if (encoding === 'UTF8') return;
  throw new ContextModeError(
    'configuration',
    `The database that DATABASE_URL names is encoded in ${encoding}, which cannot hold every text.`,
    { hint: "Name one that is in UTF8: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0." },
  );
}

async function encodingOf(pool: pg.Pool): Promise<string | undefined> {
  try {
    const { rows } = await pool.query<{ encoding: string }>(
      `SELECT current_setting('server_encoding') AS encoding`,
    );
    return rows[0]?.encoding;
  } catch (cause) {
    throw new ContextModeError('configuration', 'The PostgreSQL that DATABASE_URL names cannot be reached.', {
      hint: 'Look at the address, the user, the password and the name of the database.',
      detail: reasonOf(cause),
      cause,
    });
  }
}

/** Where a name has several addresses, Node puts what went wrong at each into one error without words. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join('; ');
  return cause instanceof Error ? cause.message : String(cause);
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
  const closePool = async () => {
    await (await client?.catch(() => undefined))?.$disconnect();
    // What connections say while they are being closed is no news.
    pool.removeAllListeners('error').on('error', () => undefined);
    await pool.end();
  };
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
        await bounded(closePool(), END_MS);
        await embedded?.stop();
      })();
      return stopped;
    },
  };
}
