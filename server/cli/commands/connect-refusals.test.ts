import { chmod, mkdir, readdir, readFile, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../failure.ts';
import {
  type FakeGateway,
  fakeGateway,
  freePort,
  runCommand,
  scratchFolder,
  writeFiles,
} from '../testing.ts';
import type { World } from '../world.ts';

const CLAUDE = '.claude/settings.json';
const CODEX = '.codex/config.toml';

let home: string;
let gateway: FakeGateway;

beforeEach(async () => {
  home = await scratchFolder();
  gateway = await fakeGateway();
});

const run = (args: readonly string[], world: Partial<World> = {}) => runCommand(args, { home, ...world });
const connect = (...more: string[]) => run(['connect', '--gateway', gateway.url, '--yes', ...more]);
const disconnect = (...more: string[]) => run(['disconnect', '--gateway', gateway.url, '--yes', ...more]);
const bytesOf = (name: string) => readFile(join(home, name));
const textOf = (name: string) => readFile(join(home, name), 'utf8');

describe('what must not be written is not written', () => {
  test.each([
    ['--dry-run', ['--dry-run'], 0],
    ['no agreement where nobody can be asked', [], EXIT.notAgreed],
  ])('%s', async (_name, more, code) => {
    await writeFiles(home, { [CLAUDE]: '{"a":1}' });
    for (const json of [[], ['--json']]) {
      const ran = await run(['connect', '--gateway', gateway.url, ...more, ...json]);
      expect(ran.code).toBe(code);
      expect(ran.out).toContain('ANTHROPIC_BASE_URL');
    }
    expect(await textOf(CLAUDE)).toBe('{"a":1}');
    expect(await readdir(home)).toEqual(['.claude']);
    await connect();
    const connected = await textOf(CLAUDE);
    expect((await run(['disconnect', '--gateway', gateway.url, ...more])).code).toBe(code);
    expect(await textOf(CLAUDE)).toBe(connected);
  });

  test('an answer of no at the terminal writes nothing, an answer of yes writes', async () => {
    await writeFiles(home, { [CLAUDE]: '{"a":1}' });
    const args = ['--gateway', gateway.url];
    expect((await run(args, { terminal: true, ask: async () => false })).code).toBe(EXIT.notAgreed);
    expect(await textOf(CLAUDE)).toBe('{"a":1}');
    expect((await run(args, { terminal: true, ask: async () => true })).code).toBe(0);
    expect(await textOf(CLAUDE)).toContain('ANTHROPIC_BASE_URL');
  });

  test.each([
    ['broken JSON', '{\n  "env": {,}\n}', 'line 2, column 11'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'is not UTF-8'],
    ['env that is no object', '{"env": [1]}', 'line 1, column 9'],
  ])('%s: left alone, said where, and the other agent is connected', async (_name, content, said) => {
    await writeFiles(home, { [CLAUDE]: content, [CODEX]: '' });
    const ran = await connect();
    expect(ran.code).toBe(EXIT.file);
    expect(ran.out).toContain(said);
    expect(await bytesOf(CLAUDE)).toEqual(Buffer.from(content));
    expect(await textOf(CODEX)).toContain('openai_base_url');
  });

  test('a file that broke after connecting is left alone by disconnect', async () => {
    await writeFiles(home, { [CODEX]: 'a = 1\n' });
    await connect();
    await writeFile(join(home, CODEX), `${await textOf(CODEX)}b = \n`);
    const broken = await textOf(CODEX);
    const ran = await disconnect();
    expect(ran).toMatchObject({ code: EXIT.file });
    expect(ran.out).toMatch(/line 3, column \d+/);
    expect(await textOf(CODEX)).toBe(broken);
    await writeFile(join(home, CODEX), broken.replace('b = \n', 'b = 2\n'));
    expect(await disconnect()).toMatchObject({ code: 0 });
    expect(await textOf(CODEX)).toBe('a = 1\nb = 2\n');
  });

  test.each([
    ['a file without write permission', async () => chmod(join(home, CLAUDE), 0o444), 'read-only'],
    [
      'a folder in place of the file',
      async () => {
        await unlink(join(home, CLAUDE));
        await mkdir(join(home, CLAUDE));
      },
      'not an ordinary file',
    ],
    [
      'links that go in a circle',
      async () => {
        await unlink(join(home, CLAUDE));
        await symlink('settings.json', join(home, CLAUDE));
      },
      'circle',
    ],
  ])('%s is refused', async (_name, prepare, said) => {
    await writeFiles(home, { [CLAUDE]: '{"a":1}' });
    await prepare();
    const ran = await connect();
    expect(ran.code).toBe(EXIT.file);
    expect(ran.out).toContain(said);
    expect(await readdir(join(home, '.claude'))).toEqual(['settings.json']);
    expect(
      JSON.parse(await readFile(join(home, '.context-mode/agents.json'), 'utf8').catch(() => '{"agents":{}}'))
        .agents,
    ).toEqual({});
  });

  test('no gateway answers: nothing is written', async () => {
    await writeFiles(home, { [CLAUDE]: '{}' });
    const nobody = `http://127.0.0.1:${await freePort()}`;
    const ran = await run(['connect', '--gateway', nobody, '--yes']);
    expect(ran).toMatchObject({ code: EXIT.noGateway });
    expect(ran.error).toContain('context-mode start');
    expect(await textOf(CLAUDE)).toBe('{}');
  });

  test.each([
    ['another program', { ours: false }],
    ['a gateway that is not well', { health: 503 }],
  ])('%s answers: nothing is written', async (_name, options) => {
    const { url } = await fakeGateway(options);
    await writeFiles(home, { [CLAUDE]: '{}' });
    expect(await run(['connect', '--gateway', url, '--yes'])).toMatchObject({ code: EXIT.noGateway });
    expect(await textOf(CLAUDE)).toBe('{}');
  });

  test('no agent is on the machine', async () => {
    expect(await connect()).toMatchObject({ code: EXIT.noAgent });
  });

  test('an address that is none is a mistake in the command line', async () => {
    expect(await run(['connect', '--gateway', 'localhost', '--json'])).toMatchObject({ code: EXIT.usage });
  });
});

describe('an address that leads elsewhere', () => {
  const OLD = '{"env": {"ANTHROPIC_BASE_URL" : "https://user:secret@proxy.example/x"}}';

  test('is shown without its password and nothing is written', async () => {
    await writeFiles(home, { [CLAUDE]: OLD });
    const ran = await connect();
    expect(ran.code).toBe(EXIT.file);
    expect(ran.out).toContain('https://proxy.example/x');
    expect(ran.out).toContain('ANTHROPIC_UPSTREAM_URL');
    expect(ran.out).not.toContain('secret');
    expect(await textOf(CLAUDE)).toBe(OLD);
  });

  test('gives way with --replace and comes back with disconnect, also after edits by others', async () => {
    await writeFiles(home, { [CLAUDE]: OLD });
    const ran = await connect('--replace');
    expect(ran.code).toBe(0);
    expect(ran.out).not.toContain('secret');
    expect(JSON.parse(await textOf(CLAUDE)).env.ANTHROPIC_BASE_URL).toBe(`${gateway.url}/anthropic`);
    await disconnect();
    expect(await textOf(CLAUDE)).toBe(OLD);
    await connect('--replace');
    await writeFile(join(home, CLAUDE), `${await textOf(CLAUDE)}\n`);
    const back = await disconnect();
    expect(back.out).not.toContain('secret');
    expect(await textOf(CLAUDE)).toBe(`${OLD}\n`);
  });

  test('is no obstacle where the gateway itself leads there', async () => {
    gateway.answers.set('status', {
      version: '1',
      mode: 'local',
      upstreams: { openai: 'https://proxy.example' },
    });
    await writeFiles(home, { [CODEX]: 'openai_base_url = "https://proxy.example/v1"\n' });
    expect(await connect()).toMatchObject({ code: 0 });
    await disconnect();
    expect(await textOf(CODEX)).toBe('openai_base_url = "https://proxy.example/v1"\n');
  });

  test("is no obstacle where it is the provider's own", async () => {
    await writeFiles(home, { [CLAUDE]: '{"env":{"ANTHROPIC_BASE_URL":"https://api.anthropic.com/"}}' });
    expect(await connect()).toMatchObject({ code: 0 });
  });

  test('that another provider of Codex sets is not replaced, not even with --replace', async () => {
    const text = 'model_provider = "mine"\n[model_providers.mine]\nbase_url = "https://mine.example/v1"\n';
    await writeFiles(home, { [CODEX]: text });
    const ran = await connect('--replace');
    expect(ran.code).toBe(EXIT.file);
    expect(ran.out).toContain('https://mine.example/v1');
    expect(ran.out).toContain('OPENAI_UPSTREAM_URL=https://mine.example');
    expect(await textOf(CODEX)).toBe(text);
  });
});
