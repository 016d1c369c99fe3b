import { CliFailure, EXIT, type ExitCode, systemCodeOf } from '../failure.ts';
import { findAddress, probe } from '../gateway/client.ts';
import { findGatewayProcess, forgetProcess } from '../local-gateway.ts';
import type { Output } from '../output.ts';
import type { World } from '../world.ts';
import { connectedAgents, disconnect } from './disconnect.ts';

/** The gateway lets answers on their way finish for 30 s; then it is ended. */
const WAIT_SECONDS = 45;
const POLL_MS = 100;
const AFTER_KILL_MS = 5_000;

/** Options of `stop`. */
export interface StopOptions {
  /** Disconnect the agents first. */
  readonly disconnect: boolean;
  /** How long answers on their way may take to finish, in seconds. */
  readonly wait?: number | undefined;
}

/** Stops the local gateway. Agents that stay connected cannot work until it runs again: they are named. */
export async function stop(world: World, output: Output, options: StopOptions): Promise<0 | ExitCode> {
  const running = await findGatewayProcess(world);
  const url = running?.url ?? (await findAddress(world, undefined));
  if (running === null && (await probe(world, url)).state === 'healthy') {
    throw new CliFailure(
      EXIT.process,
      `A gateway answers at ${url}, but which process it is stands nowhere in this data folder.`,
      'Stop it where it was started (Ctrl-C), or name its data folder with CONTEXT_MODE_HOME.',
    );
  }
  const left = await takeOff(world, output, url, options);
  const ended =
    running === null ? 'was not running' : await end(world, running.pid, options.wait ?? WAIT_SECONDS);
  if (running) await forgetProcess(world);
  output.line(
    {
      'was not running': 'No gateway runs that this command knows of.',
      stopped: 'The gateway is stopped.',
      killed: 'The gateway did not end in time and was ended by force; the next start mends what that left.',
    }[ended],
  );
  if (left.length > 0) {
    output.line(
      `${left.join(' and ')} still ${left.length > 1 ? 'lead' : 'leads'} to it and cannot work until it runs again: "context-mode start", or "context-mode disconnect".`,
    );
  }
  output.result({ ok: true, exitCode: 0, ended, url, stillConnected: left });
  return 0;
}

/** Names the connected agents and disconnects them where that is wanted. @returns the names of those that stay. */
async function takeOff(world: World, output: Output, url: string, options: StopOptions): Promise<string[]> {
  const names = (await connectedAgents(world, url)).map((agent) => agent.title);
  if (names.length === 0) return [];
  output.line(`Connected to this gateway: ${names.join(', ')}.`);
  const ask = !options.disconnect && world.terminal && !output.json;
  if (!options.disconnect && !(ask && (await world.ask('Disconnect first?')))) return names;
  const quiet = { ...output, result: () => undefined };
  await disconnect(world, quiet, { gateway: url, yes: true, dryRun: false });
  return (await connectedAgents(world, url)).map((agent) => agent.title);
}

async function end(world: World, pid: number, waitSeconds: number): Promise<'stopped' | 'killed'> {
  send(world, pid, 'SIGTERM');
  if (await gone(world, pid, waitSeconds * 1000)) return 'stopped';
  send(world, pid, 'SIGKILL');
  if (await gone(world, pid, AFTER_KILL_MS)) return 'killed';
  throw new CliFailure(EXIT.process, `Process ${pid} of the gateway does not end.`, 'End it by hand.');
}

function send(world: World, pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    world.signal(pid, signal);
  } catch (fault) {
    if (systemCodeOf(fault) !== 'EPERM') throw fault;
    const hint = 'Stop it as the user who started it.';
    throw new CliFailure(EXIT.process, `Process ${pid} of the gateway belongs to another user.`, hint, {
      cause: fault,
    });
  }
}

async function gone(world: World, pid: number, waitMs: number): Promise<boolean> {
  const deadline = world.now() + waitMs;
  while (world.lives(pid)) {
    if (world.now() >= deadline) return false;
    await world.sleep(POLL_MS);
  }
  return true;
}
