import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { Scenario } from './script/types.ts';
import { startSimulator } from './simulator.ts';

const USAGE = `Usage: npm run simulator -- [--port N] [--host ADDRESS] [--seed TEXT] [--script FILE.json] [--frozen]

Serves the Anthropic Messages API and the OpenAI Responses API with a scripted model.
`;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4199' },
    host: { type: 'string', default: '127.0.0.1' },
    seed: { type: 'string', default: 'simulator' },
    script: { type: 'string' },
    frozen: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

async function readScript(path: string): Promise<Scenario[]> {
  try {
    const script: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (Array.isArray(script)) return script as Scenario[];
    throw new Error('it must hold a list of scenarios');
  } catch (error) {
    process.stderr.write(
      `The script ${path} cannot be read: ${error instanceof Error ? error.message : error}\n`,
    );
    process.exit(1);
  }
}

if (values.help) {
  process.stdout.write(USAGE);
} else {
  const scenarios = values.script === undefined ? [] : await readScript(values.script);
  const { port, host, seed, frozen } = values;
  const simulator = await startSimulator({ port: Number(port), host, seed, frozen, scenarios }).catch(
    (error: Error) => {
      process.stderr.write(`The simulator cannot listen on ${host}:${port}: ${error.message}\n`);
      process.exit(1);
    },
  );
  process.stdout.write(`Simulator ${simulator.url}\n`);
  const stop = () => {
    void simulator.stop().then(() => process.exit(0));
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}
