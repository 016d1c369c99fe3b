import type { Clock } from '../../kernel/clock.ts';
import { ContextModeError } from '../../kernel/errors.ts';
import { LOCAL_ACCOUNT, newId, type Uuid } from '../../kernel/ids.ts';
import { type InstallationKey, seal, unseal } from '../../kernel/installation-key.ts';
import type { RandomBytes } from '../../kernel/random.ts';
import type { Queryable } from './connection.ts';
import { dateOf, name } from './values.ts';

/** What making an account needs. */
export interface AccountTools {
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly installationKey: InstallationKey;
}

const ACCOUNT_KEY_BYTES = 32;
const LOCAL = 'local';

/** The one account of a machine without sign-in, made at the first start. Safe to ask from any number of processes. */
export function ensureLocalAccount(pool: Queryable, tools: AccountTools): Promise<Uuid> {
  return ensureAccount(pool, LOCAL, tools, LOCAL_ACCOUNT);
}

/**
 * The account with this handle, made (with `id`) with a key of its own where there is none.
 * @throws ContextModeError `configuration` where its key does not open with this installation's: nothing could be
 * archived, and that is told at once.
 */
export async function ensureAccount(
  pool: Queryable,
  handle: string,
  tools: AccountTools,
  id: Uuid = newId(tools.clock),
): Promise<Uuid> {
  const at = dateOf(tools.clock.now());
  const key = seal(tools.installationKey, tools.random(ACCOUNT_KEY_BYTES), id, tools.random);
  await pool.query(
    `INSERT INTO account (id, handle, sealed_key, clock_at, created_at)
     VALUES ($1, $2, $3, $4, $4) ON CONFLICT DO NOTHING`,
    [id, name(handle), key, at],
  );
  const { rows } = await pool.query<{ id: Uuid; sealed_key: Buffer }>(
    'SELECT id, sealed_key FROM account WHERE handle = $1',
    [name(handle)],
  );
  const [row] = rows;
  if (!row) throw unknownAccount();
  unseal(tools.installationKey, row.sealed_key, row.id);
  return row.id;
}

/**
 * Reads an account's key (32 bytes) and opens it.
 * @throws ContextModeError `not_found` without such an account, `configuration` under another installation's key.
 */
export async function readAccountKey(
  pool: Queryable,
  accountId: Uuid,
  installationKey: InstallationKey,
): Promise<Uint8Array> {
  const { rows } = await pool.query<{ sealed_key: Buffer }>('SELECT sealed_key FROM account WHERE id = $1', [
    accountId,
  ]);
  const [row] = rows;
  if (!row) throw unknownAccount();
  return unseal(installationKey, row.sealed_key, accountId);
}

function unknownAccount(): ContextModeError {
  return new ContextModeError('not_found', 'There is no such account.', {
    hint: 'Sign in again, or start Context Mode on the data folder that holds the account.',
  });
}
