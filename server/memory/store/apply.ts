import type { Clock, Millis } from '../../kernel/clock.ts';
import { ContextModeError } from '../../kernel/errors.ts';
import { newId, type Uuid } from '../../kernel/ids.ts';
import { foldSlot } from '../fold.ts';
import type { Arity } from '../types.ts';
import { changeVersions } from '../versions.ts';
import type { Queryable } from './connection.ts';
import {
  closeVersions,
  insertStatements,
  insertVersions,
  readCurrent,
  readStatements,
  type StoredStatement,
} from './rows.ts';
import type { SlotChange } from './types.ts';

/** One write under the account's lock. */
export interface WriteScope {
  readonly connection: Queryable;
  readonly clock: Clock;
  readonly accountId: Uuid;
  /** The write's recorded time. */
  readonly at: Millis;
}

/**
 * Takes the account's lock until the transaction ends, and answers the recorded time of what it writes: the clock's, and
 * at least a millisecond behind all that was recorded before.
 */
export async function beginWrite(connection: Queryable, clock: Clock, accountId: Uuid): Promise<WriteScope> {
  const { rows } = await connection.query<{ clock_at: Date }>(
    `UPDATE account SET clock_at = GREATEST(clock_at + interval '1 millisecond', $2::timestamptz)
     WHERE id = $1 RETURNING clock_at`,
    [accountId, new Date(clock.now())],
  );
  const [row] = rows;
  if (row === undefined)
    throw new ContextModeError('not_found', 'There is no such account.', { hint: 'Sign in again.' });
  return { connection, clock, accountId, at: row.clock_at.getTime() as Millis };
}

/** A slot as a write finds it. */
export interface KnownSlot {
  readonly id: Uuid;
  readonly usual: Arity;
  readonly statements: readonly StoredStatement[];
}

/** Slots with all their statements. Those that are not there are left out. */
export async function readSlots(
  connection: Queryable,
  accountId: Uuid,
  ids: readonly Uuid[],
): Promise<readonly KnownSlot[]> {
  const { rows } = await connection.query<{ id: Uuid; usual_arity: Arity }>(
    'SELECT id, usual_arity FROM slot WHERE account_id = $1 AND id = ANY($2::uuid[]) ORDER BY id',
    [accountId, ids],
  );
  const statements = await readStatements(connection, accountId, ids);
  return rows.map(({ id, usual_arity: usual }) => ({
    id,
    usual,
    statements: statements.filter((statement) => statement.slot === id),
  }));
}

/** What is done to a slot, as the audit names it. */
export interface SlotAct {
  readonly act: string;
  readonly actor: string;
}

/**
 * Writes statements into slots and derives what is held for true of them anew. No statements: some of the slots' were
 * erased.
 * @param slots the slots as they were before
 */
export async function applyToSlots(
  scope: WriteScope,
  slots: readonly KnownSlot[],
  added: readonly StoredStatement[],
  act: SlotAct | null,
): Promise<readonly SlotChange[]> {
  const { connection, accountId, at } = scope;
  if (added.length > 0) await insertStatements(connection, accountId, added);
  const current = await readCurrent(
    connection,
    accountId,
    slots.map((slot) => slot.id),
  );
  const changes: SlotChange[] = [];
  for (const slot of slots) {
    const own = added.filter((statement) => statement.slot === slot.id).map(({ said }) => said);
    if (added.length > 0 && own.length === 0) continue;
    const all = [...slot.statements.map(({ said }) => said), ...own];
    const { closed, opened } = changeVersions(current.get(slot.id) ?? [], foldSlot(all, slot.usual), own, at);
    await closeVersions(connection, accountId, closed);
    await insertVersions(connection, accountId, slot.id, opened);
    changes.push({ slot: slot.id, opened, closed });
    const counts = { statements: own.length, opened: opened.length, closed: closed.length };
    if (act !== null) await writeAudit(scope, act, slot.id, counts);
  }
  return changes;
}

/** Keeps that something was done to a slot: ids and numbers alone. */
async function writeAudit(
  { connection, clock, accountId, at }: WriteScope,
  { act, actor }: SlotAct,
  subject: Uuid,
  counts: Readonly<Record<string, number>>,
): Promise<void> {
  await connection.query(
    `INSERT INTO audit (account_id, id, at, actor, act, subject, data) VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb)`,
    [accountId, newId(clock), new Date(at), actor, act, subject, JSON.stringify(counts)],
  );
}
