import type { Agent, AgentName } from '../agents/agent.ts';
import { AGENTS } from '../agents/find.ts';
import { type CliFailure, EXIT, type ExitCode } from '../failure.ts';
import { type ConfigFile, readConfigFile } from '../files/config-file.ts';
import { findAddress, type OpenSession, openSessions, usualAddress } from '../gateway/client.ts';
import { carryOutDisconnect, recordOf } from '../link/apply.ts';
import { type DisconnectPlan, planDisconnect } from '../link/plan.ts';
import { asFailure, type Output, shownPath } from '../output.ts';
import { processesNamed } from '../processes.ts';
import type { World } from '../world.ts';
import { agreesToWrite, exitCodeOf } from './writing.ts';

/** Options of `disconnect`. */
export interface DisconnectOptions {
  readonly gateway?: string | undefined;
  /** The agents to disconnect; absent: all that are connected. */
  readonly agents?: readonly AgentName[] | undefined;
  readonly yes: boolean;
  readonly dryRun: boolean;
}

/** One agent on the way back to how it was. */
interface Candidate {
  readonly agent: Agent;
  readonly path: string;
  readonly file: ConfigFile | null;
  readonly plan: DisconnectPlan | null;
  readonly failure: CliFailure | null;
  readonly running: readonly number[];
}

const IN_WORDS: Readonly<Record<DisconnectPlan['outcome'], string>> = {
  exact: 'goes back to the byte',
  keys: 'was changed since: only our own keys go',
  delete: 'is removed: connecting made it',
  none: 'is not connected',
};

/** Takes the agents of this machine off the gateway. @returns the exit code. */
export async function disconnect(
  world: World,
  output: Output,
  options: DisconnectOptions,
): Promise<0 | ExitCode> {
  const gateway = await findAddress(world, options.gateway);
  const named = options.agents ?? [];
  const agents = named.length > 0 ? AGENTS.filter((agent) => named.includes(agent.name)) : AGENTS;
  const candidates = await Promise.all(agents.map((agent) => examine(world, agent, gateway)));
  const changes = candidates.filter(
    ({ plan, failure }) => !failure && plan !== null && plan.outcome !== 'none',
  );
  const open = changes.length > 0 ? await openSessions(world, gateway) : null;
  for (const candidate of candidates) show(world, output, candidate);
  showOpen(output, open);
  const asked = changes.length > 0 && !options.dryRun;
  const agreed = asked && (await agreesToWrite(world, output, options.yes));
  const failures = new Map<AgentName, CliFailure | null>();
  if (agreed)
    for (const candidate of changes) failures.set(candidate.agent.name, await write(world, candidate));
  if (agreed) await forgetMissing(world, candidates);
  showWritten(output, changes, failures);
  if (options.dryRun) output.line('\nNothing was written (--dry-run).');
  else if (asked && !agreed)
    output.line('\nNothing was written. Run the command with --yes to agree to the change.');
  const code = exitCodeOf(candidates, failures) || (asked && !agreed ? EXIT.notAgreed : 0);
  output.result(resultOf(candidates, failures, open, options, code));
  return code;
}

/** The agents whose files lead to this gateway at this moment. Files that cannot be read count as not connected. */
export async function connectedAgents(world: World, gateway: string): Promise<Agent[]> {
  const candidates = await Promise.all(AGENTS.map((agent) => examine(world, agent, gateway)));
  return candidates
    .filter(({ agent, file }) => {
      return agent.routes.some(({ baseUrlPath }) => {
        const value = file && safely(() => agent.format.find(file.text, baseUrlPath)?.value);
        return value != null && agent.isDoor(value, gateway);
      });
    })
    .map(({ agent }) => agent);
}

async function examine(world: World, agent: Agent, gateway: string): Promise<Candidate> {
  const path = agent.file(world);
  try {
    const file = await readConfigFile(path);
    const record = await recordOf(world, file);
    const plan = planDisconnect(agent, file, record, [gateway, usualAddress(world)]);
    const running = processesNamed(await world.processes(), agent.processNames).map((process) => process.pid);
    return { agent, path, file, plan, running, failure: null };
  } catch (thrown) {
    const failure = asFailure(thrown);
    if (failure.exitCode !== EXIT.file) throw thrown;
    return { agent, path, file: null, plan: null, running: [], failure };
  }
}

async function write(world: World, { file, plan }: Candidate): Promise<CliFailure | null> {
  if (file === null || plan === null) return null;
  try {
    await carryOutDisconnect(world, file, plan);
    return null;
  } catch (thrown) {
    return asFailure(thrown);
  }
}

/** Drops the records of files that hold nothing of ours any more. */
async function forgetMissing(world: World, candidates: readonly Candidate[]): Promise<void> {
  for (const { file, plan } of candidates) {
    if (file && plan?.outcome === 'none' && (await recordOf(world, file)))
      await carryOutDisconnect(world, file, plan);
  }
}

function show(world: World, output: Output, { agent, path, plan, failure }: Candidate): void {
  output.line(`${agent.title}  ${shownPath(world, path)}`);
  if (failure) output.line(`  ${failure.message}\n  ${failure.hint}`);
  if (plan === null) return;
  output.line(`  ${IN_WORDS[plan.outcome]}`);
  if (plan.outcome === 'delete') return;
  for (const change of plan.shown) {
    output.line(`  line ${change.line}`);
    for (const line of linesOf(change.removed)) output.line(`    - ${line}`);
    for (const line of linesOf(change.inserted)) output.line(`    + ${line}`);
  }
}

function showOpen(output: Output, open: readonly OpenSession[] | null): void {
  if (open === null || open.length === 0) return;
  output.line('\nSessions seen within the last hour (let them end first where you can):');
  for (const session of open)
    output.line(`  ${session.agent}  ${session.title || '(no title)'}  ${session.lastSeenAt}`);
}

function showWritten(
  output: Output,
  changes: readonly Candidate[],
  failures: ReadonlyMap<AgentName, CliFailure | null>,
): void {
  if (failures.size > 0) output.line();
  for (const { agent, running } of changes) {
    const failure = failures.get(agent.name);
    if (failure === undefined) continue;
    if (failure) output.line(`${failure.message}\n${failure.hint}`);
    else output.line(`${agent.title} is disconnected.`);
    if (!failure && running.length > 0) {
      output.line(
        `  It runs now (process ${running.join(', ')}) and uses the gateway until it is started again.`,
      );
    }
  }
}

function resultOf(
  candidates: readonly Candidate[],
  failures: ReadonlyMap<AgentName, CliFailure | null>,
  open: readonly OpenSession[] | null,
  options: DisconnectOptions,
  code: 0 | ExitCode,
): Readonly<Record<string, unknown>> {
  return {
    ok: code === 0,
    exitCode: code,
    dryRun: options.dryRun,
    openSessions: open,
    agents: candidates.map(({ agent, path, plan, running, ...candidate }) => {
      const failure = candidate.failure ?? failures.get(agent.name) ?? null;
      return {
        agent: agent.name,
        file: path,
        outcome: failure ? 'refused' : plan?.outcome,
        written: failures.get(agent.name) === null,
        changes: plan?.shown ?? [],
        running,
        error: failure ? { message: failure.message, hint: failure.hint } : null,
      };
    }),
  };
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split(/\r?\n/);
}

function safely<Value>(work: () => Value): Value | null {
  try {
    return work();
  } catch {
    return null;
  }
}
