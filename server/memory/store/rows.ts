import { createHash } from 'node:crypto';
import type { Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { Arity, Authority, Cause, FactVersion, Statement, Value, VoidReason } from '../types.ts';
import type { Queryable } from './connection.ts';

/** A statement with what is kept of it beside its part in the history. */
export interface StoredStatement {
  readonly said: Statement;
  readonly slot: Uuid;
  /** Which extractor in which version, or who. */
  readonly author: string;
  readonly spanEnd: number;
  readonly note: string | null;
  readonly recordedAt: Millis;
}

interface StatementRow {
  readonly id: Uuid;
  readonly slot_id: Uuid;
  readonly kind: Statement['kind'];
  readonly value: string | null;
  readonly value_key: string | null;
  readonly valid_from: Date | null;
  readonly target: Uuid | null;
  readonly reason: VoidReason | null;
  readonly arity: Arity | null;
  readonly authority: Authority;
  readonly author: string;
  readonly said_at: Date;
  readonly docid: string | null;
  readonly span_start: number;
  readonly span_end: number;
  readonly note: string | null;
  readonly recorded_at: Date;
}

/** The statements of some slots, in order of recorded time. */
export async function readStatements(
  from: Queryable,
  accountId: Uuid,
  slots: readonly Uuid[],
): Promise<readonly StoredStatement[]> {
  const { rows } = await from.query<StatementRow>(
    'SELECT * FROM statement WHERE account_id = $1 AND slot_id = ANY($2::uuid[]) ORDER BY recorded_at, id',
    [accountId, slots],
  );
  return rows.map((row) => ({
    said: statementOf(row),
    slot: row.slot_id,
    author: row.author,
    spanEnd: row.span_end,
    note: row.note,
    recordedAt: row.recorded_at.getTime() as Millis,
  }));
}

function statementOf(row: StatementRow): Statement {
  const said = {
    id: row.id,
    authority: row.authority,
    saidAt: row.said_at.getTime() as Millis,
    docid: row.docid,
    offset: row.span_start,
  };
  const value = row.value === null ? null : { text: row.value, key: row.value_key ?? row.value };
  const from = (row.valid_from?.getTime() ?? null) as Millis | null;
  if (row.kind === 'end' && from !== null) return { kind: 'end', value, from, ...said };
  if (row.kind === 'void' && row.target !== null && row.reason !== null)
    return { kind: 'void', target: row.target, reason: row.reason, ...said };
  if (row.kind === 'arity' && row.arity !== null) return { kind: 'arity', arity: row.arity, ...said };
  if ((row.kind === 'value' || row.kind === 'reopen') && value !== null && from !== null)
    return { kind: row.kind, value, from, ...said };
  throw new Error(`a statement of kind ${row.kind} lacks a part`);
}

/** Writes statements that were not there before. */
export async function insertStatements(
  connection: Queryable,
  accountId: Uuid,
  statements: readonly StoredStatement[],
): Promise<void> {
  const column = <T>(pick: (stored: StoredStatement) => T) => statements.map(pick);
  await connection.query(INSERT_STATEMENTS, [
    accountId,
    column(({ said }) => said.id),
    column(({ slot }) => slot),
    column(({ said }) => said.kind),
    column(({ said }) => valueIn(said)?.text ?? null),
    column(({ said }) => valueIn(said)?.key ?? null),
    column(({ said }) => ('from' in said ? new Date(said.from) : null)),
    column(({ said }) => (said.kind === 'void' ? said.target : null)),
    column(({ said }) => (said.kind === 'void' ? said.reason : null)),
    column(({ said }) => (said.kind === 'arity' ? said.arity : null)),
    column(({ said }) => said.authority),
    column(({ author }) => author),
    column(({ said }) => new Date(said.saidAt)),
    column(({ said }) => said.docid),
    column(({ said }) => said.offset),
    column(({ spanEnd }) => spanEnd),
    column(({ note }) => note),
    column(({ recordedAt }) => new Date(recordedAt)),
  ]);
}

const INSERT_STATEMENTS = `
INSERT INTO statement (account_id, id, slot_id, kind, value, value_key, valid_from, target, reason, arity, authority,
  author, said_at, docid, span_start, span_end, note, recorded_at)
SELECT $1, * FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::uuid[],
  $9::text[], $10::text[], $11::text[], $12::text[], $13::timestamptz[], $14::text[], $15::int[], $16::int[],
  $17::text[], $18::timestamptz[])`;

function valueIn(said: Statement): Value | null {
  return 'value' in said ? said.value : null;
}

/** A version's row as it is read. */
export interface VersionRow {
  readonly fact: Uuid;
  readonly slot_id: Uuid;
  readonly arity: Arity;
  readonly value: string;
  readonly value_key: string;
  readonly valid_from: Date;
  readonly valid_to: Date | null;
  readonly closed_by: Uuid | null;
  readonly recorded_from: Date;
  readonly recorded_to: Date | null;
  readonly cause: Cause;
  readonly caused_by: Uuid | null;
  readonly end_cause: Cause | null;
  readonly ended_by: Uuid | null;
}

/** The columns of a {@link VersionRow} under a table's name. */
export function versionColumns(table: string): string {
  return VERSION_COLUMNS.map((column) => `${table}.${column}`).join(', ');
}

const VERSION_COLUMNS = [
  'fact',
  'slot_id',
  'arity',
  'value',
  'value_key',
  'valid_from',
  'valid_to',
  'closed_by',
  'recorded_from',
  'recorded_to',
  'cause',
  'caused_by',
  'end_cause',
  'ended_by',
] as const satisfies readonly (keyof VersionRow)[];

/** A row as a version. */
export function versionOf(row: VersionRow): FactVersion {
  return {
    fact: row.fact,
    arity: row.arity,
    value: { text: row.value, key: row.value_key },
    validFrom: row.valid_from.getTime() as Millis,
    validTo: (row.valid_to?.getTime() ?? null) as Millis | null,
    closedBy: row.closed_by,
    recordedFrom: row.recorded_from.getTime() as Millis,
    recordedTo: (row.recorded_to?.getTime() ?? null) as Millis | null,
    cause: row.cause,
    causedBy: row.caused_by,
    endCause: row.end_cause,
    endedBy: row.ended_by,
  };
}

/** Versions of some slots that are held for true, by slot. */
export async function readCurrent(
  from: Queryable,
  accountId: Uuid,
  slots: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, readonly FactVersion[]>> {
  const { rows } = await from.query<VersionRow>(
    `SELECT ${versionColumns('v')} FROM fact_version v
     WHERE v.account_id = $1 AND v.slot_id = ANY($2::uuid[]) AND v.recorded_to IS NULL`,
    [accountId, slots],
  );
  return grouped(rows);
}

function grouped(rows: readonly VersionRow[]): ReadonlyMap<Uuid, readonly FactVersion[]> {
  const bySlot = new Map<Uuid, FactVersion[]>();
  for (const row of rows) {
    const versions = bySlot.get(row.slot_id);
    if (versions === undefined) bySlot.set(row.slot_id, [versionOf(row)]);
    else versions.push(versionOf(row));
  }
  return bySlot;
}

/** Ends versions in recorded time. Comes before those that take their place are written. */
export async function closeVersions(
  connection: Queryable,
  accountId: Uuid,
  closed: readonly FactVersion[],
): Promise<void> {
  if (closed.length === 0) return;
  await connection.query(
    `UPDATE fact_version v SET recorded_to = g.at, end_cause = g.cause, ended_by = g.by
     FROM unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::text[], $6::uuid[])
       AS g(fact, recorded_from, at, cause, by)
     WHERE v.account_id = $1 AND v.fact = g.fact AND v.recorded_from = g.recorded_from`,
    [
      accountId,
      closed.map((version) => version.fact),
      closed.map((version) => new Date(version.recordedFrom)),
      closed.map((version) => (version.recordedTo === null ? null : new Date(version.recordedTo))),
      closed.map((version) => version.endCause),
      closed.map((version) => version.endedBy),
    ],
  );
}

/** A version with the slot that it is of, and the words that it is found by. */
export interface SlotVersion {
  readonly slot: Uuid;
  readonly version: FactVersion;
  readonly words: readonly string[];
}

/** Writes versions that begin to be held for true. */
export async function insertVersions(
  connection: Queryable,
  accountId: Uuid,
  opened: readonly SlotVersion[],
): Promise<void> {
  if (opened.length === 0) return;
  const column = <T>(pick: (version: FactVersion) => T) => opened.map(({ version }) => pick(version));
  await connection.query(INSERT_VERSIONS, [
    accountId,
    opened.map(({ slot }) => slot),
    column((version) => version.fact),
    column((version) => new Date(version.recordedFrom)),
    column((version) => version.arity),
    column((version) => version.value.text),
    column((version) => version.value.key),
    column((version) => createHash('sha256').update(version.value.key).digest().subarray(0, 16)),
    column((version) => new Date(version.validFrom)),
    column((version) => (version.validTo === null ? null : new Date(version.validTo))),
    column((version) => version.closedBy),
    column((version) => version.cause),
    column((version) => version.causedBy),
    opened.map(({ words }) => words.join(' ')),
  ]);
}

const INSERT_VERSIONS = `
INSERT INTO fact_version (account_id, slot_id, fact, recorded_from, arity, value, value_key, value_hash, valid_from,
  valid_to, closed_by, cause, caused_by, words)
SELECT $1, g.slot_id, g.fact, g.recorded_from, g.arity, g.value, g.value_key, g.value_hash, g.valid_from, g.valid_to,
  g.closed_by, g.cause, g.caused_by, string_to_array(g.words, ' ')
FROM unnest($2::uuid[], $3::uuid[], $4::timestamptz[], $5::text[], $6::text[], $7::text[], $8::bytea[],
  $9::timestamptz[], $10::timestamptz[], $11::uuid[], $12::text[], $13::uuid[], $14::text[])
  AS g(slot_id, fact, recorded_from, arity, value, value_key, value_hash, valid_from, valid_to, closed_by, cause,
    caused_by, words)`;
