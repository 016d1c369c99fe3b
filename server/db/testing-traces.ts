import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';

/**
 * Looks for traces of words: in every column of every table, whichever tables there are, in the planner's samples, and
 * in every file of a folder.
 */
const LETTERS = 'bcdfghjklmnprstvwz';
const LENGTH = 14;
/** Letters at each end of a word that are left out when it is looked for: stemming and cutting take letters off an end. */
const MARGIN = 2;

/** A word of small consonants, which no mask takes for a secret. */
function plainWord(): string {
  return [...randomBytes(LENGTH)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
}

/** Words that stand nowhere else, by what they stand for. */
export class Canaries {
  readonly #words = new Map<string, string>();
  readonly #make: () => string;

  /** @param make a new word; of consonants unless said otherwise */
  constructor(make: () => string = plainWord) {
    this.#make = make;
  }

  /** The word for that place: the same each time. */
  at(place: string): string {
    const word = this.#words.get(place) ?? this.#make();
    this.#words.set(place, word);
    return word;
  }

  /** All places that have a word. */
  places(): readonly string[] {
    return [...this.#words.keys()].sort();
  }

  /** The places whose word stands in one of these pieces: as it is, in capitals, in hex digits or in base64. */
  foundIn(pieces: readonly Buffer[]): readonly string[] {
    const left = new Map(this.#words);
    for (const piece of pieces) {
      const small = Buffer.from(piece.toString('latin1').toLowerCase(), 'latin1');
      for (const [place, word] of left) if (holds(piece, small, word)) left.delete(place);
    }
    return this.places().filter((place) => !left.has(place));
  }
}

function holds(piece: Buffer, small: Buffer, whole: string): boolean {
  const word = whole.slice(MARGIN, -MARGIN);
  const plain = Buffer.from(word);
  if (small.includes(word.toLowerCase()) || small.includes(plain.toString('hex'))) return true;
  // Whatever stood before the word, one of these three cuts is written by whole groups of three letters.
  return [0, 1, 2].some((shift) => {
    const cut = plain.subarray(shift);
    return piece.includes(cut.subarray(0, cut.length - (cut.length % 3)).toString('base64'));
  });
}

/** Every value of every table of the schema, as bytes. */
export async function everyValue(pool: Pick<pg.Pool, 'query'>): Promise<readonly Buffer[]> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
  );
  const pieces: Buffer[] = [];
  for (const { name } of tables) pieces.push(...(await valuesOf(pool, name)));
  return pieces;
}

/** The planner's samples of columns, which are made anew when a table is analysed. */
export function everySample(pool: Pick<pg.Pool, 'query'>): Promise<readonly Buffer[]> {
  return valuesOf(pool, 'pg_catalog.pg_stats');
}

async function valuesOf(pool: Pick<pg.Pool, 'query'>, table: string): Promise<readonly Buffer[]> {
  const { rows } = await pool.query<Record<string, unknown>>(`SELECT * FROM ${table}`);
  return rows.flatMap((row) => Object.values(row).flatMap(bytesOf));
}

/** Binary values stand as they are; what is made of other values is written as JSON. */
function bytesOf(value: unknown): readonly Buffer[] {
  if (value === null || value === undefined) return [];
  if (Buffer.isBuffer(value)) return [value];
  if (Array.isArray(value)) return value.flatMap(bytesOf);
  return [Buffer.from(typeof value === 'object' ? JSON.stringify(value) : String(value))];
}

/** The bytes of every file below a folder. Files that go meanwhile are passed over. */
export async function everyFile(folder: string): Promise<readonly Buffer[]> {
  const pieces: Buffer[] = [];
  for (const name of await readdir(folder, { recursive: true }).catch(() => [])) {
    const file = join(folder, name);
    const isFile = await stat(file).then(
      (found) => found.isFile(),
      () => false,
    );
    if (isFile) pieces.push(await readFile(file).catch(() => Buffer.alloc(0)));
  }
  return pieces;
}

/** The files of the database (tables, indexes) and of the server's write-ahead log, by the server's own word for it. */
export async function databaseFiles(
  pool: Pick<pg.Pool, 'query'>,
): Promise<{ readonly tables: readonly Buffer[]; readonly log: readonly Buffer[] }> {
  const { rows } = await pool.query<{ folder: string; oid: string }>(
    `SELECT current_setting('data_directory') AS folder, oid::text FROM pg_database WHERE datname = current_database()`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the database does not know itself');
  return {
    tables: await everyFile(join(row.folder, 'base', row.oid)),
    log: await everyFile(join(row.folder, 'pg_wal')),
  };
}
