import { withEvalDatabase, writeReport } from '../report.ts';
import { type Relevance, runRelevance } from './judge.ts';

/** Runs the relevance eval over five seeds that are made now and writes a dated report. */
await withEvalDatabase(async (pool) => {
  const first = Date.now() % 1_000_000;
  const runs: { readonly seed: number; readonly product: Relevance; readonly newest: Relevance }[] = [];
  for (let at = 0; at < 5; at += 1)
    runs.push({ seed: first + at, ...(await runRelevance(pool, first + at)) });
  const percent = (share: number) => `${(100 * share).toFixed(1)}%`;
  const line = (name: string, one: Relevance) =>
    `| ${name} | ${one.rows.toFixed(2)} | ${one.tokens.toFixed(1)} | ${percent(one.recall)} | ${percent(one.strict)} | ${percent(one.precision)} | ${percent(one.needless)} |`;
  const worst = runs.toSorted((one, other) => one.product.recall - other.product.recall)[0];
  await writeReport(import.meta.url, 'relevance', { runs }, (at) => [
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
  ]);
});
