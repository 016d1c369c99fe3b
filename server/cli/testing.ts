import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { runProgram } from './program.ts';
import { realWorld } from './real-world.ts';
import type { World } from './world.ts';

/** A folder that is removed when the test ends. */
export async function scratchFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'context-mode-cli-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes files below a folder; their folders are made. */
export async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string | Buffer>>,
): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}

/** What the stand-in of a gateway answers with. */
export interface FakeGateway {
  readonly url: string;
  /** Bodies of `GET /api/v1/…`, by what stands behind (with its query, or without); may be changed while it runs. */
  readonly answers: Map<string, unknown>;
  /** Answers of `GET /readyz`, one after the other; the last one stays. Empty: 404. */
  readonly readiness: { ready: boolean; parts: { name: string; ok: boolean; note: string | null }[] }[];
  /** The local key of each request, in order; null where it carried none. */
  readonly seenKeys: readonly (string | null)[];
  stop(): Promise<void>;
}

/**
 * A server that speaks the part of the gateway's HTTP that the command relies on. Stopped when the test ends. With
 * `key` it refuses every request that does not carry it, as a gateway does that cannot tell owners.
 */
export async function fakeGateway(
  options: { readonly ours?: boolean; readonly health?: number; readonly key?: string } = {},
): Promise<FakeGateway> {
  const answers = new Map<string, unknown>([
    [
      'status',
      {
        version: '1.2.3',
        mode: 'local',
        upstreams: { anthropic: 'https://api.anthropic.com', openai: 'https://api.openai.com' },
      },
    ],
    ['connections', { items: [] }],
    ['sessions', { items: [], next: null }],
    ['requests', { items: [], next: null }],
  ]);
  const readiness: FakeGateway['readiness'] = [];
  const seenKeys: (string | null)[] = [];
  const server = createServer((request, response) => {
    const given = request.headers['x-context-mode-key'];
    seenKeys.push(typeof given === 'string' ? given : null);
    if (options.key !== undefined && given !== options.key)
      return response.writeHead(403, { 'x-context-mode-request-id': 'r1' }).end('{}');
    const path = (request.url ?? '').split('?')[0] ?? '';
    if (path === '/healthz') return response.writeHead(options.health ?? 200).end('{"ok":true}');
    const whole = (request.url ?? '').replace('/api/v1/', '');
    const answer = answers.get(whole) ?? answers.get(path.replace('/api/v1/', ''));
    if (path === '/readyz' && readiness.length > 0) {
      const state = readiness.length > 1 ? readiness.shift() : readiness[0];
      return response.writeHead(state?.ready ? 200 : 503).end(JSON.stringify(state));
    }
    const headers = options.ours === false ? {} : { 'x-context-mode-request-id': 'r1' };
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json', ...headers });
    return response.end(JSON.stringify(answer ?? { error: { code: 'not_found' } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()));
  onTestFinished(() => (server.listening ? stop() : undefined));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    readiness,
    seenKeys,
    stop,
  };
}

/** A loopback port on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

/** How a run of the command ended. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly error: string;
  /** Standard output as JSON. */
  json(): unknown;
}

/** Runs the command in this process, in a world that is the real one but for what is given. */
export async function runCommand(
  args: readonly string[],
  world: Partial<World> & { home: string },
): Promise<Ran> {
  let out = '';
  let error = '';
  const code = await runProgram(
    {
      ...realWorld(world.home),
      folder: world.home,
      variables: { PATH: '' },
      terminal: false,
      write: (text) => {
        out += text;
      },
      complain: (text) => {
        error += text;
      },
      ask: () => Promise.reject(new Error('nobody is there to be asked')),
      processes: async () => [],
      ...world,
    },
    args,
    '0.0.0',
  );
  return { code, out, error, json: () => JSON.parse(out) };
}
