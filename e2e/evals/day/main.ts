import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeScratchFolder, removeScratchFolder } from '../../clients/harness/scratch.ts';
import { type Agent, type Arm, type Outcome, playArm } from './arm.ts';

/** `npm run eval:day [-- --agents codex]`: a day of work on both arms (rules.md), and a dated report of it. */
const { values } = parseArgs({ options: { agents: { type: 'string', default: 'codex,claude-code' } } });
const ARMS: readonly Arm[] = ['direct', 'routed'];

const folder = makeScratchFolder();
const outcomes: Outcome[] = [];
try {
  for (const agent of values.agents.split(',') as Agent[]) {
    for (const arm of ARMS) outcomes.push(await playArm(join(folder, agent, arm), agent, arm));
  }
} finally {
  removeScratchFolder(folder);
}
await report(outcomes);

async function report(outcomes: readonly Outcome[]): Promise<void> {
  const at = new Date().toISOString();
  const text = [
    `# A day of work, ${at}`,
    '',
    'Real agents, a simulated model (rules.md): what a prompt holds is measured, not how well a model reads it.',
    '',
    '| agent | arm | details | rule kept | compactions | refused | above the limit | longest prompt | prompt tokens | from cache | dollars | seconds |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...outcomes.map(lineOf),
    '',
    ...voidPairs(outcomes),
    ...outcomes.flatMap(({ agent, arm, missed }) =>
      missed.map((line) => `- missed, ${agent} ${arm}: ${line}`),
    ),
    '',
  ].join('\n');
  const reports = join(import.meta.dirname, 'reports');
  await mkdir(reports, { recursive: true });
  const name = `day-${at.replace(/[:.]/g, '-')}`;
  await writeFile(join(reports, `${name}.json`), `${JSON.stringify({ at, outcomes }, null, 2)}\n`);
  await writeFile(join(reports, `${name}.md`), text);
  process.stdout.write(`${text}\n`);
}

function lineOf(outcome: Outcome): string {
  const cells = [
    outcome.agent,
    outcome.arm,
    `${outcome.details} of ${outcome.questions}`,
    outcome.keepsRule ? 'yes' : 'no',
    outcome.compactions,
    outcome.refused,
    outcome.aboveLimit,
    outcome.longestPrompt,
    outcome.promptTokens,
    `${((100 * outcome.cacheReadTokens) / outcome.promptTokens).toFixed(1)}%`,
    (outcome.nanoDollars / 1e9).toFixed(4),
    outcome.seconds.toFixed(0),
  ];
  return `| ${cells.join(' | ')} |`;
}

function voidPairs(outcomes: readonly Outcome[]): readonly string[] {
  return outcomes
    .filter(({ arm, compactions }) => arm === 'direct' && compactions === 0)
    .map(({ agent }) => `- void: the direct arm of ${agent} did not compact`);
}
