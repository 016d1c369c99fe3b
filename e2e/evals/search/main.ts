import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, openDatabase, openPool } from '../../../server/db/index.ts';
import { createLogger } from '../../../server/kernel/log.ts';
import { archive } from './archived.ts';
import { askPostgres, askProduct, judge, type Rates, type Verdict } from './judge.ts';
import { collectionOf } from './sessions.ts';
import { HELD_OUT, SIZE, TUNING } from './sets.ts';

/** Runs the published question set on a scratch database and writes a dated report. `--misses` prints what was not found. */
const home = await mkdtemp(join(tmpdir(), 'context-mode-eval-'));
const log = createLogger('error', 'eval');
const database = await openDatabase({ home, databaseUrl: undefined, log });
try {
  await migrate({ settings: database.settings, log });
  const parts: Record<string, { readonly product: Verdict; readonly postgres: Verdict }> = {};
  for (const [name, seed] of Object.entries({ tuning: TUNING, 'held out': HELD_OUT })) {
    const collection = collectionOf(seed, SIZE);
    const archived = await archive(database.pool, name, collection);
    const product = await judge(collection.questions, archived.evidence, askProduct(archived));
    // A temporary table lives on one connection.
    const single = openPool(database.settings, log, { max: 1 });
    const plain = await askPostgres(single, archived.accountId);
    const postgres = await judge(collection.questions, archived.evidence, plain);
    await single.end();
    parts[name] = { product, postgres };
    if (process.argv.includes('--misses')) {
      for (const { q, kind } of product.missed) process.stdout.write(`${name} ${kind}: ${q}\n`);
    }
  }
  await report(parts);
} finally {
  await database.stop();
  await rm(home, { recursive: true, force: true });
}

async function report(
  parts: Readonly<Record<string, { readonly product: Verdict; readonly postgres: Verdict }>>,
): Promise<void> {
  const at = new Date().toISOString();
  const percent = (share: number) => `${(100 * share).toFixed(1)}%`;
  const line = (part: string, kind: string, ours: Rates, theirs: Rates | undefined) =>
    `| ${part} | ${kind} | ${ours.questions} | ${percent(ours.first1)} | ${percent(ours.first5)} | ${percent(ours.first10)} | ${percent(theirs?.first1 ?? 0)} | ${percent(theirs?.first5 ?? 0)} | ${percent(theirs?.first10 ?? 0)} |`;
  const lines = Object.entries(parts).flatMap(([part, { product, postgres }]) => [
    line(part, '**all**', product.all, postgres.all),
    ...Object.entries(product.classes).map(([kind, rates]) =>
      line(part, kind, rates, postgres.classes[kind as keyof typeof postgres.classes]),
    ),
  ]);
  const text = [
    `# Search: evidence among the first hits, ${at}`,
    '',
    'Generated sessions and questions (rules.md). Beside the product: PostgreSQL `english`, any word, `ts_rank`, same items.',
    '',
    '| part | class | questions | first 1 | first 5 | first 10 | ts_rank first 1 | first 5 | first 10 |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...lines,
    '',
  ].join('\n');
  const folder = join(import.meta.dirname, 'reports');
  await mkdir(folder, { recursive: true });
  const name = `search-${at.replace(/[:.]/g, '-')}`;
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify({ at, size: SIZE, parts }, null, 2)}\n`);
  await writeFile(join(folder, `${name}.md`), text);
  process.stdout.write(`${text}\n`);
}
