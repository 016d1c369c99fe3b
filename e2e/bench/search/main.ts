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
import { fill } from './corpus.ts';
import { Stopwatch } from './running.ts';
import { filledBatches, indexInBulk } from './testing-index.ts';
import { saidTwice } from './testing-twice.ts';
import { type Figures, type Measured, measureSearch } from './timing.ts';

/**
 * Measures the search on the embedded database: `npm run bench:search -- 10000 100000`. For each number of chunks: how
 * fast they are indexed, the times of the queries, of the same with a filter, and of reading a document. `--home FOLDER`
 * keeps the database there: sizes that it holds are not indexed again, so that one index serves many measurements.
 * `--bulk` writes the index's rows at once in place of growing it: the same rows, sooner, and no rate. `--twice` beside it
 * builds a half, and writes everything in it a second time.
 */
const { values: options, positionals } = parseArgs({
  options: {
    home: { type: 'string' },
    bulk: { type: 'boolean', default: false },
    twice: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const sizes = positionals.map(Number).filter((size) => size > 0);
const SIZES = sizes.length > 0 ? sizes : [10_000, 100_000];

interface Row extends Measured {
  readonly chunks: number;
  /** How it was built; null where the database held it already, or it was built in bulk. */
  readonly built: {
    readonly megabytes: number;
    readonly chunksPerSecond: number;
    /** For each second that the processes ran. */
    readonly chunksPerSecondRan: number | null;
  } | null;
  readonly indexMegabytes: number;
}

const home =
  options.home === undefined
    ? await mkdtemp(join(tmpdir(), 'context-mode-search-bench-'))
    : resolve(options.home);
await mkdir(home, { recursive: true });
const log = createLogger('error', 'bench');
const database = await openDatabase({ home, databaseUrl: undefined, log });
const watch = new Stopwatch(database.pool);
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
  const reader = createArchiveReader(pool, { clock: systemClock });
  const measured = await measureSearch({ pool, accountId, reader, watch });
  const { rows: size } = await pool.query<{ mb: number }>(
    `SELECT (pg_total_relation_size('posting') + pg_total_relation_size('chunk')) / 1e6 AS mb`,
  );
  return {
    chunks: await chunksOf(pool, accountId),
    built,
    ...measured,
    indexMegabytes: Number(size[0]?.mb ?? 0),
  };
}

/** Fills an account and indexes it; only what is left of that where the database holds it. */
async function build(pool: pg.Pool, accountId: Uuid, chunks: number): Promise<Row['built']> {
  const { rows } = await pool.query('SELECT 1 FROM item WHERE account_id = $1 LIMIT 1', [accountId]);
  const isNew = rows.length === 0;
  if (isNew && options.bulk) {
    const filled = options.twice ? chunks / 2 : chunks;
    await indexInBulk(pool, accountId, filledBatches(pool, accountId, filled, chunks), progress());
    if (options.twice) await saidTwice(pool, accountId);
    await pool.query('VACUUM ANALYZE');
    return null;
  }
  const megabytes = isNew ? (await fill(pool, accountId, chunks, chunks)) / 1e6 : 0;
  // Until the server has counted the account's rows, it takes it for empty.
  if (isNew) await pool.query('ANALYZE');
  const writer = createArchiveWriter(pool, { clock: systemClock, installationKey });
  const tell = progress();
  const { waitedMs, ranMs } = await watch.time(async () => {
    for (let done = 0, more = true; more; tell(done)) {
      const step = await writer.index(accountId);
      done += step.indexed;
      more = step.more;
    }
  });
  if (!isNew) return null;
  await pool.query('VACUUM ANALYZE');
  return {
    megabytes,
    chunksPerSecond: (1000 * chunks) / waitedMs,
    chunksPerSecondRan: ranMs === null ? null : (1000 * chunks) / ranMs,
  };
}

/** Tells how many items are indexed after each 50,000. */
function progress(): (done: number) => void {
  const began = performance.now();
  let last = 0;
  return (done) => {
    if (done - last < 50_000) return;
    last = done;
    const seconds = Math.round((performance.now() - began) / 1000);
    process.stderr.write(`${done} items indexed after ${seconds} s\n`);
  };
}

async function chunksOf(pool: pg.Pool, accountId: Uuid): Promise<number> {
  const { rows } = await pool.query<{ chunks: number }>(
    'SELECT chunks FROM search_state WHERE account_id = $1',
    [accountId],
  );
  return rows[0]?.chunks ?? 0;
}

/** How a time grows with the number of chunks: the exponent of `time = c * chunks ^ exponent` between two sizes. */
function exponent(from: Row, to: Row, time: (figures: Figures) => number | null): string {
  const [one, other] = [time(from.published), time(to.published)];
  if (one === null || other === null) return '–';
  return (Math.log(other / one) / Math.log(to.chunks / from.chunks)).toFixed(2);
}

/** A number that was measured; a dash where it was not. */
function shown(value: number | null | undefined, digits: number): string {
  return value === null || value === undefined ? '–' : value.toFixed(digits);
}

function lineOf({ chunks }: Row, figures: Figures): string {
  const { form, times, p50Ms, p99Ms, leastMs, ranP50Ms, ranP99Ms } = figures;
  const numbers = [p50Ms, p99Ms, leastMs, ranP50Ms, ranP99Ms].map((one) => shown(one, 1));
  return `| ${[chunks, form, times, ...numbers].join(' | ')} |`;
}

function textOf(at: string, rows: readonly Row[], inserted: Awaited<ReturnType<typeof insertRate>> | null) {
  const [first] = rows;
  const last = rows.at(-1);
  return [
    `# Search on the embedded database, ${at}`,
    '',
    `Node ${process.version}, ${cpus().length} cores, load average ${loadavg()[0]?.toFixed(1)} at the end. One query at a time, 20 hits each. "Ran" is how long this process and the server's ran for a query, waits for a processor left out.`,
    '',
    '| chunks | text MB | index MB (all sizes so far) | indexed chunks/s | of running time |',
    '| --- | --- | --- | --- | --- |',
    ...rows.map(
      ({ chunks, built, indexMegabytes }) =>
        `| ${chunks} | ${shown(built?.megabytes, 0)} | ${indexMegabytes.toFixed(0)} | ${shown(built?.chunksPerSecond, 0)} | ${shown(built?.chunksPerSecondRan, 0)} |`,
    ),
    '',
    '| chunks | what | times | p50 ms | p99 | least | ran p50 | ran p99 |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows.flatMap((row) =>
      [{ ...row.published, form: '**published set**' }, ...row.forms, ...row.beside, row.reads].map(
        (figures) => lineOf(row, figures),
      ),
    ),
    '',
    first && last && first !== last
      ? `The published set's p50 grows with chunks to the power of ${exponent(first, last, ({ p50Ms }) => p50Ms)}, of running time ${exponent(first, last, ({ ranP50Ms }) => ranP50Ms)}.`
      : '',
    inserted === null
      ? ''
      : `Through the archive's writer, index included: ${inserted.items.toFixed(0)} items/s, ${inserted.megabytes.toFixed(1)} MB/s.`,
    '',
  ].join('\n');
}

async function report(
  rows: readonly Row[],
  inserted: Awaited<ReturnType<typeof insertRate>> | null,
): Promise<void> {
  const at = new Date().toISOString();
  const text = textOf(at, rows, inserted);
  const folder = join(import.meta.dirname, 'reports');
  await mkdir(folder, { recursive: true });
  const name = `search-${at.replace(/[:.]/g, '-')}`;
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify({ at, rows, inserted }, null, 2)}\n`);
  await writeFile(join(folder, `${name}.md`), text);
  process.stdout.write(`${text}\n`);
}
