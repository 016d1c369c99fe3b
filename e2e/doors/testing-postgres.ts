import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../../server/db/embedded.ts';
import { portOf } from '../../server/gateway/testing/raw.ts';
import { createLogger } from '../../server/kernel/log.ts';

/** A PostgreSQL as an operator runs one: over TCP, with a user and a password. */
export interface OperatorServer {
  /** Address of a database of it; `password` in place of the right one. */
  addressOf(database: string, password?: string): string;
  /** Makes a database, with options of `CREATE DATABASE` as SQL. */
  create(database: string, options?: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts one in a folder, behind a port of its own. */
export async function operatorServer(folder: string): Promise<OperatorServer> {
  const server = await startEmbedded({
    home: join(folder, 'operator'),
    log: createLogger('silent', 'test'),
    overrides: { fsync: 'off' },
  });
  const { host = '', port = 5432, user = '', password = '' } = server.settings;
  const door = createServer((client) => {
    const socket = connect(join(host, `.s.PGSQL.${port}`));
    client.pipe(socket).pipe(client);
    client.on('error', () => socket.destroy());
    socket.on('error', () => client.destroy());
  });
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  return {
    addressOf: (database, given = password) =>
      `postgres://${user}:${encodeURIComponent(given)}@127.0.0.1:${portOf(door)}/${database}`,
    async create(database, options = '') {
      const client = new pg.Client(server.settings);
      await client.connect();
      await client.query(`CREATE DATABASE ${database} ${options}`).finally(() => client.end());
    },
    async stop() {
      door.close();
      await server.stop();
    },
  };
}
