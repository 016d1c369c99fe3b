import { execFile, spawn } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { EXIT } from './failure.ts';
import { type FakeGateway, fakeGateway, freePort, type Ran, scratchFolder, writeFiles } from './testing.ts';

const packageFolder = dirname(fileURLToPath(import.meta.url));
const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;
/** A user who is not the owner of anything here. */
const NOBODY = 65534;

/** A product that is nothing but a listener, for `start` and `stop`. */
const START_SCRIPT = `
import { createServer } from 'node:http';
import { rmSync, writeFileSync } from 'node:fs';
const file = process.env.CONTEXT_MODE_HOME + '/gateway.json';
const url = 'http://127.0.0.1:' + process.env.PORT;
createServer((request, response) => {
  response.writeHead(200, { 'x-context-mode-request-id': 'r' });
  response.end(JSON.stringify({ version: '9', mode: 'local', upstreams: {}, items: [] }));
}).listen(Number(process.env.PORT), '127.0.0.1', () => writeFileSync(file, JSON.stringify({ pid: process.pid, url })));
process.on('SIGTERM', () => { rmSync(file); process.exit(0); });
`;

let installed: string;

beforeAll(async () => {
  installed = await realpath(await mkdtemp(join(tmpdir(), 'context-mode-packed-')));
  const packed = await run('npm', ['pack', '--json', '--pack-destination', installed], {
    cwd: packageFolder,
  });
  const name = /[\w.-]+\.tgz/.exec(packed.stdout)?.[0] ?? '';
  await run(
    'npm',
    ['install', '--offline', '--no-audit', '--no-fund', '--prefix', installed, join(installed, name)],
    {
      cwd: installed,
    },
  );
  await chmod(installed, 0o755);
}, 120_000);

afterAll(() => rm(installed, { recursive: true, force: true }));

/** Ends the gateway of a test that failed before it stopped it. */
async function endLeftOver(gatewayFile: string): Promise<void> {
  const text = await readFile(gatewayFile, 'utf8').catch(() => null);
  if (text !== null) process.kill(Number(JSON.parse(text).pid), 'SIGKILL');
}

/** The program of each way in which people get the command. */
const WAYS = [
  ['in a clone', () => join(packageFolder, 'bin', 'context-mode.mjs')],
  ['packed and installed in an empty folder', () => join(installed, 'node_modules', '.bin', 'context-mode')],
] as const;

test('the package brings its program, its licence field and nothing that it does not need', async () => {
  const folder = join(installed, 'node_modules', '@context-mode', 'cli');
  expect((await readdir(folder)).sort()).toEqual(['README.md', 'bin', 'dist', 'package.json']);
  expect(await readdir(join(folder, 'dist'))).toEqual(['main.js']);
  expect(await readdir(join(installed, 'node_modules'))).toEqual(
    expect.not.arrayContaining(['commander', 'jsonc-parser', 'smol-toml']),
  );
});

describe.each(WAYS)('the command %s', (_way, program) => {
  let home: string;
  let gateway: FakeGateway;

  beforeEach(async () => {
    home = await scratchFolder();
    gateway = await fakeGateway();
  });

  /** Runs the program without a terminal, with a home of its own. */
  async function command(
    args: readonly string[],
    more: { variables?: Record<string, string>; as?: number } = {},
  ): Promise<Ran> {
    const line = [process.execPath, program(), ...args];
    const user =
      more.as === undefined ? [] : ['setpriv', `--reuid=${more.as}`, `--regid=${more.as}`, '--clear-groups'];
    const [file = '', ...rest] = [...user, ...line];
    const env = { NODE_ENV: 'test' as const, PATH: '/usr/bin:/bin', HOME: home, ...more.variables };
    const child = spawn(file, rest, { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let error = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      error += chunk;
    });
    const code = await new Promise<number>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (ended) => resolve(ended ?? 128));
    });
    return { code, out, error, json: () => JSON.parse(out) };
  }

  test('connects and gives the same bytes back', async () => {
    const files = { '.claude/settings.json': '{ "a": 1 }', '.codex/config.toml': 'model = "x"\r\n[t]\r\n' };
    await writeFiles(home, files);
    const connected = await command(['--gateway', gateway.url, '--yes', '--json']);
    expect(connected.json()).toMatchObject({ ok: true, agents: [{ written: true }, { written: true }] });
    for (const name of Object.keys(files))
      expect(await readFile(join(home, name), 'utf8')).toContain(gateway.url);
    expect(await command(['disconnect', '--gateway', gateway.url, '--yes'])).toMatchObject({ code: 0 });
    for (const [name, text] of Object.entries(files))
      expect(await readFile(join(home, name), 'utf8')).toBe(text);
  });

  test('without a terminal and without agreement writes nothing', async () => {
    await writeFiles(home, { '.claude/settings.json': '{}' });
    expect(await command(['--gateway', gateway.url])).toMatchObject({ code: EXIT.notAgreed });
    expect(await readFile(join(home, '.claude/settings.json'), 'utf8')).toBe('{}');
  });

  test('leaves a file that does not parse alone and says where', async () => {
    await writeFiles(home, { '.codex/config.toml': 'a = \n' });
    const ran = await command(['connect', '--gateway', gateway.url, '--yes']);
    expect(ran.code).toBe(EXIT.file);
    expect(ran.out).toMatch(/config\.toml, line 1, column \d+/);
    expect(await readFile(join(home, '.codex/config.toml'), 'utf8')).toBe('a = \n');
  });

  test.skipIf(process.platform === 'win32')(
    'changes nothing where file or folder may not be written by this user',
    async () => {
      await writeFiles(home, { '.claude/settings.json': '{"a":1}', '.codex/config.toml': 'a = 1\n' });
      await mkdir(join(home, '.context-mode'));
      const as = isRoot ? NOBODY : process.getuid?.();
      if (isRoot) {
        // The folder of one agent and the file of the other stay root's.
        for (const name of ['', '.context-mode', '.codex', '.claude/settings.json'])
          await chown(join(home, name), NOBODY, NOBODY);
        await chmod(join(home, '.codex/config.toml'), 0o644);
      } else {
        await chmod(join(home, '.claude'), 0o555);
        await chmod(join(home, '.codex/config.toml'), 0o444);
      }
      const ran = await command(
        ['connect', '--gateway', gateway.url, '--yes', '--json'],
        isRoot && as !== undefined ? { as } : {},
      );
      expect(ran.code).toBe(EXIT.file);
      expect(ran.json()).toMatchObject({ agents: [{ outcome: 'refused' }, { outcome: 'refused' }] });
      expect(await readdir(join(home, '.claude'))).toEqual(['settings.json']);
      expect(await readdir(join(home, '.codex'))).toEqual(['config.toml']);
      expect(await readFile(join(home, '.claude/settings.json'), 'utf8')).toBe('{"a":1}');
      expect(await readFile(join(home, '.codex/config.toml'), 'utf8')).toBe('a = 1\n');
      if (!isRoot) await chmod(join(home, '.claude'), 0o755);
    },
  );

  test('starts the gateway in the background, shows it, and stops it', async () => {
    const product = join(home, 'product');
    await writeFiles(product, {
      'package.json': '{"name":"context-mode"}',
      'server/setup/start.mjs': START_SCRIPT,
    });
    const variables = { CONTEXT_MODE_HOME: join(home, 'data'), PORT: String(await freePort()) };
    const started = await command(['start', '--product', product, '--json'], { variables });
    onTestFinished(() => endLeftOver(join(home, 'data', 'gateway.json')));
    expect(started.json()).toMatchObject({ ok: true, started: true });
    expect((await command(['status', '--json'], { variables })).json()).toMatchObject({
      gateway: { version: '9' },
    });
    expect((await command(['stop', '--json'], { variables })).json()).toMatchObject({ ended: 'stopped' });
    expect(await command(['status'], { variables })).toMatchObject({ code: EXIT.noGateway });
  });

  test('doctor looks at the way and writes a bundle', async () => {
    await writeFile(join(home, 'keep'), '');
    gateway.answers.set('status', { version: '1', mode: 'local', upstreams: { anthropic: gateway.url } });
    const ran = await command(['doctor', '--gateway', gateway.url, '--bundle', 'bundle.json']);
    expect(ran).toMatchObject({ code: 0 });
    expect(JSON.parse(await readFile(join(home, 'bundle.json'), 'utf8'))).toHaveProperty('versions.command');
  });

  test('shows its help and version', async () => {
    expect((await command(['--help'])).out).toContain('Exit codes:');
    expect((await command(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

test('the package that was installed alone says that the gateway is not beside it', async () => {
  const home = await scratchFolder();
  const env = {
    NODE_ENV: 'test' as const,
    PATH: '/usr/bin:/bin',
    HOME: home,
    PORT: String(await freePort()),
  };
  const program = join(installed, 'node_modules', '.bin', 'context-mode');
  const ran = run(process.execPath, [program, 'start'], { env, cwd: home });
  await expect(ran).rejects.toMatchObject({
    code: EXIT.process,
    stderr: expect.stringContaining('installed alone'),
  });
});
