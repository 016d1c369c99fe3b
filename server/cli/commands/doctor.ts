import { resolve } from 'node:path';
import { programPath } from '../agents/program.ts';
import { isExempt, noProxyOf } from '../agents/proxies.ts';
import { dataFolder } from '../data-folder.ts';
import { CliFailure, EXIT, type ExitCode, systemCodeOf } from '../failure.ts';
import { writeAtomically } from '../files/atomic-write.ts';
import { shownUrl } from '../gateway/address.ts';
import { findAddress, type Gateway, lastRequests, probe, readiness } from '../gateway/client.ts';
import { type Standing, standings } from '../link/standing.ts';
import { findGatewayProcess } from '../local-gateway.ts';
import { type Output, shownPath } from '../output.ts';
import type { World } from '../world.ts';

const REACH_MS = 5_000;
const VERSION_MS = 15_000;

/** One thing that was looked at. `bad` is something that keeps an agent from working. */
export interface Check {
  readonly name: string;
  readonly state: 'ok' | 'note' | 'bad';
  readonly text: string;
}

/** Options of `doctor`. */
export interface DoctorOptions {
  readonly gateway?: string | undefined;
  /** File that gets versions, settings and counters. */
  readonly bundle?: string | undefined;
}

/** Looks at the whole way from the agents to the providers, one line each. @returns 0, or `unwell`. */
export async function doctor(
  world: World,
  output: Output,
  options: DoctorOptions,
  version: string,
): Promise<0 | ExitCode> {
  const url = await findAddress(world, options.gateway);
  const gateway = await probe(world, url);
  const agents = await standings(world, url, gateway.state === 'healthy' && gateway.about.keyNeeded);
  const checks = [
    await gatewayCheck(world, gateway),
    ...(await partChecks(world, gateway)),
    ...agents.flatMap((agent) => agentChecks(world, agent)),
    ...variableChecks(world),
    ...(await upstreamChecks(world, gateway)),
  ];
  const signs = { ok: 'ok  ', note: 'note', bad: 'BAD ' } as const;
  for (const check of checks) output.line(`${signs[check.state]}  ${check.name}: ${check.text}`);
  const code = checks.some((check) => check.state === 'bad') ? EXIT.unwell : 0;
  if (options.bundle !== undefined) {
    const path = resolve(world.folder, options.bundle);
    await writeBundle(world, path, await bundleOf(world, gateway, agents, checks, version));
    output.line(
      `\nVersions, settings and counters were written to ${path}; nothing that was said to a model.`,
    );
  }
  output.result({ ok: code === 0, exitCode: code, gateway: { url, state: gateway.state }, checks });
  return code;
}

async function gatewayCheck(world: World, gateway: Gateway): Promise<Check> {
  const name = 'gateway';
  if (gateway.state === 'healthy') {
    const { version } = gateway.about;
    return {
      name,
      state: 'ok',
      text: `${gateway.url} answers${version === null ? '' : ` (version ${version})`}`,
    };
  }
  if (gateway.state === 'foreign') {
    return { name, state: 'bad', text: `another program answers at ${gateway.url}; set PORT to a free port` };
  }
  if (gateway.state === 'refusing') {
    return {
      name,
      state: 'bad',
      text: `${gateway.url} takes this command for somebody else's; the gateway's data folder is not ${dataFolder(world)}`,
    };
  }
  if (gateway.state === 'unhealthy') {
    return {
      name,
      state: 'bad',
      text: `${gateway.url} says that it is not well; read its log in ${dataFolder(world)}`,
    };
  }
  const process = await findGatewayProcess(world);
  const text = process
    ? `process ${process.pid} runs, but nothing answers at ${gateway.url}; it may be starting`
    : `nothing answers at ${gateway.url}; start it with "context-mode start"`;
  return { name, state: 'bad', text };
}

async function partChecks(world: World, gateway: Gateway): Promise<Check[]> {
  if (gateway.state !== 'healthy') return [];
  const { ready, parts } = await readiness(world, gateway.url);
  const bad = { name: 'archive', state: 'bad' as const, text: 'does not record at the moment' };
  if (!ready && parts.length === 0) return [bad];
  return parts.map((part): Check => {
    const text = part.note ?? (part.ok ? 'works' : bad.text);
    return { name: part.name, state: part.ok ? 'ok' : 'bad', text };
  });
}

function agentChecks(world: World, standing: Standing): Check[] {
  const { agent, state, url } = standing;
  const name = agent.title;
  const path = shownPath(world, standing.path);
  if (state === 'absent') return [{ name, state: 'note', text: 'not on this machine' }];
  if (state === 'unreadable')
    return [{ name, state: 'bad', text: standing.problem ?? `${path} cannot be read` }];
  const first: Check = {
    connected: { name, state: 'ok' as const, text: `${path} leads to the gateway` },
    changed: {
      name,
      state: 'note' as const,
      text: `${path} was changed after connecting and leads past the gateway`,
    },
    elsewhere: { name, state: 'note' as const, text: `${path} leads to ${shownUrl(url ?? '')}` },
    'not-connected': {
      name,
      state: 'note' as const,
      text: 'not connected; connect it with "context-mode connect"',
    },
  }[state];
  const notes = standing.notes.map(
    (note): Check => ({ name, state: note.blocks ? 'bad' : 'note', text: note.text }),
  );
  return [first, ...notes];
}

/** Variables of this shell that change the way. Values that may hold a password are not shown. */
function variableChecks(world: World): Check[] {
  const set = [
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'ALL_PROXY',
    'NO_PROXY',
    'NODE_EXTRA_CA_CERTS',
    'CONTEXT_MODE_URL',
    'CONTEXT_MODE_HOME',
  ]
    .flatMap((name) => [name, name.toLowerCase()])
    .filter((name) => world.variables[name])
    .map((name) => `${name}=${shownUrl(world.variables[name] ?? '')}`);
  const text = set.length === 0 ? 'no proxy and none of our own is set' : set.join(', ');
  return [{ name: 'variables', state: set.length === 0 ? 'ok' : 'note', text }];
}

async function upstreamChecks(world: World, gateway: Gateway): Promise<Check[]> {
  if (gateway.state !== 'healthy') return [];
  const upstreams = Object.entries(gateway.about.upstreams);
  if (upstreams.length === 0)
    return [{ name: 'upstream', state: 'note', text: 'the gateway does not say where it sends requests' }];
  return Promise.all(upstreams.map(([door, address]) => upstreamCheck(world, door, address)));
}

async function upstreamCheck(world: World, door: string, address: string): Promise<Check> {
  const name = `upstream ${door}`;
  if (!URL.canParse(address)) return { name, state: 'bad', text: `${address} is not an address` };
  const target = new URL(address);
  const proxy = proxyFor(world, target);
  const via = proxy ?? target;
  const port = Number(via.port) || (via.protocol === 'https:' ? 443 : 80);
  const host = via.hostname.replace(/^\[|\]$/g, '');
  const reached = await world.reaches(host, port, REACH_MS);
  const way = proxy ? `${target.host} by the proxy ${via.host}` : target.host;
  const text = reached ? `${way} takes connections` : `${way} cannot be reached from here`;
  return { name, state: reached ? 'ok' : 'bad', text };
}

/** The proxy by which requests to an address go, by the variables of this shell; null: none. */
function proxyFor(world: World, target: URL): URL | null {
  const { variables } = world;
  const text =
    target.protocol === 'https:'
      ? variables.HTTPS_PROXY || variables.https_proxy
      : variables.HTTP_PROXY || variables.http_proxy;
  if (!text || !URL.canParse(text) || isExempt(noProxyOf(world), target)) return null;
  return new URL(text);
}

async function bundleOf(
  world: World,
  gateway: Gateway,
  agents: readonly Standing[],
  checks: readonly Check[],
  version: string,
): Promise<unknown> {
  return {
    madeAt: new Date(world.now()).toISOString(),
    versions: {
      command: version,
      node: process.version,
      platform: `${world.platform} ${process.arch}`,
      agents: Object.fromEntries(await Promise.all(agents.map((standing) => agentVersion(world, standing)))),
    },
    gateway: {
      url: gateway.url,
      state: gateway.state,
      ...(gateway.state === 'healthy' ? gateway.about : {}),
    },
    agents: agents.map(({ agent, state, url }) => ({ agent: agent.name, state, url: url && shownUrl(url) })),
    counters: gateway.state === 'healthy' ? await lastRequests(world, gateway.url) : null,
    checks,
  };
}

async function agentVersion(world: World, { agent }: Standing): Promise<[string, string | null]> {
  const path = await programPath(world, agent.program);
  const answer = path === null ? null : await world.run(path, ['--version'], VERSION_MS);
  return [agent.name, /\d+\.\d+\.\d+\S*/.exec(answer?.output ?? '')?.[0] ?? null];
}

async function writeBundle(world: World, path: string, bundle: unknown): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify(bundle, null, 2)}\n`);
  try {
    await writeAtomically(path, bytes, { mode: 0o600, randomName: world.randomName() });
  } catch (fault) {
    const reason = systemCodeOf(fault);
    throw new CliFailure(EXIT.file, `${path} could not be written (${reason}).`, 'Name another file.', {
      cause: fault,
    });
  }
}
