import type { Agent, AgentName } from '../agents/agent.ts';
import { AGENTS, findAgents } from '../agents/find.ts';
import { dataFolder } from '../data-folder.ts';
import { CliFailure, EXIT, type ExitCode } from '../failure.ts';
import { readConfigFile } from '../files/config-file.ts';
import { shownUrl } from '../gateway/address.ts';
import { findAddress, type Gateway, mustAnswer, probe } from '../gateway/client.ts';
import { readLocalKey } from '../gateway/local-key.ts';
import { carryOutConnect, recordOf } from '../link/apply.ts';
import { type ConnectPlan, planConnect } from '../link/plan.ts';
import { asFailure, type Output } from '../output.ts';
import { processesNamed } from '../processes.ts';
import type { World } from '../world.ts';
import { type Candidate, connectResult, isUpstream, showCandidates, showWritten } from './connect-report.ts';
import { start } from './start.ts';
import { agreesToWrite, exitCodeOf } from './writing.ts';

/** Options of `connect`. */
export interface ConnectOptions {
  readonly gateway?: string | undefined;
  /** The agents to connect; absent: all that are found. */
  readonly agents?: readonly AgentName[] | undefined;
  readonly yes: boolean;
  readonly replace: boolean;
  readonly dryRun: boolean;
  /** Start a local gateway where none answers. */
  readonly start: boolean;
}

/** Connects the agents of this machine to a gateway: one edit of one file each. @returns the exit code. */
export async function connect(world: World, output: Output, options: ConnectOptions): Promise<0 | ExitCode> {
  const gateway = await gatewayFor(world, output, options);
  const key = await keyFor(world, gateway);
  const agents = await agentsFor(world, options.agents);
  const candidates = await Promise.all(agents.map((agent) => examine(world, agent, gateway, key, options)));
  showCandidates(world, output, candidates, gateway, options);
  const changes = candidates.filter((candidate) => candidate.plan?.outcome === 'change');
  const written = new Map<AgentName, CliFailure | null>();
  const asked = changes.length > 0 && !options.dryRun;
  const agreed = asked && (await agreesToWrite(world, output, options.yes));
  if (agreed) {
    for (const candidate of changes)
      written.set(candidate.agent.name, await write(world, candidate, gateway.url));
    showWritten(world, output, changes, written);
  }
  if (options.dryRun) output.line('\nNothing was written (--dry-run).');
  else if (asked && !agreed)
    output.line('\nNothing was written. Run the command with --yes to agree to the change.');
  const code = exitCodeOf(candidates, written) || (asked && !agreed ? EXIT.notAgreed : 0);
  output.result(connectResult(gateway, candidates, written, options, code));
  return code;
}

async function gatewayFor(world: World, output: Output, options: ConnectOptions): Promise<Gateway> {
  const url = await findAddress(world, options.gateway);
  const found = await probe(world, url);
  if (found.state === 'healthy') {
    if (found.about.mode !== 'hosted') return found;
    throw new CliFailure(
      EXIT.noGateway,
      `The gateway at ${url} asks for a sign-in, which this version of the command cannot do.`,
      'Connect to a local gateway, or set the base URL and the key by hand.',
    );
  }
  if (options.dryRun) return found;
  const local =
    options.gateway === undefined && !world.variables.CONTEXT_MODE_URL && found.state === 'silent';
  const wanted = options.start || (local && world.terminal && !options.yes && !output.json);
  if (local && wanted) {
    const agreed = options.start || (await world.ask(`No gateway answers at ${url}. Start it now?`));
    if (agreed) {
      const code = await start(world, { ...output, result: () => undefined }, {});
      if (code !== 0)
        throw new CliFailure(EXIT.process, 'The gateway did not start.', 'Read its log, named above.');
      return mustAnswer(world, await findAddress(world, undefined));
    }
  }
  return mustAnswer(world, url);
}

/** The key that agents must show to this gateway; null where it needs none. @throws CliFailure where it is missing */
async function keyFor(world: World, gateway: Gateway): Promise<string | null> {
  if (gateway.state !== 'healthy' || !gateway.about.keyNeeded) return null;
  const key = await readLocalKey(world);
  if (key !== null) return key;
  throw new CliFailure(
    EXIT.file,
    `The gateway at ${gateway.url} needs its local key, and ${dataFolder(world)} holds none.`,
    'Set CONTEXT_MODE_HOME to the data folder that it was started with.',
  );
}

async function agentsFor(world: World, named: readonly AgentName[] | undefined): Promise<readonly Agent[]> {
  if (named && named.length > 0) return AGENTS.filter((agent) => named.includes(agent.name));
  const found = await findAgents(world);
  if (found.length > 0) return found;
  throw new CliFailure(
    EXIT.noAgent,
    `No agent was found: neither ${AGENTS.map((agent) => agent.program).join(' nor ')} is on the PATH, and their folders are missing.`,
    `Install one, or name the one to connect: ${AGENTS.map((agent) => `--agent ${agent.name}`).join(' or ')}.`,
  );
}

async function examine(
  world: World,
  agent: Agent,
  gateway: Gateway,
  key: string | null,
  options: ConnectOptions,
): Promise<Candidate> {
  const path = agent.file(world);
  const none = { agent, path, file: null, plan: null, notes: [], running: [] };
  try {
    const file = await readConfigFile(path);
    const record = await recordOf(world, file);
    const settings = await agent.settings(world, gateway.url, key);
    const wanted = { settings, gateway: gateway.url, replace: options.replace };
    let plan = planConnect(agent, file, record, wanted);
    // An address that the gateway itself leads to stays where requests go: nothing is lost by putting it behind us.
    if (plan.outcome === 'elsewhere' && plan.elsewhere.every(({ url }) => isUpstream(gateway, url))) {
      plan = planConnect(agent, file, record, { ...wanted, replace: true });
    }
    const notes = await agent.notes(world, options.dryRun ? file.text : plan.text, gateway.url);
    const running = processesNamed(await world.processes(), agent.processNames).map((process) => process.pid);
    return { agent, path, file, plan, notes, running, failure: elsewhereFailure(agent, path, plan, gateway) };
  } catch (thrown) {
    const failure = asFailure(thrown);
    if (failure.exitCode !== EXIT.file) throw thrown;
    return { ...none, failure };
  }
}

function elsewhereFailure(
  agent: Agent,
  path: string,
  plan: ConnectPlan,
  gateway: Gateway,
): CliFailure | null {
  const foreign = plan.elsewhere.find(({ url }) => !isUpstream(gateway, url)) ?? plan.elsewhere[0];
  if (plan.outcome !== 'elsewhere' || foreign === undefined) return null;
  const { url, where, replaceable, upstreamVariable } = foreign;
  const shown = shownUrl(url);
  const upstream = `start the gateway with ${upstreamVariable}=${shown.replace(/\/v1$/, '')}`;
  return new CliFailure(
    EXIT.file,
    `${path}: ${agent.title} sends its requests to ${shown} (${where}). Nothing was written.`,
    replaceable
      ? `To keep that address behind the gateway, ${upstream} and connect again. To leave it, connect with --yes --replace; disconnect puts it back.`
      : `This is not the key that connecting sets. To put it behind the gateway, ${upstream} and set that provider's base_url to the gateway's address by hand.`,
  );
}

async function write(world: World, candidate: Candidate, gateway: string): Promise<CliFailure | null> {
  if (candidate.file === null || candidate.plan === null) return null;
  try {
    await carryOutConnect(world, candidate.agent, candidate.file, candidate.plan, gateway);
    return null;
  } catch (thrown) {
    return asFailure(thrown);
  }
}
