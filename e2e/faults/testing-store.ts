import { join } from 'node:path';
import { inject } from 'vitest';
import { testDatabase } from '../../server/db/testing.ts';
import { openStoreLine, type StoreLine } from './store-line.ts';

/** A database of an operator's own, as `DATABASE_URL` names it, behind a line that can be held. */
export interface OperatorStore {
  readonly url: string;
  readonly line: StoreLine;
  /** Runs a statement past the line. */
  query(sql: string): Promise<readonly Record<string, unknown>[]>;
  stop(): Promise<void>;
}

/** Makes a migrated database on the server that the test run shares. */
export async function operatorStore(): Promise<OperatorStore> {
  const database = await testDatabase();
  const server = inject('databaseServer');
  const line = await openStoreLine(join(server.host ?? '', `.s.PGSQL.${server.port ?? 5432}`));
  const account = `${server.user}:${server.password}`;
  return {
    url: `postgres://${account}@127.0.0.1:${line.port}/${database.settings.database}`,
    line,
    query: async (sql) => (await database.pool.query(sql)).rows as Record<string, unknown>[],
    async stop() {
      await line.stop();
      await database.stop();
    },
  };
}
