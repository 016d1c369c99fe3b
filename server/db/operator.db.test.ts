import { afterEach, describe, expect, inject, it } from 'vitest';
import { createLogger } from '../kernel/log.ts';
import { type Database, openDatabase } from './database.ts';
import { emptyTestDatabase } from './testing.ts';

const log = createLogger('silent', 'test');
const drops: (() => Promise<void>)[] = [];

/** The address of a database of the tests' server, as an operator would write it. */
function addressOf(name: string, more: { user?: string; password?: string } = {}): string {
  const server = { ...inject('databaseServer'), ...more };
  const address = new URL('postgres://x/');
  address.username = server.user ?? '';
  address.password = server.password ?? '';
  address.pathname = `/${name}`;
  address.searchParams.set('host', server.host ?? '');
  address.searchParams.set('port', String(server.port ?? 5432));
  return address.href;
}

async function open(options = '', more: { user?: string; password?: string } = {}): Promise<Database> {
  const { settings, drop } = await emptyTestDatabase(options);
  drops.push(drop);
  const databaseUrl = addressOf(settings.database ?? '', more);
  const database = await openDatabase({ home: '/nowhere', databaseUrl, log });
  drops.unshift(() => database.stop());
  return database;
}

afterEach(async () => {
  for (const drop of drops.splice(0)) await drop();
});

describe('an operator’s own database', () => {
  it('is used as it is where it is in UTF-8', async () => {
    const database = await open();
    const { rows } = await database.pool.query(`SELECT 'ünïcode 你好' AS text`);
    expect(rows).toEqual([{ text: 'ünïcode 你好' }]);
  });

  it.each(['LATIN1', 'SQL_ASCII'])(
    'is refused where it is in %s, and the error says how to make one',
    async (encoding) => {
      await expect(
        open(`ENCODING '${encoding}' LOCALE 'C' LOCALE_PROVIDER libc TEMPLATE template0`),
      ).rejects.toMatchObject({
        code: 'configuration',
        message: expect.stringContaining(encoding),
        hint: expect.stringContaining("ENCODING 'UTF8'"),
      });
    },
  );

  it.each([
    ['password', { password: 'canary-word' }],
    ['user', { user: 'nobody-here', password: 'canary-word' }],
  ])('with a wrong %s is one clear error that holds no password', async (_, more) => {
    const error: unknown = await open('', more).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'configuration', detail: expect.stringContaining('authentication') });
    expect(JSON.stringify(error)).not.toContain('canary-word');
  });
});
