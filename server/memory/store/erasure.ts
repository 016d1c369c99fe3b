import type { Clock } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { applyToSlots, beginWrite, readSlots } from './apply.ts';
import type { Queryable } from './connection.ts';
import { digitsOf } from './drafts.ts';

/**
 * What a deletion takes of memory. These run inside its transaction, which holds the account's lock or takes it here, so
 * that nothing is written of what it deletes behind it.
 */

/**
 * Deletes what was drawn from documents: their statements and every version that such a statement opened, in all of
 * recorded time; what a person decided about these alone; slots of which nothing else is known. What is left is derived
 * anew. Answers how many statements went.
 */
export async function forgetDocuments(
  connection: Queryable,
  clock: Clock,
  accountId: Uuid,
  docids: readonly string[],
): Promise<number> {
  if (docids.length === 0) return 0;
  const digits = docids.map(digitsOf);
  await connection.query('DELETE FROM memory_review WHERE account_id = $1 AND docid = ANY($2::text[])', [
    accountId,
    digits,
  ]);
  const { rowCount } = await connection.query(
    'SELECT 1 FROM statement WHERE account_id = $1 AND docid = ANY($2::text[]) LIMIT 1',
    [accountId, digits],
  );
  if (!rowCount) return 0;
  const scope = await beginWrite(connection, clock, accountId);
  const { rows } = await connection.query<{ id: Uuid; slot_id: Uuid }>(
    'DELETE FROM statement WHERE account_id = $1 AND docid = ANY($2::text[]) RETURNING id, slot_id',
    [accountId, digits],
  );
  const slots = [...new Set(rows.map((row) => row.slot_id))];
  const gone = [...rows.map((row) => row.id), ...(await forgetDecisions(connection, accountId, slots))];
  await connection.query('DELETE FROM fact_version WHERE account_id = $1 AND fact = ANY($2::uuid[])', [
    accountId,
    gone,
  ]);
  await forgetBlocks(connection, accountId, gone);
  await forgetSlots(connection, accountId, SILENT, [slots]);
  await applyToSlots(scope, await readSlots(connection, accountId, slots), [], null);
  return gone.length;
}

/** Deletes all facts of projects, worktrees and threads. Answers how many slots went. */
export async function forgetScopes(
  connection: Queryable,
  accountId: Uuid,
  scopes: readonly Uuid[],
): Promise<number> {
  await connection.query('DELETE FROM memory_review WHERE account_id = $1 AND scope_id = ANY($2::uuid[])', [
    accountId,
    scopes,
  ]);
  return forgetSlots(connection, accountId, 'scope_id = ANY($2::uuid[])', [scopes]);
}

/** Deletes all facts of an account. Answers how many slots went. */
export async function forgetFacts(connection: Queryable, accountId: Uuid): Promise<number> {
  for (const table of ['memory_review', 'memory_count'])
    await connection.query(`DELETE FROM ${table} WHERE account_id = $1`, [accountId]);
  return forgetSlots(connection, accountId, 'true', []);
}

/** Slots of which no value is stated. */
const SILENT = `id = ANY($2::uuid[]) AND NOT EXISTS (
  SELECT 1 FROM statement t WHERE t.account_id = $1 AND t.slot_id = s.id AND t.kind = 'value')`;

async function forgetSlots(
  connection: Queryable,
  accountId: Uuid,
  where: string,
  values: readonly unknown[],
): Promise<number> {
  const { rows } = await connection.query<{ id: Uuid }>(
    `SELECT id FROM slot s WHERE account_id = $1 AND ${where}`,
    [accountId, ...values],
  );
  const ours = [accountId, rows.map((row) => row.id)];
  if (rows.length === 0) return 0;
  const { rows: facts } = await connection.query<{ id: Uuid }>(
    `SELECT id FROM statement WHERE account_id = $1 AND slot_id = ANY($2::uuid[]) AND kind IN ('value', 'reopen')`,
    ours,
  );
  await forgetBlocks(
    connection,
    accountId,
    facts.map((row) => row.id),
  );
  for (const table of ['fact_version', 'statement'])
    await connection.query(`DELETE FROM ${table} WHERE account_id = $1 AND slot_id = ANY($2::uuid[])`, ours);
  await connection.query('DELETE FROM slot WHERE account_id = $1 AND id = ANY($2::uuid[])', ours);
  return rows.length;
}

/**
 * Takes the memory part out of conversations and layouts that were sent one with a fact which is gone: from their next
 * request on they have none. Of which facts a part is, it says itself.
 */
async function forgetBlocks(connection: Queryable, accountId: Uuid, facts: readonly Uuid[]): Promise<void> {
  if (facts.length === 0) return;
  for (const [table, column] of BLOCKS)
    await connection.query(
      `UPDATE ${table} SET ${column} = jsonb_set(jsonb_set(${column}::jsonb, '{memory}', 'null'), '{facts}', '[]')::json
       WHERE account_id = $1 AND ${column}::jsonb->'facts' ?| $2::text[]`,
      [accountId, facts],
    );
}

const BLOCKS = [
  ['beginning', 'choices'],
  ['layout', 'choices'],
  ['layout', 'content'],
] as const;

/**
 * Deletes decisions about what is gone: a reopen or an end of a value that nothing states any more (it holds the value's
 * words and no document of its own), and what takes back a statement that is not there.
 */
async function forgetDecisions(
  connection: Queryable,
  accountId: Uuid,
  slots: readonly Uuid[],
): Promise<readonly Uuid[]> {
  const gone: Uuid[] = [];
  for (const orphans of [OF_NO_VALUE, OF_NO_STATEMENT]) {
    for (let more = true; more; ) {
      const { rows } = await connection.query<{ id: Uuid }>(orphans, [accountId, slots]);
      gone.push(...rows.map((row) => row.id));
      // What takes back something that takes back goes after it.
      more = rows.length > 0;
    }
  }
  return gone;
}

const OF_NO_VALUE = `
DELETE FROM statement t WHERE t.account_id = $1 AND t.slot_id = ANY($2::uuid[]) AND t.kind IN ('reopen', 'end')
  AND t.docid IS NULL AND t.value_key IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM statement o WHERE o.account_id = $1 AND o.slot_id = t.slot_id AND o.kind = 'value'
      AND o.value_key = t.value_key)
RETURNING t.id`;

const OF_NO_STATEMENT = `
DELETE FROM statement t WHERE t.account_id = $1 AND t.slot_id = ANY($2::uuid[]) AND t.kind = 'void' AND NOT EXISTS (
  SELECT 1 FROM statement o WHERE o.account_id = $1 AND o.id = t.target)
RETURNING t.id`;

/** Facts as deletions of the archive take them along. */
export function drawnFacts({ clock }: { readonly clock: Clock }) {
  return {
    documents: (connection: Queryable, accountId: Uuid, docids: readonly string[]) =>
      forgetDocuments(connection, clock, accountId, docids),
    scopes: (connection: Queryable, accountId: Uuid, scopes: readonly Uuid[]) =>
      scopes.length === 0 ? Promise.resolve(0) : forgetScopes(connection, accountId, scopes),
    all: (connection: Queryable, accountId: Uuid) => forgetFacts(connection, accountId),
  };
}
