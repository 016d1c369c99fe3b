// `npm test`: installs what the tests need, runs every stage, and closes with what failed and one line: `N passed, N failed`.
// `npm test -- NAME NAME`: those stages alone.
import { build } from './build.mjs';
import { ensureChromium } from './chromium.mjs';
import { failureLines, firstLine } from './failures.mjs';
import { generate } from './generate.mjs';
import { install, isInstalled } from './install.mjs';
import { at, main, runNpm, SetupError } from './project.mjs';
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

/** What stages need beside the packages. */
const PREPARATIONS = { build, chromium: ensureChromium, agents: installAgents };
/** Those that wait for the network more than they compute: begun at once, so that they are there when needed. */
const BEGUN_AT_ONCE = ['chromium', 'agents'];

/** Makes what stages need, each once; answers with what gives the result for a name. */
function preparer(chosen) {
  const begun = new Map();
  const prepare = (name) => {
    if (!begun.has(name)) begun.set(name, PREPARATIONS[name]());
    return begun.get(name);
  };
  for (const name of BEGUN_AT_ONCE) {
    if (chosen.some((stage) => stage.needs?.includes(name))) prepare(name).catch(() => undefined);
  }
  return prepare;
}

/** Runs one stage with a heading and a closing line. Each of its failures counts, also one that is no test. */
async function runStage(stage, prepare) {
  process.stdout.write(`\n━━ ${stage.title} ━━\n`);
  const begun = performance.now();
  let result;
  try {
    const made = {};
    for (const name of stage.needs ?? []) made[name] = await prepare(name);
    result = await stage.run(made);
  } catch (error) {
    process.stdout.write(`${error instanceof SetupError ? error.message : (error.stack ?? error)}\n`);
    const failure = { where: '', name: 'the stage itself', errors: [firstLine(error.message ?? error)] };
    result = { passed: 0, failures: [failure], ok: false };
  }
  const { passed, failures, ok } = result;
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  const counts = passed + failures.length > 0 ? ` ${passed} passed, ${failures.length} failed,` : '';
  process.stdout.write(`${stage.title}: ${ok ? 'ok' : 'FAILED'},${counts} ${seconds} s\n`);
  return { passed, failures };
}

function chosenStages(names) {
  const unknown = names.filter((name) => !stages.some((stage) => stage.name === name));
  if (unknown.length > 0) {
    const known = stages.map((stage) => stage.name).join(' ');
    throw new SetupError(`There is no stage ${unknown.join(', ')}. There are: ${known}`);
  }
  return stages.filter(
    (stage) => (names.length === 0 || names.includes(stage.name)) && (stage.when?.() ?? true),
  );
}

await main(async () => {
  process.chdir(at());
  const chosen = chosenStages(process.argv.slice(2));
  await install();
  await generate();
  const prepare = preparer(chosen);
  const failedStages = [];
  const lines = [];
  let passed = 0;
  let failed = 0;
  for (const stage of chosen) {
    const result = await runStage(stage, prepare);
    passed += result.passed;
    failed += result.failures.length;
    if (result.failures.length > 0) failedStages.push(stage.title);
    lines.push(...failureLines(stage.title, result.failures));
  }
  if (failed > 0) process.stdout.write(`\nFailed: ${failedStages.join(', ')}\n${lines.join('\n')}\n`);
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
});
