import { chmod, lstat, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type FakeGateway, fakeGateway, runCommand, scratchFolder, writeFiles } from '../testing.ts';
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

/** Files as people have them, with all that an editor that reformats would lose. */
const FILES: Readonly<Record<string, [string, string]>> = {
  'odd formatting': [
    '{\n   "model" : "opus",\n\t"env":{ "A":"1"  ,\n"B" : "2" }\n ,"permissions": { "allow": ["Bash(ls:*)" ] } }\n\n',
    '  model="gpt-5.4"   # the one\n\n\n[ projects . "/a b" ]\n trust_level= "trusted"\n',
  ],
  'CRLF without a last line ending': [
    '{\r\n  "env": {\r\n    "A": "1"\r\n  }\r\n}',
    'model = "x"\r\n[t]\r\na = [\r\n 1,\r\n]',
  ],
  'a byte order mark': ['\uFEFF{"env":{"A":"1"}}\n', '\uFEFF# first\nmodel = "x"\n'],
  'comments and trailing commas': [
    '// mine\n{\n  "env": {\n    "A": "1", // why\n    /* more */\n  },\n}\n',
    '# top\n#openai_base_url = "no"\nmodel = "x" # why\n# end\n[t] # t\n# last',
  ],
  tabs: ['{\n\t"env": {\n\t\t"A": "1"\n\t}\n}\n', '\tmodel\t=\t"x"\n'],
  'empty files': ['', ''],
  'white space alone': ['\n\n', '\n \n'],
  'no env and no keys': ['{}', '[t]\na = 1\n'],
};

describe('connect, then disconnect', () => {
  test.each(Object.entries(FILES))(
    'gives the same bytes, mode and no other file: %s',
    async (_name, [json, toml]) => {
      await writeFiles(home, { [CLAUDE]: json, [CODEX]: toml });
      await chmod(join(home, CLAUDE), 0o640);
      expect(await connect()).toMatchObject({ code: 0 });
      expect(await textOf(CLAUDE)).toContain(`"${gateway.url}/anthropic"`);
      expect(await textOf(CODEX)).toContain(`openai_base_url = "${gateway.url}/openai/v1"`);
      expect((await stat(join(home, CLAUDE))).mode & 0o777).toBe(0o640);
      expect(await disconnect()).toMatchObject({ code: 0 });
      expect(await textOf(CLAUDE)).toBe(json);
      expect(await textOf(CODEX)).toBe(toml);
      expect((await stat(join(home, CLAUDE))).mode & 0o777).toBe(0o640);
      expect(await readdir(join(home, '.claude'))).toEqual(['settings.json']);
      expect(await readdir(join(home, '.codex'))).toEqual(['config.toml']);
    },
  );

  test('removes files that connecting made, and folders that it made for them', async () => {
    await mkdir(join(home, '.claude'));
    expect(await connect('--agent', 'claude-code', 'codex')).toMatchObject({ code: 0 });
    expect((await stat(join(home, CODEX))).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await textOf(CLAUDE))).toEqual({
      env: { ANTHROPIC_BASE_URL: `${gateway.url}/anthropic`, ENABLE_TOOL_SEARCH: 'true' },
    });
    expect(await disconnect()).toMatchObject({ code: 0 });
    expect(await readdir(join(home, '.claude'))).toEqual([]);
    expect(await readdir(home)).not.toContain('.codex');
  });

  test('both can be run twice', async () => {
    await writeFiles(home, { [CLAUDE]: '{"a":1}', [CODEX]: 'model = "x"\n' });
    await connect();
    const once = [await bytesOf(CLAUDE), await bytesOf(CODEX)];
    const again = await connect('--json');
    expect(again.json()).toMatchObject({
      ok: true,
      agents: [{ outcome: 'connected' }, { outcome: 'connected' }],
    });
    expect([await bytesOf(CLAUDE), await bytesOf(CODEX)]).toEqual(once);
    await disconnect();
    const twice = await disconnect('--json');
    expect(twice.json()).toMatchObject({ ok: true, agents: Array(4).fill({ outcome: 'none' }) });
    expect([await textOf(CLAUDE), await textOf(CODEX)]).toEqual(['{"a":1}', 'model = "x"\n']);
  });

  test('a second gateway takes the place of the first, and disconnecting still goes back to the byte', async () => {
    await writeFiles(home, { [CLAUDE]: '{ "env": {"A": "1"} }', [CODEX]: 'model = "x"' });
    await connect();
    const other = await fakeGateway();
    expect(await run(['connect', '--gateway', other.url, '--yes'])).toMatchObject({ code: 0 });
    expect(await textOf(CODEX)).toBe(`model = "x"\nopenai_base_url = "${other.url}/openai/v1"`);
    expect(await disconnect()).toMatchObject({ code: 0 });
    expect(await textOf(CLAUDE)).toBe('{ "env": {"A": "1"} }');
    expect(await textOf(CODEX)).toBe('model = "x"');
  });

  test('edits that others made in between stay, ours go', async () => {
    await writeFiles(home, { [CLAUDE]: '{\n  "model": "opus"\n}\n', [CODEX]: 'model = "x"\n' });
    await connect();
    await writeFile(join(home, CLAUDE), (await textOf(CLAUDE)).replace('"opus"', '"sonnet"'));
    await writeFile(join(home, CODEX), `${await textOf(CODEX)}[t]\na = 1\n`);
    expect(await disconnect('--json')).toMatchObject({ code: 0 });
    expect(await textOf(CLAUDE)).toBe('{\n  "model": "sonnet"\n}\n');
    expect(await textOf(CODEX)).toBe('model = "x"\n[t]\na = 1\n');
  });

  test('a value of ours that somebody changed is theirs and stays', async () => {
    await writeFiles(home, { [CODEX]: 'model = "x"\n' });
    await connect();
    await writeFile(join(home, CODEX), 'model = "x"\nopenai_base_url = "https://theirs.example/v1"\n');
    expect(await disconnect()).toMatchObject({ code: 0 });
    expect(await textOf(CODEX)).toBe('model = "x"\nopenai_base_url = "https://theirs.example/v1"\n');
  });

  test('what was set by hand is taken out without a record', async () => {
    const json = `{"env": {"ANTHROPIC_BASE_URL": "${gateway.url}/anthropic", "B": "2"}}`;
    await writeFiles(home, { [CLAUDE]: json, [CODEX]: `openai_base_url = "${gateway.url}/openai/v1"\n` });
    expect(await disconnect()).toMatchObject({ code: 0 });
    expect(await textOf(CLAUDE)).toBe('{"env": {"B": "2"}}');
    expect(await textOf(CODEX)).toBe('');
  });

  test('connecting what was half set by hand is taken out whole', async () => {
    await writeFiles(home, { [CLAUDE]: `{"env": {"ANTHROPIC_BASE_URL": "${gateway.url}/anthropic"}}` });
    expect(await connect()).toMatchObject({ code: 0 });
    expect(await textOf(CLAUDE)).toContain('ENABLE_TOOL_SEARCH');
    expect(await disconnect()).toMatchObject({ code: 0 });
    expect(JSON.parse(await textOf(CLAUDE))).toEqual({ env: {} });
  });

  test('symbolic links stay links: their target is written', async () => {
    await writeFiles(home, { 'dotfiles/claude.json': '{"a":1}', 'dotfiles/codex.toml': '' });
    await mkdir(join(home, '.claude'));
    await mkdir(join(home, '.codex'));
    await symlink('../dotfiles/link.json', join(home, CLAUDE));
    await symlink('claude.json', join(home, 'dotfiles/link.json'));
    await symlink('../dotfiles/not-there-yet.toml', join(home, CODEX));
    expect(await connect()).toMatchObject({ code: 0 });
    expect((await lstat(join(home, CLAUDE))).isSymbolicLink()).toBe(true);
    expect(await readlink(join(home, CLAUDE))).toBe('../dotfiles/link.json');
    expect(await textOf('dotfiles/claude.json')).toContain('ANTHROPIC_BASE_URL');
    expect(await textOf('dotfiles/not-there-yet.toml')).toContain('openai_base_url');
    expect(await disconnect()).toMatchObject({ code: 0 });
    expect(await textOf('dotfiles/claude.json')).toBe('{"a":1}');
    expect((await lstat(join(home, CODEX))).isSymbolicLink()).toBe(true);
  });

  test('the folders that the agents are told to use are used', async () => {
    const variables = {
      PATH: '',
      CLAUDE_CONFIG_DIR: join(home, 'c'),
      CODEX_HOME: 'd',
      CONTEXT_MODE_HOME: join(home, 'data'),
    };
    await writeFiles(home, { 'c/settings.json': '{}', 'd/config.toml': '' });
    expect(await run(['--gateway', gateway.url, '--yes'], { variables })).toMatchObject({ code: 0 });
    expect(await textOf('c/settings.json')).toContain(gateway.url);
    expect(await textOf('d/config.toml')).toContain(gateway.url);
    expect((await stat(join(home, 'data/agents.json'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(home, 'data'))).mode & 0o777).toBe(0o700);
  });

  test('what is remembered holds nothing of the file but our own keys', async () => {
    await writeFiles(home, {
      [CLAUDE]: '{"env":{"ANTHROPIC_AUTH_TOKEN":"sk-secret-1","Z":"2"},"x":"sk-secret-2"}',
    });
    await connect();
    expect(await textOf('.context-mode/agents.json')).not.toContain('sk-secret');
  });
});

describe('what a person should know', () => {
  const notes = async (world: Partial<World>) => {
    const ran = await run(['connect', '--gateway', gateway.url, '--dry-run', '--json'], world);
    const { agents } = ran.json() as { agents: { notes: { code: string; text: string }[] }[] };
    return agents.flatMap((agent) => agent.notes);
  };

  test('shell variables, proxies and settings of the project are named', async () => {
    await writeFiles(home, {
      [CLAUDE]: '{}',
      'project/.claude/settings.json': '{"env":{"ANTHROPIC_BASE_URL":"http://other.example"}}',
    });
    const variables = {
      PATH: '',
      ANTHROPIC_BASE_URL: 'http://user:secret@shell.example',
      HTTPS_PROXY: 'http://proxy.example:3128',
      CLAUDE_CODE_USE_BEDROCK: '1',
    };
    const found = await notes({ variables, folder: join(home, 'project') });
    expect(found.map((note) => note.code)).toEqual([
      'higher-settings',
      'other-service',
      'shell-variable',
      'proxy',
    ]);
    expect(JSON.stringify(found)).not.toContain('secret');
  });

  test('a proxy that leaves the gateway alone is not worth a word', async () => {
    await writeFiles(home, { [CLAUDE]: '{}' });
    expect(
      await notes({ variables: { HTTPS_PROXY: 'http://p.example', NO_PROXY: 'localhost,127.0.0.1' } }),
    ).toEqual([]);
  });

  test('a comment that keeps Claude Code from reading its file is named with its place', async () => {
    await writeFiles(home, { [CLAUDE]: '{\n  // c\n}' });
    expect(await notes({})).toMatchObject([
      { code: 'not-strict-json', text: expect.stringContaining('line 2, column 3') },
    ]);
  });

  test('an extra that the person has set otherwise stays as it is', async () => {
    await writeFiles(home, { [CLAUDE]: '{"env":{"ENABLE_TOOL_SEARCH":"false"}}' });
    await connect();
    expect(JSON.parse(await textOf(CLAUDE)).env.ENABLE_TOOL_SEARCH).toBe('false');
    await disconnect();
    expect(await textOf(CLAUDE)).toBe('{"env":{"ENABLE_TOOL_SEARCH":"false"}}');
  });

  test('agents that run are named', async () => {
    await writeFiles(home, { [CLAUDE]: '{}' });
    const processes = async () => [
      { pid: 4242, parent: 1, own: true, command: ['/usr/bin/claude', '-p', 'hello'] },
    ];
    const ran = await run(['connect', '--gateway', gateway.url, '--yes'], { processes });
    expect(ran.out).toContain('process 4242');
    expect(ran.out).toContain('next start');
  });

  test('Codex that is signed in with ChatGPT gets the door for it', async () => {
    await writeFiles(home, {
      [CODEX]: '',
      '.codex/auth.json': '{}',
      'bin/codex': '#!/bin/sh\necho Logged in using ChatGPT\n',
    });
    await chmod(join(home, 'bin/codex'), 0o755);
    const variables = { PATH: join(home, 'bin') };
    expect(await run(['connect', '--gateway', gateway.url, '--yes'], { variables })).toMatchObject({
      code: 0,
    });
    expect(await textOf(CODEX)).toContain(`${gateway.url}/chatgpt/codex"`);
  });

  test('sessions of the last hour are named by disconnect', async () => {
    const now = Date.parse('2026-01-01T12:00:00Z');
    gateway.answers.set('sessions', {
      items: [
        { agent: 'codex', title: 'Mend the parser', lastSeenAt: '2026-01-01T11:30:00.000Z' },
        { agent: 'codex', title: 'Yesterday', lastSeenAt: '2025-12-31T11:30:00.000Z' },
      ],
    });
    await writeFiles(home, { [CODEX]: '' });
    await connect();
    const ran = await run(['disconnect', '--gateway', gateway.url, '--yes'], { now: () => now });
    expect(ran.out).toContain('Mend the parser');
    expect(ran.out).not.toContain('Yesterday');
  });
});
