import { breathe } from '../../kernel/breath.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ContextModeError } from '../../kernel/errors.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { type InstallationKey, seal, unseal } from '../../kernel/installation-key.ts';
import type { RandomBytes } from '../../kernel/random.ts';
import type { ArchiveTransfer, ImportedSession } from '../types.ts';
import { readAccountKey } from './account.ts';
import { type Queryable, type StorePool, transaction } from './connection.ts';
import { writeAudit } from './erasure.ts';
import { importFault } from './import-fault.ts';
import { readColumns } from './import-rows.ts';
import { type ImportTools, readLine, SessionImport } from './import-session.ts';
import { tellSoon } from './live.ts';

/** What carrying sessions between archives takes from outside. */
export interface TransferOptions {
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly installationKey: InstallationKey;
}

const KEY_BYTES = 32;

/** The archive's side that takes sessions in from exports, and the keys that their ids are made with. */
export function createArchiveTransfer(pool: StorePool, options: TransferOptions): ArchiveTransfer {
  return {
    importSessions: (accountId, lines, { foreign }) =>
      importSessions(pool, options, accountId, lines, foreign),
    readKey: (accountId) => tellKey(pool, options, accountId),
    takeKey: (accountId, key) =>
      transaction(pool, (connection) => takeKey(connection, options, accountId, key)),
  };
}

async function* importSessions(
  pool: StorePool,
  { clock, installationKey }: TransferOptions,
  accountId: Uuid,
  lines: AsyncIterable<string>,
  foreign: boolean,
): AsyncGenerator<ImportedSession> {
  const tools: ImportTools = {
    clock,
    accountId,
    foreign,
    key: await readAccountKey(pool, accountId, installationKey),
    columns: await readColumns(pool),
  };
  const numbered = withNumbers(lines);
  try {
    for (let done = false; !done; ) {
      const imported = await importNext(pool, tools, numbered);
      done = imported === null;
      if (imported !== null) {
        tellSoon(pool, { accountId, kind: 'log', sessionId: imported.id });
        yield imported;
      }
    }
  } finally {
    await numbered.return(undefined);
  }
}

interface Line {
  readonly number: number;
  readonly text: string;
}

async function* withNumbers(lines: AsyncIterable<string>): AsyncGenerator<Line> {
  let number = 0;
  for await (const text of lines) {
    number += 1;
    if (text.trim() !== '') yield { number, text };
    await breathe();
  }
}

/** Imports the next session in one transaction; null where no line is left. */
async function importNext(
  pool: StorePool,
  tools: ImportTools,
  lines: AsyncGenerator<Line>,
): Promise<ImportedSession | null> {
  const first = await lines.next();
  if (first.done === true) return null;
  const { name, fields } = readLine(first.value.number, first.value.text);
  if (name !== 'header') throw importFault(first.value.number, 'is not the header of an exported session');
  const connection = await pool.connect();
  let broken = true;
  try {
    await connection.query('BEGIN');
    try {
      const session = new SessionImport(connection, tools, first.value.number, fields);
      await session.begin();
      const imported = await takeLines(session, lines, first.value.number);
      await connection.query('COMMIT');
      broken = false;
      return imported;
    } catch (thrown) {
      await connection.query('ROLLBACK');
      broken = false;
      throw thrown;
    }
  } finally {
    connection.release(broken);
  }
}

async function takeLines(
  session: SessionImport,
  lines: AsyncGenerator<Line>,
  from: number,
): Promise<ImportedSession> {
  let last = from;
  for (;;) {
    const next = await lines.next();
    if (next.done === true)
      throw importFault(last, 'is the last one, and the session has no end: the export was cut');
    last = next.value.number;
    const { name, fields } = readLine(last, next.value.text);
    const imported = await session.take(last, name, fields);
    if (imported !== null) return imported;
  }
}

/** The key, after it was written down that it left. */
async function tellKey(
  pool: StorePool,
  { clock, installationKey }: TransferOptions,
  accountId: Uuid,
): Promise<Uint8Array> {
  const key = await readAccountKey(pool, accountId, installationKey);
  await auditKey(pool, clock, accountId, 'key.export');
  return key;
}

function auditKey(connection: Queryable, clock: Clock, accountId: Uuid, act: string): Promise<void> {
  const at = new Date(clock.now());
  return writeAudit(connection, clock, { accountId, at, by: 'person', act, subject: accountId, data: {} });
}

/** Tables that hold what is named by the key: where one has a row of the account, its key stays. */
const KEYED = ['session', 'request', 'message', 'project', 'preamble', 'blob'];

async function takeKey(
  connection: Queryable,
  { clock, installationKey, random }: TransferOptions,
  accountId: Uuid,
  key: Uint8Array,
): Promise<'taken' | 'same'> {
  if (key.length !== KEY_BYTES) {
    throw new ContextModeError('bad_request', 'This is not the key of an archive.', {
      hint: 'Give the file that "export --keys" wrote, as it was written.',
    });
  }
  const { rows } = await connection.query<{ sealed_key: Buffer }>(
    'SELECT sealed_key FROM account WHERE id = $1 FOR UPDATE',
    [accountId],
  );
  const [account] = rows;
  if (account === undefined) throw new Error('the account of a key does not exist');
  if (Buffer.compare(unseal(installationKey, account.sealed_key, accountId), key) === 0) return 'same';
  const used = KEYED.map((table) => `EXISTS (SELECT 1 FROM ${table} WHERE account_id = $1)`).join(' OR ');
  const holds = await connection.query<{ used: boolean }>(`SELECT ${used} AS used`, [accountId]);
  if (holds.rows[0]?.used !== false) {
    throw new ContextModeError(
      'conflict',
      'This archive holds conversations already, named with a key of its own.',
      {
        hint: 'A key is taken over into an empty archive only: start Context Mode on a new data folder (CONTEXT_MODE_HOME). Or import without the key, as sessions of their own (import --foreign).',
      },
    );
  }
  await connection.query('UPDATE account SET sealed_key = $2 WHERE id = $1', [
    accountId,
    seal(installationKey, key, accountId, random),
  ]);
  await auditKey(connection, clock, accountId, 'key.import');
  return 'taken';
}
