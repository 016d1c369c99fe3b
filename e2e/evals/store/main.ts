import { withEvalDatabase, writeReport } from '../report.ts';
import { runStore, type StoreVerdict, type Verdict } from './judge.ts';

const FIXED = 4_711;

/** Runs the store eval over one seed that is fixed and five that are made now, and writes a dated report. `--misses` tells more. */
await withEvalDatabase(async (pool) => {
  const now = Date.now() % 1_000_000;
  const seeds = [FIXED, ...Array.from({ length: 5 }, (_, at) => now + at)];
  const runs: { readonly seed: number; readonly verdict: StoreVerdict }[] = [];
  for (const seed of seeds) runs.push({ seed, verdict: await runStore(pool, seed) });
  const cells = ({ blocks, withOld, withNew, tokens }: Verdict) =>
    `${withOld} of ${blocks} | ${withNew} of ${blocks} | ${tokens.toFixed(1)}`;
  await writeReport(import.meta.url, 'store', { runs }, (at) => [
    `# Store: old values in blocks, ${at}`,
    '',
    '24 facts, 38 changes, 24 new conversations a seed (rules.md).',
    '',
    '| seed | with an old value | with the new one | tokens | append-only: with an old value | with the new one | tokens |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...runs.map(
      ({ seed, verdict }) => `| ${seed} | ${cells(verdict.product)} | ${cells(verdict.appendOnly)} |`,
    ),
    '',
    ...(process.argv.includes('--misses')
      ? runs.flatMap(({ verdict }) => [...verdict.stale, ...verdict.missed])
      : []),
  ]);
});
