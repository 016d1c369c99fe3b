// `npm test`: installs what the tests need, runs every stage, and closes with what failed and one line: `N passed, N failed`.
// `npm test -- NAME NAME`: those stages alone.
import { availableParallelism } from 'node:os';
import { ensureChromium } from './chromium.mjs';
import { failureLines, firstLine } from './failures.mjs';
import { generate } from './generate.mjs';
import { install, isInstalled } from './install.mjs';
import { at, main, runNpm, SetupError } from './project.mjs';
import { outputsInOrder, runStages } from './schedule.mjs';
import { stages } from './stages.mjs';

const AGENTS = at('e2e/clients/agents');

/** The real agents, in a folder of their own: they are no part of the product. */
async function installAgents() {
  if (isInstalled(AGENTS)) return;
  const { code, output } = await runNpm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: AGENTS,
  });
  if (code !== 0) throw new SetupError(`The agents could not be installed:\n${output}`);
}

/** Stages that run at once where the machine has the threads: a test that measures time or memory wants its own. */
const AT_ONCE = Math.min(2, availableParallelism());

/** What stages need beside the packages and what other stages make. */
const PREPARATIONS = { chromium: ensureChromium, agents: installAgents };

/** Begins what the stages need, each once, since it waits for the network more than it computes; answers with promises by name. */
function prepareFor(chosen) {
  const needed = new Set(chosen.flatMap((stage) => stage.needs ?? []));
  const begun = Object.entries(PREPARATIONS).filter(([name]) => needed.has(name));
  const prepared = new Map(begun.map(([name, make]) => [name, make()]));
  // Whoever needs it hears of its failure.
  for (const promise of prepared.values()) promise.catch(() => undefined);
  return prepared;
}

/** Runs one stage with a heading and a closing line. Each of its failures counts, also one that is no test. */
async function runStage(stage, output, prepared, before) {
  const print = (text) => output.write(text);
  print(`\n━━ ${stage.title} ━━\n`);
  const begun = performance.now();
  let result;
  try {
    const made = {};
    for (const name of stage.needs ?? []) {
      if (before.get(name)?.failures.length > 0) throw new SetupError(`The stage ${name} has failed.`);
      made[name] = await prepared.get(name);
    }
    result = await stage.run({ ...made, show: print });
  } catch (error) {
    print(`${error instanceof SetupError ? error.message : (error.stack ?? error)}\n`);
    const failure = { where: '', name: 'the stage itself', errors: [firstLine(error.message ?? error)] };
    result = { passed: 0, failures: [failure], ok: false };
  }
  const { passed, failures, ok } = result;
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  const counts = passed + failures.length > 0 ? ` ${passed} passed, ${failures.length} failed,` : '';
  print(`${stage.title}: ${ok ? 'ok' : 'FAILED'},${counts} ${seconds} s\n`);
  output.end();
  return { passed, failures };
}

/** The stages of these names (of none: all), and those that they need. */
function chosenStages(names) {
  const unknown = names.filter((name) => !stages.some((stage) => stage.name === name));
  if (unknown.length > 0) {
    const known = stages.map((stage) => stage.name).join(' ');
    throw new SetupError(`There is no stage ${unknown.join(', ')}. There are: ${known}`);
  }
  const wanted = stages.filter(
    (stage) => (names.length === 0 || names.includes(stage.name)) && (stage.when?.() ?? true),
  );
  const needed = new Set(wanted.flatMap((stage) => stage.needs ?? []));
  return stages.filter((stage) => wanted.includes(stage) || needed.has(stage.name));
}

await main(async () => {
  process.chdir(at());
  const chosen = chosenStages(process.argv.slice(2));
  await install();
  await generate();
  const prepared = prepareFor(chosen);
  const outputs = outputsInOrder(chosen.length, (text) => process.stdout.write(text));
  const results = await runStages(chosen, AT_ONCE, (stage, index, before) =>
    runStage(stage, outputs[index], prepared, before),
  );
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failed = results.reduce((sum, { failures }) => sum + failures.length, 0);
  const failedStages = chosen.filter((_, index) => results[index].failures.length > 0);
  const lines = chosen.flatMap(({ title }, index) => failureLines(title, results[index].failures));
  if (failed > 0)
    process.stdout.write(
      `\nFailed: ${failedStages.map(({ title }) => title).join(', ')}\n${lines.join('\n')}\n`,
    );
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
});
