import { withEvalDatabase, writeReport } from '../report.ts';
import { EvalMemory } from '../store/store.ts';
import { type Relevance, runRelevance } from './judge.ts';

/** Runs the relevance eval over five seeds that are made now and writes a dated report. */
await withEvalDatabase(async (pool) => {
  const first = Date.now() % 1_000_000;
  const runs: { readonly seed: number; readonly product: Relevance; readonly newest: Relevance }[] = [];
  for (let at = 0; at < 5; at += 1)
    runs.push({ seed: first + at, ...(await runRelevance(pool, first + at)) });
  const times = await blockTimes(pool);
  const percent = (share: number) => `${(100 * share).toFixed(1)}%`;
  const line = (name: string, one: Relevance) =>
    `| ${name} | ${one.rows.toFixed(2)} | ${one.tokens.toFixed(1)} | ${percent(one.recall)} | ${percent(one.strict)} | ${percent(one.precision)} | ${percent(one.needless)} |`;
  const worst = runs.toSorted((one, other) => one.product.recall - other.product.recall)[0];
  await writeReport(import.meta.url, 'relevance', { runs, times }, (at) => [
    `# Relevance of blocks, ${at}`,
    '',
    'Forty first prompts a seed, 24 facts (rules.md).',
    '',
    '| run | rows | tokens | labelled facts shown | strict | rows that are labelled | needless blocks |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...runs.flatMap(({ seed, product, newest }) => [
      line(`${seed}`, product),
      line(`${seed}, newest six`, newest),
    ]),
    ...(worst === undefined ? [] : [line(`worst: ${worst.seed}`, worst.product)]),
    '',
    '| facts | block decision p50, ms | p95 |',
    '| --- | --- | --- |',
    ...times.map(({ facts, p50, p95 }) => `| ${facts} | ${p50.toFixed(2)} | ${p95.toFixed(2)} |`),
    '',
  ]);
});

/** How long the decision on a block takes by how many facts there are: five hundred first prompts each, milliseconds. */
async function blockTimes(
  pool: Parameters<typeof runRelevance>[0],
): Promise<readonly { readonly facts: number; readonly p50: number; readonly p95: number }[]> {
  const words = Array.from({ length: 2_000 }, (_, at) => `w${(at * 7919).toString(36)}x`);
  const wordAt = (at: number) => words[at % words.length] ?? '';
  const times: { readonly facts: number; readonly p50: number; readonly p95: number }[] = [];
  for (const facts of [100, 1_000, 10_000]) {
    const memory = await EvalMemory.open(pool, `block time ${facts}`);
    await memory.fill(facts, wordAt);
    const taken: number[] = [];
    for (let at = 0; at < 500; at += 1) {
      const typed = `Look at the ${wordAt(at * 31)} ${wordAt(at * 31 * 7 + 3)} and why ${wordAt(at * 17)} answers slowly`;
      const began = performance.now();
      await memory.block(typed);
      taken.push(performance.now() - began);
    }
    taken.sort((one, other) => one - other);
    times.push({ facts, p50: taken[250] ?? 0, p95: taken[475] ?? 0 });
  }
  return times;
}
