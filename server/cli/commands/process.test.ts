import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { EXIT } from '../failure.ts';
import { listProcesses } from '../processes.ts';
import { realWorld } from '../real-world.ts';
import { fakeGateway, freePort, runCommand, scratchFolder, writeFiles } from '../testing.ts';
import type { World } from '../world.ts';

/** A product that is nothing but a listener: it keeps the file that the real one keeps. */
const START_SCRIPT = `
import { createServer } from 'node:http';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
const home = process.env.CONTEXT_MODE_HOME;
const port = Number(process.env.PORT);
if (process.env.BROKEN) { console.error('The build has failed.'); process.exit(3); }
let asked = 0;
const server = createServer((request, response) => {
  // The archive opens a little after the first answer.
  if (request.url === '/readyz' && asked++ < 2) return response.writeHead(503).end('{}');
  response.writeHead(200, { 'x-context-mode-request-id': 'r', 'content-type': 'application/json' });
  response.end(JSON.stringify({ version: '9', mode: 'local', upstreams: {}, items: [] }));
});
server.listen(port, '127.0.0.1', () => {
  mkdirSync(home, { recursive: true });
  writeFileSync(home + '/gateway.json', JSON.stringify({ pid: process.pid, startedAt: 'now', url: 'http://127.0.0.1:' + port, version: '9' }));
  console.log('Console');
});
process.on('SIGTERM', () => {
  if (process.env.STUBBORN) return;
  rmSync(home + '/gateway.json');
  process.exit(0);
});
`;

let home: string;
let product: string;
let port: number;

beforeEach(async () => {
  home = await scratchFolder();
  product = join(home, 'product');
  port = await freePort();
  await writeFiles(product, {
    'package.json': '{"name":"context-mode"}',
    'server/setup/start.mjs': START_SCRIPT,
  });
});

function worldOf(more: Readonly<Record<string, string>> = {}): Partial<World> {
  const variables = { PATH: '', CONTEXT_MODE_HOME: join(home, 'data'), PORT: String(port), ...more };
  const world: Partial<World> = {
    variables,
    packageFolder: join(product, 'server', 'cli'),
    processes: () => listProcesses(process.platform, async () => ''),
    startNode(script, options) {
      const before = { ...process.env };
      Object.assign(process.env, variables);
      try {
        const started = realWorld(home).startNode(script, options);
        onTestFinished(() => {
          if (started.exitCode() === null) process.kill(started.pid, 'SIGKILL');
        });
        return started;
      } finally {
        for (const name of Object.keys(variables)) delete process.env[name];
        Object.assign(process.env, before);
      }
    },
  };
  return world;
}

const run = (args: readonly string[], world = worldOf()) => runCommand(args, { home, ...world });

describe('start and stop', () => {
  test('a gateway starts in the background with a log, is found, and is stopped', async () => {
    const started = await run(['start']);
    expect(started).toMatchObject({ code: 0 });
    expect(started.out).toContain(`Console  http://127.0.0.1:${port}`);
    expect(started.out, 'start waits for the archive').not.toContain('does not archive');
    expect(await readFile(join(home, 'data/gateway.log'), 'utf8')).toContain('Console');
    expect((await run(['status', '--json'])).json()).toMatchObject({ ok: true, gateway: { version: '9' } });
    expect((await run(['start', '--json'])).json()).toMatchObject({ ok: true, started: false });
    expect((await run(['stop', '--json'])).json()).toMatchObject({ ok: true, ended: 'stopped' });
    expect(await run(['status'])).toMatchObject({ code: EXIT.noGateway });
    expect((await run(['stop', '--json'])).json()).toMatchObject({ ok: true, ended: 'was not running' });
  });

  test('a gateway that does not end in time is ended by force', async () => {
    await run(['start'], worldOf({ STUBBORN: '1' }));
    expect((await run(['stop', '--wait', '0.2', '--json'])).json()).toMatchObject({
      ok: true,
      ended: 'killed',
    });
  });

  test('a gateway that ends at once is told with the end of its log', async () => {
    const ran = await run(['start'], worldOf({ BROKEN: '1' }));
    expect(ran).toMatchObject({ code: EXIT.process });
    expect(ran.error).toContain('The build has failed.');
  });

  test('the process that got the number of a gateway that is gone is left alone', async () => {
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    onTestFinished(() => {
      other.kill('SIGKILL');
    });
    await once(other, 'spawn');
    const url = `http://127.0.0.1:${port}`;
    await writeFiles(home, { 'data/gateway.json': JSON.stringify({ pid: other.pid, url, version: '1' }) });
    expect((await run(['stop', '--json'])).json()).toMatchObject({ ended: 'was not running' });
    expect(other.exitCode).toBeNull();
    expect(other.killed).toBe(false);
  });

  test('stop names the agents that are left without a gateway, and disconnects them on request', async () => {
    await writeFiles(home, { '.codex/config.toml': 'model = "x"\n' });
    await run(['start']);
    expect(await run(['connect', '--yes'])).toMatchObject({ code: 0 });
    const stopped = await run(['stop']);
    expect(stopped.out).toContain('Codex still leads to it');
    await run(['start']);
    expect((await run(['stop', '--disconnect', '--json'])).json()).toMatchObject({ stillConnected: [] });
    expect(await readFile(join(home, '.codex/config.toml'), 'utf8')).toBe('model = "x"\n');
  });

  test('connect starts the gateway where that is wanted', async () => {
    await writeFiles(home, { '.codex/config.toml': '' });
    const ran = await run(['connect', '--start', '--yes', '--json']);
    expect(ran.json()).toMatchObject({ ok: true, agents: [{ written: true }] });
    await run(['stop']);
  });

  test('a package that was installed alone says that the gateway is not beside it', async () => {
    const ran = await run(['start'], {
      ...worldOf(),
      packageFolder: join(home, 'node_modules/@context-mode/cli'),
    });
    expect(ran).toMatchObject({ code: EXIT.process });
    expect(ran.error).toContain('installed alone');
    expect(await run(['start', '--product', home])).toMatchObject({ code: EXIT.process });
  });

  test('a gateway that answers and does not archive is told by start, status and doctor, with the reason', async () => {
    const gateway = await fakeGateway();
    const starting = {
      ready: false,
      parts: [{ name: 'database', ok: false, note: 'The database is being started.' }],
    };
    gateway.readiness.push(starting);
    const variables = { PORT: new URL(gateway.url).port };
    const ran = await run(['start'], worldOf(variables));
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('The database is being started.') });
    expect((await run(['status'], worldOf(variables))).out).toContain('does not archive at the moment');
    expect(await run(['doctor'], { ...worldOf(variables), reaches: async () => true })).toMatchObject({
      code: EXIT.unwell,
      out: expect.stringMatching(/BAD +database: The database is being started/),
    });
  });

  test('another program on the port is named', async () => {
    const { url } = await fakeGateway({ ours: false });
    const ran = await run(['start'], worldOf({ PORT: new URL(url).port }));
    expect(ran).toMatchObject({ code: EXIT.process });
    expect(ran.error).toContain('Another program');
  });
});

describe('status', () => {
  test('a stopped gateway comes first, with the command that starts it and the agents that cannot work', async () => {
    await writeFiles(home, {
      '.codex/config.toml': `openai_base_url = "http://127.0.0.1:${port}/openai/v1"\n`,
    });
    const ran = await run(['status']);
    expect(ran.code).toBe(EXIT.noGateway);
    expect(ran.out.split('\n')[0]).toContain('context-mode start');
    expect(ran.out.split('\n')[1]).toContain('Codex');
  });

  test("shows each agent's last request and counts those of the day, over pages", async () => {
    const gateway = await fakeGateway();
    const now = new Date('2026-03-04T12:00:00').getTime();
    const at = (hours: number) => ({ receivedAt: new Date(now - hours * 3_600_000).toISOString() });
    gateway.answers.set('connections', {
      items: [{ agent: 'codex', lastSeenAt: '2026-03-04T11:00:00.000Z', requests: 7, lastStatus: 429 }],
    });
    gateway.answers.set('requests', { items: [at(1), at(2), at(13)], next: 'more' });
    await writeFiles(home, { '.codex/config.toml': `openai_base_url = "${gateway.url}/openai/v1"\n` });
    const ran = await run(['status', '--gateway', gateway.url], { ...worldOf(), now: () => now });
    expect(ran.code).toBe(0);
    expect(ran.out).toContain('last request 2026-03-04T11:00:00.000Z, answered with 429; 7 in all');
    expect(ran.out).toMatch(/Requests today +2\n/);
  });

  test('a file that was changed after connecting so that it leads elsewhere is told', async () => {
    const gateway = await fakeGateway();
    await writeFiles(home, { '.codex/config.toml': '' });
    await run(['connect', '--gateway', gateway.url, '--yes']);
    await writeFile(join(home, '.codex/config.toml'), 'model = "x"\n');
    const status = await run(['status', '--gateway', gateway.url, '--json']);
    expect(status.json()).toMatchObject({
      agents: [{ state: 'absent' }, { state: 'changed' }, { state: 'absent' }, { state: 'absent' }],
    });
  });
});

describe('doctor', () => {
  test('one line for each part of the way; a bundle holds settings and counters and no secret', async () => {
    const gateway = await fakeGateway();
    gateway.answers.set('status', {
      version: '1',
      mode: 'local',
      upstreams: { anthropic: 'https://a.example', openai: 'http://b.example:81' },
    });
    await writeFiles(home, { '.claude/settings.json': '{"env":{"ANTHROPIC_AUTH_TOKEN":"sk-secret"}}' });
    await run(['connect', '--gateway', gateway.url, '--yes']);
    const reached: string[] = [];
    const world: Partial<World> = {
      ...worldOf({ HTTPS_PROXY: 'http://user:sk-secret@proxy.example:3128', NO_PROXY: '127.0.0.1' }),
      reaches: async (host, at) => {
        reached.push(`${host}:${at}`);
        return host !== 'b.example';
      },
    };
    const args = ['doctor', '--gateway', gateway.url, '--bundle', 'bundle.json'];
    const ran = await runCommand(args, { home, ...world });
    expect(ran.code).toBe(EXIT.unwell);
    expect(reached.sort()).toEqual(['b.example:81', 'proxy.example:3128']);
    expect(ran.out).toMatch(/ok +gateway: /);
    expect(ran.out).toMatch(/ok +Claude Code: /);
    expect(ran.out).toMatch(/BAD +upstream openai: b\.example:81 cannot be reached/);
    const bundle = await readFile(join(home, 'bundle.json'), 'utf8');
    expect(ran.out + bundle).not.toContain('sk-secret');
    expect(JSON.parse(bundle)).toMatchObject({ versions: { command: '0.0.0' }, gateway: { version: '1' } });
  });

  test('all well is exit code 0; no gateway is not', async () => {
    const gateway = await fakeGateway();
    const world = { ...worldOf(), reaches: async () => true };
    expect(await run(['doctor', '--gateway', gateway.url], world)).toMatchObject({ code: 0 });
    expect(await run(['doctor'], world)).toMatchObject({ code: EXIT.unwell });
  });
});

describe('the command line', () => {
  test.each([['connect'], ['disconnect'], ['status'], ['start'], ['stop'], ['doctor'], ['open'], []])(
    '%s --help says what it does, its options and the exit codes',
    async (...name) => {
      const ran = await run([...name, '--help']);
      expect(ran.code).toBe(0);
      expect(ran.out).toContain('Usage: context-mode');
      expect(ran.out).toContain('Exit codes:');
      expect(name.length === 0 || ran.out.includes('--json')).toBe(true);
    },
  );

  test('what is not understood is a mistake in the command line, for scripts as JSON', async () => {
    expect(await run(['bogus'])).toMatchObject({ code: EXIT.usage, error: expect.stringContaining('bogus') });
    expect((await run(['status', '--bogus', '--json'])).json()).toMatchObject({
      ok: false,
      exitCode: EXIT.usage,
    });
    expect(await run(['connect', '--agent', 'nobody'])).toMatchObject({ code: EXIT.usage });
    expect(await run(['stop', '--wait', 'soon'])).toMatchObject({ code: EXIT.usage });
  });

  test('a fault is one JSON value for scripts', async () => {
    expect((await run(['connect', '--yes', '--json'])).json()).toMatchObject({
      ok: false,
      exitCode: EXIT.noGateway,
      error: { message: expect.any(String), hint: expect.any(String) },
    });
  });
});
