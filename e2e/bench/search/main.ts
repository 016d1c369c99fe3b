import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { createArchiveReader, createArchiveWriter, ensureAccount } from '../../../server/archive/index.ts';
import { migrate, openDatabase } from '../../../server/db/index.ts';
import { systemClock } from '../../../server/kernel/clock.ts';
import type { Uuid } from '../../../server/kernel/ids.ts';
import type { InstallationKey } from '../../../server/kernel/installation-key.ts';
import { createLogger } from '../../../server/kernel/log.ts';
import { systemRandom } from '../../../server/kernel/random.ts';
import { archive } from '../../evals/search/archived.ts';
import { collectionOf } from '../../evals/search/sessions.ts';
import { percentile } from '../measure.ts';
import { fill, queriesOf } from './corpus.ts';

/**
 * Measures the search on the embedded database: `npm run bench:search -- 10000 100000`. For each number of chunks: how
 * fast they are indexed, the times of the queries, of the same with a filter, and of reading a document. `--home FOLDER`
 * keeps the database there: sizes that it holds are not indexed again, so that one index serves many measurements.
 */
const { values: options, positionals } = parseArgs({
  options: { home: { type: 'string' } },
  allowPositionals: true,
});
const sizes = positionals.map(Number).filter((size) => size > 0);
const SIZES = sizes.length > 0 ? sizes : [10_000, 100_000];
const QUERIES = 300;
const WARM_UP = 60;
const READS = 500;

interface Row {
  readonly chunks: number;
  /** How it was built; null where the database held it already. */
  readonly built: {
    readonly megabytes: number;
    readonly chunksPerSecond: number;
    readonly megabytesPerSecond: number;
  } | null;
  readonly queryP50Ms: number;
  readonly queryP99Ms: number;
  readonly filteredP50Ms: number;
  readonly filteredP99Ms: number;
  readonly queryCpuMs: number;
  readonly readP50Ms: number;
  readonly readP99Ms: number;
  readonly indexMegabytes: number;
}

const home =
  options.home === undefined
    ? await mkdtemp(join(tmpdir(), 'context-mode-search-bench-'))
    : resolve(options.home);
await mkdir(home, { recursive: true });
const log = createLogger('error', 'bench');
const database = await openDatabase({ home, databaseUrl: undefined, log });
const installationKey = Buffer.alloc(32, 3) as Uint8Array as InstallationKey;
try {
  await migrate({ settings: database.settings, log });
  const inserted = options.home === undefined ? await insertRate(database.pool) : null;
  const rows: Row[] = [];
  for (const chunks of SIZES) rows.push(await measure(database.pool, chunks));
  await report(rows, inserted);
} finally {
  await database.stop();
  if (options.home === undefined) await rm(home, { recursive: true, force: true });
}

/** Items and megabytes a second through the archive's own writer, the index included. */
async function insertRate(pool: pg.Pool): Promise<{ readonly items: number; readonly megabytes: number }> {
  const collection = collectionOf(1, { sessions: 8, turns: 60, perClass: 2 });
  const began = performance.now();
  await archive(pool, 'insert rate', collection);
  const seconds = (performance.now() - began) / 1000;
  const said = collection.sessions.flat();
  return {
    items: said.length / seconds,
    megabytes: said.reduce((sum, one) => sum + Buffer.byteLength(one.text), 0) / 1e6 / seconds,
  };
}

async function measure(pool: pg.Pool, chunks: number): Promise<Row> {
  const accountId = await ensureAccount(pool, `account of ${chunks}`, {
    clock: systemClock,
    random: systemRandom,
    installationKey,
  });
  const built = await build(pool, accountId, chunks);
  await pool.query('VACUUM ANALYZE');
  const reader = createArchiveReader(pool, { clock: systemClock });
  const search = (q: string, more = {}) => reader.search(accountId, { q, limit: 20, ...more });
  for (const q of queriesOf(1, WARM_UP)) await search(q);
  const cpu = process.cpuUsage();
  const plain = await timesOf(queriesOf(2, QUERIES), (q) => search(q));
  const used = process.cpuUsage(cpu);
  const filtered = await timesOf(queriesOf(3, QUERIES), (q) => search(q, { kinds: ['answer'] }));
  const { rows: docids } = await pool.query<{ docid: string }>(
    'SELECT docid FROM item WHERE account_id = $1 ORDER BY docid LIMIT $2',
    [accountId, READS],
  );
  const read = (docid: string) =>
    reader.readDocument(accountId, `context-mode-msg-${docid}`, { length: 30_000 });
  await timesOf(
    docids.map((row) => row.docid),
    read,
  );
  const reads = await timesOf(
    docids.map((row) => row.docid),
    read,
  );
  const { rows: size } = await pool.query<{ mb: number }>(
    `SELECT (pg_total_relation_size('posting') + pg_total_relation_size('chunk')) / 1e6 AS mb`,
  );
  return {
    chunks: await chunksOf(pool, accountId),
    built,
    queryP50Ms: percentile(plain, 0.5),
    queryP99Ms: percentile(plain, 0.99),
    filteredP50Ms: percentile(filtered, 0.5),
    filteredP99Ms: percentile(filtered, 0.99),
    queryCpuMs: (used.user + used.system) / 1000 / QUERIES,
    readP50Ms: percentile(reads, 0.5),
    readP99Ms: percentile(reads, 0.99),
    indexMegabytes: Number(size[0]?.mb ?? 0),
  };
}

/** Fills an account and indexes it; only what is left of that where the database holds it. */
async function build(pool: pg.Pool, accountId: Uuid, chunks: number): Promise<Row['built']> {
  const { rows } = await pool.query('SELECT 1 FROM item WHERE account_id = $1 LIMIT 1', [accountId]);
  const isNew = rows.length === 0;
  const bytes = isNew ? await fill(pool, accountId, chunks, chunks) : 0;
  const writer = createArchiveWriter(pool, { clock: systemClock, installationKey });
  const began = performance.now();
  for (let done = 0, last = 0; ; ) {
    const { indexed, more } = await writer.index(accountId);
    done += indexed;
    if (!more) break;
    if (done - last >= 50_000) {
      last = done;
      process.stderr.write(
        `${done} items indexed after ${Math.round((performance.now() - began) / 1000)} s\n`,
      );
    }
  }
  const seconds = (performance.now() - began) / 1000;
  if (!isNew) return null;
  const megabytes = bytes / 1e6;
  return { megabytes, chunksPerSecond: chunks / seconds, megabytesPerSecond: megabytes / seconds };
}

async function chunksOf(pool: pg.Pool, accountId: Uuid): Promise<number> {
  const { rows } = await pool.query<{ chunks: number }>(
    'SELECT chunks FROM search_state WHERE account_id = $1',
    [accountId],
  );
  return rows[0]?.chunks ?? 0;
}

async function timesOf(
  things: readonly string[],
  work: (thing: string) => Promise<unknown>,
): Promise<readonly number[]> {
  const times: number[] = [];
  for (const thing of things) {
    const began = performance.now();
    await work(thing);
    times.push(performance.now() - began);
  }
  return times;
}

/** How a time grows with the number of chunks: the exponent of `time = c * chunks ^ exponent` between two sizes. */
function exponent(from: Row, to: Row): number {
  return Math.log(to.queryP50Ms / from.queryP50Ms) / Math.log(to.chunks / from.chunks);
}

/** A number of something that was built now; a dash where it was there. */
function shown(value: number | undefined, digits: number): string {
  return value === undefined ? '–' : value.toFixed(digits);
}

async function report(
  rows: readonly Row[],
  inserted: Awaited<ReturnType<typeof insertRate>> | null,
): Promise<void> {
  const at = new Date().toISOString();
  const [first] = rows;
  const last = rows.at(-1);
  const text = [
    `# Search on the embedded database, ${at}`,
    '',
    `Node ${process.version}, ${cpus().length} cores, load average ${loadavg()[0]?.toFixed(1)} at the end. One query at a time, ${QUERIES} queries, 20 hits each.`,
    '',
    '| chunks | text MB | index MB (all sizes so far) | indexed chunks/s | MB/s | query p50 ms | p99 | with a filter p50 | p99 | own CPU per query ms | document read p50 ms | p99 |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows.map(
      (row) =>
        `| ${row.chunks} | ${shown(row.built?.megabytes, 0)} | ${row.indexMegabytes.toFixed(0)} | ${shown(row.built?.chunksPerSecond, 0)} | ${shown(row.built?.megabytesPerSecond, 1)} | ${row.queryP50Ms.toFixed(1)} | ${row.queryP99Ms.toFixed(1)} | ${row.filteredP50Ms.toFixed(1)} | ${row.filteredP99Ms.toFixed(1)} | ${row.queryCpuMs.toFixed(1)} | ${row.readP50Ms.toFixed(2)} | ${row.readP99Ms.toFixed(2)} |`,
    ),
    '',
    first && last && first !== last
      ? `p50 grows with chunks to the power of ${exponent(first, last).toFixed(2)}.`
      : '',
    inserted === null
      ? ''
      : `Through the archive's writer, index included: ${inserted.items.toFixed(0)} items/s, ${inserted.megabytes.toFixed(1)} MB/s.`,
    '',
  ].join('\n');
  const folder = join(import.meta.dirname, 'reports');
  await mkdir(folder, { recursive: true });
  const name = `search-${at.replace(/[:.]/g, '-')}`;
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify({ at, rows, inserted }, null, 2)}\n`);
  await writeFile(join(folder, `${name}.md`), text);
  process.stdout.write(`${text}\n`);
}
