import { writeReport } from '../report.ts';
import { randomFrom } from '../search/random.ts';
import { type Agreement, agreementOf, byRules } from './judge.ts';
import { turnsOf } from './turns.ts';

const FIXED = 4_711;

/** Compares the built-in rules with 250 fixed turns and 50 that are made now, and writes a dated report. `--misses` tells more. */
const fresh = Date.now() % 1_000_000;
const runs: readonly (readonly [string, Agreement])[] = [
  ['250 fixed', agreementOf(byRules, turnsOf(randomFrom(FIXED), 250))],
  [`50 of seed ${fresh}`, agreementOf(byRules, turnsOf(randomFrom(fresh), 50))],
];
const percent = (share: number) => `${(100 * share).toFixed(1)}%`;
await writeReport(import.meta.url, 'extractor', { runs }, (at) => [
  `# What the rules draw from typed turns, ${at}`,
  '',
  'Labelled turns (rules.md).',
  '',
  '| turns | facts | presence | slot | slot and value | invented |',
  '| --- | --- | --- | --- | --- | --- |',
  ...runs.map(
    ([name, one]) =>
      `| ${name} | ${one.facts} | ${percent(one.presence)} | ${percent(one.slot)} | ${percent(one.value)} | ${percent(one.invented)} |`,
  ),
  '',
  ...(process.argv.includes('--misses') ? runs.flatMap(([, one]) => one.misses) : []),
]);
