import type { Clock, Millis } from '../../kernel/clock.ts';
import { ContextModeError } from '../../kernel/errors.ts';
import { newId, type Uuid } from '../../kernel/ids.ts';
import { foldSlot } from '../fold.ts';
import type { Arity, FactVersion } from '../types.ts';
import { changeVersions } from '../versions.ts';
import { wordsOfFact } from '../words.ts';
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

/** The recorded time that a write would have now. */
export async function nextMoment(from: Queryable, clock: Clock, accountId: Uuid): Promise<Millis> {
  const { rows } = await from.query<{ clock_at: Date }>('SELECT clock_at FROM account WHERE id = $1', [
    accountId,
  ]);
  return Math.max(clock.now(), (rows[0]?.clock_at.getTime() ?? 0) + 1) as Millis;
}

/** A slot as a write finds it. */
export interface KnownSlot {
  readonly id: Uuid;
  readonly subject: string;
  readonly predicate: string;
  readonly usual: Arity;
  readonly statements: readonly StoredStatement[];
}

/** Slots with all their statements. Those that are not there are left out. */
export async function readSlots(
  connection: Queryable,
  accountId: Uuid,
  ids: readonly Uuid[],
): Promise<readonly KnownSlot[]> {
  const { rows } = await connection.query<{
    id: Uuid;
    subject: string;
    predicate: string;
    usual_arity: Arity;
  }>(
    'SELECT id, subject, predicate, usual_arity FROM slot WHERE account_id = $1 AND id = ANY($2::uuid[]) ORDER BY id',
    [accountId, ids],
  );
  const statements = new Map<Uuid, StoredStatement[]>(rows.map(({ id }) => [id, []]));
  for (const statement of await readStatements(connection, accountId, ids))
    statements.get(statement.slot)?.push(statement);
  return rows.map(({ usual_arity: usual, ...row }) => ({
    ...row,
    usual,
    statements: statements.get(row.id) ?? [],
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
  const { connection, accountId } = scope;
  if (added.length > 0) await insertStatements(connection, accountId, added);
  const ids = slots.map((slot) => slot.id);
  const changes = changesOf(scope, slots, added, await readCurrent(connection, accountId, ids));
  await closeVersions(
    connection,
    accountId,
    changes.flatMap(({ closed }) => closed),
  );
  const named = new Map(slots.map((slot) => [slot.id, slot]));
  const opened = changes.flatMap((change) =>
    change.opened.map((version) => ({
      slot: change.slot,
      version,
      words: wordsUnder(named, change, version),
    })),
  );
  await insertVersions(connection, accountId, opened);
  if (act !== null) await writeAudit(scope, act, changes);
  return changes.map(({ slot, opened, closed }) => ({ slot, opened, closed }));
}

function wordsUnder(
  slots: ReadonlyMap<Uuid, KnownSlot>,
  { slot }: SlotChange,
  { value }: FactVersion,
): readonly string[] {
  const { subject = '', predicate = '' } = slots.get(slot) ?? {};
  return wordsOfFact(subject, predicate, value.text);
}

interface CountedChange extends SlotChange {
  /** How many statements came in. */
  readonly statements: number;
}

function changesOf(
  { at }: WriteScope,
  slots: readonly KnownSlot[],
  added: readonly StoredStatement[],
  current: ReadonlyMap<Uuid, readonly FactVersion[]>,
): readonly CountedChange[] {
  const bySlot = new Map<Uuid, StoredStatement[]>(slots.map(({ id }) => [id, []]));
  for (const statement of added) bySlot.get(statement.slot)?.push(statement);
  return slots.flatMap(({ id, usual, statements }) => {
    const own = (bySlot.get(id) ?? []).map(({ said }) => said);
    if (added.length > 0 && own.length === 0) return [];
    const history = foldSlot([...statements.map(({ said }) => said), ...own], usual);
    const { closed, opened } = changeVersions(current.get(id) ?? [], history, own, at);
    return [{ slot: id, opened, closed, statements: own.length }];
  });
}

/** Keeps what was done to slots: ids and numbers alone. */
async function writeAudit(
  { connection, clock, accountId, at }: WriteScope,
  { act, actor }: SlotAct,
  changes: readonly CountedChange[],
): Promise<void> {
  const counts = changes.map(({ statements, opened, closed }) =>
    JSON.stringify({ statements, opened: opened.length, closed: closed.length }),
  );
  await connection.query(
    `INSERT INTO audit (account_id, id, at, actor, act, subject, data)
     SELECT $1, g.id, $2, $3, $4, g.subject, g.data FROM unnest($5::uuid[], $6::uuid[], $7::jsonb[]) AS g(id, subject, data)`,
    [
      accountId,
      new Date(at),
      actor,
      act,
      changes.map(() => newId(clock)),
      changes.map(({ slot }) => slot),
      counts,
    ],
  );
}
