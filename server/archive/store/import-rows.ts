import type { AgentName, ItemKind, Role } from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { codeOf, type Queryable } from './connection.ts';
import { importFault } from './import-fault.ts';

/** A row of an export, and the line that it stands in. Bytes are hex, as the export writes hashes. */
export interface ImportRow {
  readonly line: number;
  readonly row: Readonly<Record<string, unknown>>;
}

/** Tables that an import writes. Those that others refer to stand before them: rows are written in this order. */
export const IMPORT_TABLES = [
  ...(['project', 'project_identity', 'worktree', 'session', 'thread', 'blob', 'message', 'item'] as const),
  ...(['media', 'message_alias', 'event', 'file_touch', 'preamble', 'request', 'answer'] as const),
] as const;

/** The name of a table that an import writes. */
export type ImportTable = (typeof IMPORT_TABLES)[number];

/** Columns of the tables by name, with their types. */
export type ImportColumns = ReadonlyMap<ImportTable, ReadonlyMap<string, string>>;

/** Reads which columns the tables have, so that an export of another version is taken as far as the columns are the same. */
export async function readColumns(connection: Queryable): Promise<ImportColumns> {
  const { rows } = await connection.query<{ table: ImportTable; column: string; type: string }>(
    `SELECT c.relname AS table, a.attname AS column, format_type(a.atttypid, NULL) AS type
     FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
     WHERE c.oid = ANY($1::regclass[]) AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> 'account_id'`,
    [`{${IMPORT_TABLES.join(',')}}`],
  );
  const columns = new Map<ImportTable, Map<string, string>>();
  for (const { table, column, type } of rows) {
    const known = columns.get(table) ?? new Map<string, string>();
    columns.set(table, known.set(column, type));
  }
  return columns;
}

/**
 * Writes rows of one table as far as they are not there yet, and answers how many it wrote.
 * @throws ContextModeError `bad_request` that names the line of a row which the table does not take
 */
export async function insertRows(
  connection: Queryable,
  columns: ImportColumns,
  accountId: Uuid,
  table: ImportTable,
  rows: readonly ImportRow[],
): Promise<number> {
  const known = columns.get(table) ?? new Map<string, string>();
  let written = 0;
  for (const [names, group] of bySameColumns(rows, known)) {
    for (const one of group) checkRow(columns, table, one);
    const statement = insertion(table, names);
    const values = group.map(({ row }) => encoded(row, names, known));
    await connection.query('SAVEPOINT rows');
    try {
      const { rowCount } = await connection.query(statement, [accountId, JSON.stringify(values)]);
      written += rowCount ?? 0;
    } catch (thrown) {
      if (!isFaultOfData(thrown)) throw thrown;
      await connection.query('ROLLBACK TO SAVEPOINT rows');
      await nameTheLine(connection, statement, accountId, group, values);
      throw thrown;
    }
    await connection.query('RELEASE SAVEPOINT rows');
  }
  return written;
}

/** Words that alone may stand in a column: whoever reads rows counts on them. */
const WORDS: { readonly [table in ImportTable]?: Readonly<Record<string, readonly string[]>> } = {
  session: { agent: ['claude-code', 'codex', 'opencode', 'pi', 'unknown'] satisfies readonly AgentName[] },
  message: {
    role: ['user', 'assistant', 'system', 'developer', 'tool', 'unknown'] satisfies readonly Role[],
  },
  item: {
    kind: [
      ...(['input', 'injected', 'system', 'answer', 'reasoning', 'tool_call', 'tool_result'] as const),
      ...(['image', 'file', 'compaction', 'unknown'] as const),
    ] satisfies readonly ItemKind[],
  },
};
/** The last moment that is written with a year of four digits. */
const LAST_MOMENT = Date.UTC(9999, 11, 31);

/**
 * What the database would take and no reader could: a time without end or beyond all calendars, a number without end,
 * a word that no reader knows. One such row would be in the way of every list that it stands in.
 * @throws ContextModeError `bad_request` that names the line and the column
 */
export function checkRow(columns: ImportColumns, table: ImportTable, { line, row }: ImportRow): void {
  for (const [column, type] of columns.get(table) ?? []) {
    const value = row[column];
    if (value === undefined || value === null) continue;
    const words = WORDS[table]?.[column];
    const fits = words?.includes(String(value)) ?? isOfType(type, value);
    if (!fits) throw importFault(line, `holds a row whose "${column}" no export has`);
  }
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'text') return typeof value === 'string' && !value.includes('\0');
  if (type.startsWith('timestamp')) return isMoment(value);
  return !/^(?:integer|bigint|double precision)$/.test(type) || isNumber(value);
}

function isMoment(value: unknown): boolean {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return at >= 0 && at <= LAST_MOMENT;
}

function isNumber(value: unknown): boolean {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Math.abs(number) <= Number.MAX_SAFE_INTEGER;
}

function insertion(table: ImportTable, names: readonly string[]): string {
  const list = names.map((name) => `"${name}"`).join(', ');
  return `INSERT INTO "${table}" (account_id, ${list})
    SELECT $1, ${list} FROM json_populate_recordset(NULL::"${table}", $2::json) ON CONFLICT DO NOTHING`;
}

/** Rows with the same columns go together: a column that an export does not know takes its own default. */
function bySameColumns(
  rows: readonly ImportRow[],
  known: ReadonlyMap<string, string>,
): ReadonlyMap<readonly string[], readonly ImportRow[]> {
  const groups = new Map<string, { readonly names: readonly string[]; readonly rows: ImportRow[] }>();
  for (const one of rows) {
    const names = Object.keys(one.row).filter((name) => known.has(name) && one.row[name] !== undefined);
    const group = groups.get(names.join()) ?? { names, rows: [] };
    group.rows.push(one);
    groups.set(names.join(), group);
  }
  return new Map([...groups.values()].map((group) => [group.names, group.rows]));
}

function encoded(
  row: ImportRow['row'],
  names: readonly string[],
  known: ReadonlyMap<string, string>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    names.map((name) => {
      const value = row[name];
      const type = known.get(name);
      if (type === 'bytea') return [name, bytesLiteral(value)];
      if (type === 'bytea[]' && Array.isArray(value)) return [name, value.map(bytesLiteral)];
      return [name, value];
    }),
  );
}

/** Anything but hex is left to the database to refuse: its own form of other texts would be taken for bytes. */
function bytesLiteral(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? `\\x${value}` : '\\x?';
}

async function nameTheLine(
  connection: Queryable,
  statement: string,
  accountId: Uuid,
  group: readonly ImportRow[],
  values: readonly unknown[],
): Promise<void> {
  for (const [at, one] of group.entries()) {
    try {
      await connection.query(statement, [accountId, JSON.stringify([values[at]])]);
    } catch (thrown) {
      if (!isFaultOfData(thrown)) throw thrown;
      throw importFault(one.line, 'holds a row that the archive cannot take', thrown);
    }
  }
}

/**
 * PostgreSQL's classes of faults that lie in the values: data exceptions, broken rules, what is larger than an index takes,
 * and values of another type.
 */
function isFaultOfData(thrown: unknown): boolean {
  return /^(?:22|23|54|42804|42846)/.test(codeOf(thrown));
}
