import { EXIT, type ExitCode } from '../failure.ts';
import { shownUrl } from '../gateway/address.ts';
import {
  findAddress,
  type Gateway,
  type LastRequest,
  lastRequests,
  probe,
  readiness,
  requestsSince,
} from '../gateway/client.ts';
import { pauseOf } from '../gateway/pause.ts';
import { recallNote } from '../gateway/recall.ts';
import { type Standing, standings } from '../link/standing.ts';
import { type Output, shownPath } from '../output.ts';
import type { World } from '../world.ts';
import { endOf } from './pause.ts';

const STATES: Readonly<Record<Standing['state'], string>> = {
  connected: 'connected',
  elsewhere: 'leads elsewhere',
  'not-connected': 'not connected',
  changed: 'was connected, and its file was changed since',
  unreadable: 'its file cannot be read',
  absent: 'not on this machine',
};

const SILENT: Readonly<Record<Exclude<Gateway['state'], 'healthy'>, string>> = {
  silent: 'does not run. Start it: context-mode start',
  refusing:
    'belongs to somebody else, or keeps its data in another folder than this command looks in (CONTEXT_MODE_HOME).',
  foreign: 'is another program. Set PORT to a free port and start the gateway: context-mode start',
  unhealthy: 'says that it is not well. Look closer: context-mode doctor',
};

/** Shows the gateway, the agents, the last requests. @returns 0 where the gateway runs, else `noGateway`. */
export async function status(
  world: World,
  output: Output,
  options: { readonly gateway?: string | undefined },
): Promise<0 | ExitCode> {
  const url = await findAddress(world, options.gateway);
  const gateway = await probe(world, url);
  const healthy = gateway.state === 'healthy';
  const agents = await standings(world, url, gateway.state === 'healthy' && gateway.about.keyNeeded);
  const archive = healthy ? await readiness(world, url) : null;
  const recall = healthy ? await recallNote(world, url) : null;
  const paused = healthy ? await pauseOf(world, url) : null;
  const last = healthy ? await lastRequests(world, url) : null;
  const today = healthy ? await requestsSince(world, url, midnight(world)) : null;
  showGateway(output, gateway, agents);
  if (archive?.ready === false) {
    const notes = archive.parts.flatMap((part) => (part.ok ? [] : [part.note ?? part.name]));
    output.line(`  It does not archive at the moment, bytes pass unrecorded: ${notes.join(' ')}`);
  }
  if (paused !== null)
    output.line(`Paused   ${endOf(paused)}: nothing is recorded, bytes pass. End it: context-mode resume`);
  if (recall !== null) output.line(`Recall   ${recall}`);
  for (const agent of agents) showAgent(world, output, agent, last);
  if (healthy)
    output.line(`\nRequests today  ${today === null ? 'the gateway does not say' : counted(today)}`);
  const code = healthy ? 0 : EXIT.noGateway;
  output.result({
    ok: healthy,
    exitCode: code,
    gateway: { url, state: gateway.state, ...(gateway.state === 'healthy' ? gateway.about : {}) },
    agents: agents.map(({ agent, path, state, url: address, notes, problem }) => ({
      agent: agent.name,
      file: path,
      state,
      url: address === null ? null : shownUrl(address),
      notes,
      problem,
      lastRequest: last?.find((entry) => entry.agent === agent.name) ?? null,
    })),
    archive,
    recall,
    pause: paused,
    requestsToday: today,
  });
  return code;
}

function showGateway(output: Output, gateway: Gateway, agents: readonly Standing[]): void {
  if (gateway.state !== 'healthy') {
    output.line(`The gateway at ${gateway.url} ${SILENT[gateway.state]}`);
    const dead = agents.filter((agent) => agent.state === 'connected').map(({ agent }) => agent.title);
    if (dead.length > 0) output.line(`Until it runs ${dead.join(' and ')} cannot work.`);
    output.line();
    return;
  }
  const { version, mode } = gateway.about;
  output.line(
    `Gateway  ${gateway.url}  ${[version && `version ${version}`, mode].filter(Boolean).join(', ')}`,
  );
  if (gateway.about.keyNeeded) output.line('Console  by a link that works once: context-mode open');
}

function showAgent(
  world: World,
  output: Output,
  standing: Standing,
  last: readonly LastRequest[] | null,
): void {
  const { agent, state, url } = standing;
  const where = state === 'elsewhere' && url !== null ? ` (${shownUrl(url)})` : '';
  output.line(
    `${agent.title.padEnd(13)}${STATES[state]}${where}${state === 'absent' ? '' : `, ${shownPath(world, standing.path)}`}`,
  );
  if (standing.problem) output.line(`  ${standing.problem}`);
  for (const note of standing.notes) output.line(`  ${note.blocks ? 'Attention' : 'Note'}: ${note.text}`);
  const seen = last?.find((entry) => entry.agent === agent.name);
  if (seen) {
    const refused =
      seen.lastStatus !== null && seen.lastStatus >= 400 ? `, answered with ${seen.lastStatus}` : '';
    output.line(`  last request ${seen.lastSeenAt}${refused}; ${seen.requests} in all`);
  } else if (last !== null && state === 'connected') {
    output.line('  no request yet');
  }
}

function counted(today: { count: number; atLeast: boolean }): string {
  return today.atLeast ? `${today.count} or more` : String(today.count);
}

/** Begin of the person's day, in milliseconds since 1970. */
function midnight(world: World): number {
  const day = new Date(world.now());
  return day.setHours(0, 0, 0, 0);
}
