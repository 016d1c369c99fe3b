import type { Agent, AgentName, Note } from '../agents/agent.ts';
import type { CliFailure, ExitCode } from '../failure.ts';
import type { ConfigFile } from '../files/config-file.ts';
import { shownUrl, withoutSecrets } from '../gateway/address.ts';
import type { Gateway } from '../gateway/client.ts';
import type { ConnectPlan } from '../link/plan.ts';
import { type Output, shownPath } from '../output.ts';
import type { World } from '../world.ts';

/** The options of `connect` that its report depends on. */
interface ConnectOptions {
  readonly replace: boolean;
  readonly dryRun: boolean;
}

/** One agent on the way to its connection. */
export interface Candidate {
  readonly agent: Agent;
  readonly path: string;
  readonly file: ConfigFile | null;
  readonly plan: ConnectPlan | null;
  readonly notes: readonly Note[];
  readonly running: readonly number[];
  readonly failure: CliFailure | null;
}

/** True if the gateway itself sends requests to this address. */
export function isUpstream(gateway: Gateway, url: string): boolean {
  if (gateway.state !== 'healthy') return false;
  const wanted = url.replace(/\/+$/, '');
  return Object.values(gateway.about.upstreams).some(
    (upstream) => upstream === wanted || `${upstream}/v1` === wanted,
  );
}

function gatewayLine(gateway: Gateway): string {
  if (gateway.state === 'refusing')
    return `Gateway  ${gateway.url} takes this command for somebody else's; connecting would be refused.`;
  if (gateway.state !== 'healthy')
    return `Gateway  ${gateway.url} does not answer; connecting would be refused.`;
  const parts = [gateway.about.version && `version ${gateway.about.version}`, gateway.about.mode].filter(
    Boolean,
  );
  return `Gateway  ${gateway.url}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`;
}

/** Shows the gateway and what would change in each agent's file. */
export function showCandidates(
  world: World,
  output: Output,
  candidates: readonly Candidate[],
  gateway: Gateway,
  options: ConnectOptions,
): void {
  output.line(gatewayLine(gateway));
  for (const candidate of candidates) show(world, output, candidate, gateway, options);
}

function show(
  world: World,
  output: Output,
  candidate: Candidate,
  gateway: Gateway,
  options: ConnectOptions,
): void {
  const { agent, plan, failure } = candidate;
  output.line(`\n${agent.title}  ${shownPath(world, candidate.path)}`);
  if (candidate.file && candidate.file.target !== candidate.path) {
    output.line(`  is a link to ${shownPath(world, candidate.file.target)}, which is what is written`);
  }
  if (failure) output.line(`  ${failure.message}\n  ${failure.hint}`);
  if (plan?.outcome === 'connected') output.line('  is connected already');
  if (plan?.outcome === 'change') {
    for (const setting of plan.settings) output.line(`  ${setting.path.join('.')}: ${setting.why}`);
    for (const { url } of plan.elsewhere) {
      if (!options.replace || isUpstream(gateway, url)) continue;
      output.line(`  its requests no longer go to ${shownUrl(url)}; disconnect puts that back`);
    }
    for (const change of plan.shown) {
      output.line(`  line ${change.line}${candidate.file?.bytes === null ? ' of a new file' : ''}`);
      for (const line of linesOf(change.removed)) output.line(`    - ${line}`);
      for (const line of linesOf(change.inserted)) output.line(`    + ${line}`);
    }
  }
  for (const note of candidate.notes) output.line(`  ${note.blocks ? 'Attention' : 'Note'}: ${note.text}`);
}

/** Says what was written, and what could not be. */
export function showWritten(
  world: World,
  output: Output,
  changes: readonly Candidate[],
  written: ReadonlyMap<AgentName, CliFailure | null>,
): void {
  output.line();
  for (const { agent, path, running } of changes) {
    const failure = written.get(agent.name);
    if (failure) output.line(`${failure.message}\n${failure.hint}`);
    else output.line(`${agent.title} is connected (${shownPath(world, path)}).`);
    if (!failure && running.length > 0) {
      output.line(`  It runs now (${pidsInWords(running)}): it changes at its next start.`);
    }
  }
}

function pidsInWords(pids: readonly number[]): string {
  const shown = pids.slice(0, 5).join(', ');
  return pids.length > 5 ? `processes ${shown} and ${pids.length - 5} more` : `process ${shown}`;
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split(/\r?\n/);
}

/** The first address that an agent uses and that is not the gateway's, for scripts. */
function elsewhereOf(plan: ConnectPlan | null): Readonly<Record<string, unknown>> | null {
  const [first] = plan?.elsewhere ?? [];
  if (first === undefined) return null;
  const { url, replaceable, where } = first;
  return { url: shownUrl(url), replaceable, where };
}

/** The result of `connect` for scripts. */
export function connectResult(
  gateway: Gateway,
  candidates: readonly Candidate[],
  written: ReadonlyMap<AgentName, CliFailure | null>,
  options: ConnectOptions,
  code: 0 | ExitCode,
): Readonly<Record<string, unknown>> {
  return {
    ok: code === 0,
    exitCode: code,
    dryRun: options.dryRun,
    gateway: {
      url: gateway.url,
      state: gateway.state,
      ...(gateway.state === 'healthy' ? gateway.about : {}),
    },
    agents: candidates.map(({ agent, path, plan, notes, running, ...candidate }) => {
      const failure = candidate.failure ?? written.get(agent.name) ?? null;
      return {
        agent: agent.name,
        file: path,
        outcome: failure ? 'refused' : plan?.outcome,
        written: written.get(agent.name) === null,
        sets:
          plan?.settings.map(({ path: key, value, why }) => ({
            key: key.join('.'),
            value: withoutSecrets(value),
            why,
          })) ?? [],
        changes: plan?.shown ?? [],
        elsewhere: elsewhereOf(plan),
        notes,
        running,
        error: failure ? { message: failure.message, hint: failure.hint } : null,
      };
    }),
  };
}
