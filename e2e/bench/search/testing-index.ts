import type pg from 'pg';
import {
  POSTING_BYTES,
  POSTING_NUMBERS,
  type PostingsBuilder,
  rowsOf,
} from '../../../server/archive/search/postings.ts';
import { WORDS_VERSION } from '../../../server/archive/search/words.ts';
import { type OpenItem, splitItems, writeChunks } from '../../../server/archive/store/search-index.ts';
import {
  fullLevel,
  LEVELS,
  levelOfBatch,
  levelOfJoined,
} from '../../../server/archive/store/search-levels.ts';
import type { Uuid } from '../../../server/kernel/ids.ts';
import { type FilledItem, filling } from './corpus.ts';

/**
 * The index of an account that has none yet, with its levels kept in memory: a row is written once, when it is joined no
 * more. The rows are those that the product writes, batch by batch, after it has joined what there is to join.
 */

/** Postings of a term out of one batch, or of several that were joined. */
interface Row {
  readonly term: string;
  readonly batch: number;
  /** As the builder of postings keeps them. */
  readonly list: readonly number[];
  /** Whether it is kept what stands beside the term. */
  readonly tells: boolean;
}

/** Rows that are written at once, and postings. */
const ROWS = 20_000;
const POSTINGS = 500_000;

/**
 * Indexes batches of items, oldest first. Calls and results must not be apart in two batches.
 * @param done told how many items are indexed
 */
export async function indexInBulk(
  pool: pg.Pool,
  accountId: Uuid,
  batches: AsyncIterable<readonly OpenItem[]>,
  done: (items: number) => void = () => {},
): Promise<void> {
  const levels = new Levels();
  const writer = new RowWriter(pool, accountId);
  let written: Promise<unknown> = Promise.resolve();
  const state = { nextDoc: 0, chunks: 0, words: 0, items: 0, batch: 0 };
  for await (const items of batches) {
    const { builder, chunks, nextDoc } = await splitItems(items, new Map(), state.nextDoc);
    state.nextDoc = nextDoc;
    state.chunks += chunks.length;
    state.words += chunks.reduce((sum, chunk) => sum + chunk.words, 0);
    state.items += items.length;
    await written;
    written = writeChunks(pool, accountId, chunks);
    // A failure is thrown where the next batch, or the end, waits for this one.
    written.catch(() => {});
    levels.add(levelOfBatch(chunks.length), state.batch, builder);
    for (const sealed of levels.join()) await writer.write(LAST, sealed);
    state.batch += 1;
    done(state.items);
  }
  await written;
  for (const level of LEVELS) for (const row of levels.rowsOf(level)) await writer.write(level, row);
  await writer.end();
  await pool.query(
    `INSERT INTO search_state (account_id, version, next_doc, next_batch, chunks, words, levels)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [accountId, WORDS_VERSION, state.nextDoc, state.batch, state.chunks, state.words, levels.counts],
  );
  await pool.query('DELETE FROM unindexed_item WHERE account_id = $1', [accountId]);
}

/** The level of rows that are joined no more. */
const LAST = LEVELS.at(-1) ?? 0;

/** What the product takes for one batch at most. */
const BATCH_ITEMS = 1_000;
const BATCH_BYTES = 2_000_000;

/** Fills an account and answers what it wrote in the batches that the product would make of it. */
export async function* filledBatches(
  ...given: Parameters<typeof filling>
): AsyncGenerator<readonly OpenItem[]> {
  for await (const items of ahead(filling(...given))) {
    let open: FilledItem[] = [];
    let bytes = 0;
    for (const item of items) {
      open.push(item);
      bytes += item.bytes;
      if (open.length < BATCH_ITEMS && bytes < BATCH_BYTES) continue;
      yield open.map(openItem);
      open = [];
      bytes = 0;
    }
    if (open.length > 0) yield open.map(openItem);
  }
}

/** The same things, the next one made while one is used. */
async function* ahead<Thing>(things: AsyncIterable<Thing>): AsyncGenerator<Thing> {
  const source = things[Symbol.asyncIterator]();
  const start = () => {
    const next = source.next();
    // A failure is thrown where it is waited for.
    next.catch(() => {});
    return next;
  };
  for (let next = start(); ; ) {
    const { done, value } = await next;
    if (done) return;
    next = start();
    yield value;
  }
}

function openItem({ hash, kind, text }: FilledItem): OpenItem {
  return { message_hash: hash, position: 0, kind, text, call_message: null, call_position: null };
}

/** Rows by level and term, joined as the product joins them. */
class Levels {
  readonly #rows = LEVELS.map(() => new Map<string, Row[]>());
  readonly #batches = LEVELS.map(() => 0);

  get counts(): readonly number[] {
    return this.#batches;
  }

  add(level: number, batch: number, builder: PostingsBuilder): void {
    for (const [term, list] of builder.lists) {
      const tells = builder.tells(list);
      this.#push(level, { term, batch, list: tells ? list : untold(list), tells });
    }
    this.#count(level);
  }

  /** Joins levels that are full. Answers the rows that are joined no more, by term. */
  *join(): Generator<Row> {
    for (let level = fullLevel(this.#batches); level !== null; level = fullLevel(this.#batches)) {
      const rows = this.#rows[level] ?? new Map<string, Row[]>();
      this.#rows[level] = new Map();
      for (const term of [...rows.keys()].sort()) {
        const some = rows.get(term) ?? [];
        const row = joined(term, some);
        const next = levelOfJoined(level, some.length, (row.list.length / POSTING_NUMBERS) * POSTING_BYTES);
        if (next === LAST) yield row;
        else this.#push(next, row);
      }
      this.#batches[level] = 0;
      this.#count(level + 1);
    }
  }

  *rowsOf(level: number): Generator<Row> {
    for (const rows of this.#rows[level]?.values() ?? []) yield* rows;
  }

  #push(level: number, row: Row): void {
    const rows = this.#rows[level] ?? new Map<string, Row[]>();
    const some = rows.get(row.term);
    if (some) some.push(row);
    else rows.set(row.term, [row]);
  }

  #count(level: number): void {
    this.#batches[level] = (this.#batches[level] ?? 0) + 1;
  }
}

function joined(term: string, rows: readonly Row[]): Row {
  const batch = Math.max(...rows.map((row) => row.batch));
  const list = rows.length === 1 ? (rows[0]?.list ?? []) : rows.flatMap((row) => row.list);
  return { term, batch, list, tells: rows.some((row) => row.tells) };
}

/** Postings beside which anything may stand. */
function untold(list: readonly number[]): readonly number[] {
  return list.map((number, at) => (at % POSTING_NUMBERS === POSTING_NUMBERS - 1 ? -1 : number));
}

/** Writes rows, many at once, while the next are made. */
class RowWriter {
  readonly #pool: pg.Pool;
  readonly #accountId: Uuid;
  #open: { readonly level: number; readonly row: Row }[] = [];
  #postings = 0;
  #written: Promise<unknown> = Promise.resolve();

  constructor(pool: pg.Pool, accountId: Uuid) {
    this.#pool = pool;
    this.#accountId = accountId;
  }

  async write(level: number, row: Row): Promise<void> {
    this.#open.push({ level, row });
    this.#postings += row.list.length / POSTING_NUMBERS;
    if (this.#open.length >= ROWS || this.#postings >= POSTINGS) await this.#flush();
  }

  async end(): Promise<void> {
    await this.#flush();
    await this.#written;
  }

  async #flush(): Promise<void> {
    const [open, postings] = [this.#open, this.#postings];
    if (open.length === 0) return;
    this.#open = [];
    this.#postings = 0;
    const told = new Set(open.flatMap(({ row }) => (row.tells ? [row.list] : [])));
    const rows = rowsOf(
      open.map(({ row }) => [row.term, row.list]),
      postings,
      (list) => told.has(list),
    );
    await this.#written;
    this.#written = this.#pool.query(INSERT, [
      this.#accountId,
      open.map(({ level }) => level),
      rows.terms,
      open.map(({ row }) => row.batch),
      rows.lows,
      rows.highs,
      rows.froms,
      rows.sizes,
      Buffer.from(rows.bytes.buffer, rows.bytes.byteOffset, rows.bytes.byteLength),
      Buffer.from(rows.neighbours.buffer, rows.neighbours.byteOffset, rows.neighbours.byteLength),
      rows.tells,
    ]);
    // A failure is thrown where the next rows, or the end, wait for these.
    this.#written.catch(() => {});
  }
}

const INSERT = `
INSERT INTO posting (account_id, level, term, batch, low, high, data, neighbours)
SELECT $1, g.level, g.term, g.batch, g.low, g.high, substring($9::bytea FROM g.at + 1 FOR g.size),
  CASE WHEN g.tells THEN substring($10::bytea FROM g.at / 2 + 1 FOR g.size / 2) END
FROM unnest($2::smallint[], $3::text[], $4::int[], $5::int[], $6::int[], $7::int[], $8::int[], $11::bool[])
  AS g(level, term, batch, low, high, at, size, tells)`;
