import { chmod, lstat, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type FakeGateway, fakeGateway, runCommand, scratchFolder, writeFiles } from '../testing.ts';
import type { World } from '../world.ts';

const OPENCODE = '.config/opencode/opencode.json';
const COMMENTED = '.config/opencode/opencode.jsonc';
const PI = '.pi/agent/models.json';

let home: string;
let gateway: FakeGateway;

beforeEach(async () => {
  home = await scratchFolder();
  gateway = await fakeGateway();
});

const run = (args: readonly string[], world: Partial<World> = {}) => runCommand(args, { home, ...world });
const connect = (...more: string[]) => run(['connect', '--gateway', gateway.url, '--yes', ...more]);
const disconnect = (...more: string[]) => run(['disconnect', '--gateway', gateway.url, '--yes', ...more]);
const textOf = (name: string) => readFile(join(home, name), 'utf8');

/** Files of OpenCode and of Pi as people have them. */
const FILES: Readonly<Record<string, [string, string]>> = {
  'comments, trailing commas and odd formatting': [
    '// mine\n{\n   "model" : "anthropic/claude-sonnet-4-6", /* why */\n\t"provider":{ "anthropic" :{"options":{ "timeout":1 },},},\n}\n',
    '{\n  // mine\n  "providers": { "ollama" : {"baseUrl":"http://localhost:11434/v1","api":"openai-completions","apiKey":"x","models":[{"id":"a"}],} }\n}\n',
  ],
  'CRLF without a last line ending': ['{\r\n  "share": "disabled"\r\n}', '{\r\n  "providers": {}\r\n}'],
  'tabs, one provider there': [
    '{\n\t"provider": {\n\t\t"openai": {\n\t\t\t"options": {}\n\t\t}\n\t}\n}\n',
    '{\n\t"providers": {\n\t\t"openai": {\n\t\t\t"headers": {"x": "1"}\n\t\t}\n\t}\n}\n',
  ],
  'empty objects': ['{}', '{}'],
};

describe('connect, then disconnect, for OpenCode and Pi', () => {
  test.each(Object.entries(FILES))('gives the same bytes: %s', async (_name, [openCode, pi]) => {
    await writeFiles(home, { [OPENCODE]: openCode, [PI]: pi });
    expect(await connect()).toMatchObject({ code: 0 });
    expect(await textOf(OPENCODE)).toContain(`${gateway.url}/anthropic/v1`);
    expect(await textOf(OPENCODE)).toContain(`${gateway.url}/openai/v1`);
    expect(await textOf(PI)).toContain(`"${gateway.url}/anthropic"`);
    expect(await textOf(PI)).toContain(`${gateway.url}/openai/v1`);
    const again = await connect('--json');
    expect(again.json()).toMatchObject({ agents: [{ outcome: 'connected' }, { outcome: 'connected' }] });
    expect(await disconnect()).toMatchObject({ code: 0 });
    expect([await textOf(OPENCODE), await textOf(PI)]).toEqual([openCode, pi]);
    expect(await disconnect()).toMatchObject({ code: 0 });
    expect([await textOf(OPENCODE), await textOf(PI)]).toEqual([openCode, pi]);
  });

  test('removes files and folders that connecting made', async () => {
    expect(await connect('--agent', 'opencode', 'pi')).toMatchObject({ code: 0 });
    expect(JSON.parse(await textOf(OPENCODE))).toEqual({
      $schema: 'https://opencode.ai/config.json',
      provider: {
        anthropic: { options: { baseURL: `${gateway.url}/anthropic/v1` } },
        openai: { options: { baseURL: `${gateway.url}/openai/v1` } },
      },
    });
    expect(JSON.parse(await textOf(PI))).toEqual({
      providers: {
        anthropic: { baseUrl: `${gateway.url}/anthropic` },
        openai: { baseUrl: `${gateway.url}/openai/v1` },
      },
    });
    expect(await disconnect()).toMatchObject({ code: 0 });
    const left = await readdir(home);
    expect(left).not.toContain('.config');
    expect(left).not.toContain('.pi');
  });

  test('takes out what was set by hand, and leaves edits that others made', async () => {
    await writeFiles(home, {
      [OPENCODE]: `{"model":"x","provider":{"anthropic":{"options":{"baseURL":"${gateway.url}/anthropic/v1"}}}}`,
      [PI]: '{}',
    });
    expect((await run(['status', '--gateway', gateway.url, '--json'])).json()).toMatchObject({
      agents: [{}, {}, { state: 'not-connected' }, { state: 'not-connected' }],
    });
    expect(await connect('--agent', 'pi')).toMatchObject({ code: 0 });
    await writeFile(join(home, PI), (await textOf(PI)).replace('{', '{ "mine": "1",'));
    expect(await disconnect()).toMatchObject({ code: 0 });
    expect(JSON.parse(await textOf(OPENCODE))).toMatchObject({ model: 'x' });
    expect(await textOf(OPENCODE)).not.toContain(gateway.url);
    expect(JSON.parse(await textOf(PI))).toEqual({ mine: '1' });
  });

  test('writes the file with comments where OpenCode has two, and through links', async () => {
    await writeFiles(home, { [OPENCODE]: '{"a":1}', 'dotfiles/o.jsonc': '{} // x\n' });
    await symlink('../../dotfiles/o.jsonc', join(home, COMMENTED));
    expect(await connect()).toMatchObject({ code: 0 });
    expect(await textOf(OPENCODE)).toBe('{"a":1}');
    expect((await lstat(join(home, COMMENTED))).isSymbolicLink()).toBe(true);
    expect(await textOf('dotfiles/o.jsonc')).toContain(gateway.url);
    expect(await disconnect()).toMatchObject({ code: 0 });
    expect(await textOf('dotfiles/o.jsonc')).toBe('{} // x\n');
  });

  test('an address that leads elsewhere stays until the person agrees, and comes back', async () => {
    const before = '{"providers":{"openai":{"baseUrl":"https://other.example/v1"}}}';
    await writeFiles(home, { [PI]: before });
    const refused = await connect('--json');
    expect(refused.json()).toMatchObject({
      ok: false,
      agents: [
        {
          agent: 'pi',
          outcome: 'refused',
          error: { hint: expect.stringContaining('OPENAI_UPSTREAM_URL=https://other.example ') },
        },
      ],
    });
    expect(await textOf(PI)).toBe(before);
    expect(await connect('--replace')).toMatchObject({ code: 0 });
    expect(await textOf(PI)).not.toContain('other.example');
    expect(await disconnect()).toMatchObject({ code: 0 });
    expect(await textOf(PI)).toBe(before);
  });

  test('a file that does not parse, and a table that is no table, are left alone', async () => {
    await writeFiles(home, { [OPENCODE]: '{\n "provider": "no"\n}', [PI]: '{"providers":' });
    const refused = await connect('--json');
    expect(refused.json()).toMatchObject({
      agents: [
        { error: { message: expect.stringContaining('line 2, column 14: "provider" is not an object.') } },
        { error: { message: expect.stringContaining('line 1') } },
      ],
    });
    expect(await textOf(PI)).toBe('{"providers":');
  });
});

describe('what a person of OpenCode or Pi should know', () => {
  const notes = async (world: Partial<World> = {}) => {
    const ran = await run(['connect', '--gateway', gateway.url, '--dry-run', '--json'], world);
    const { agents } = ran.json() as { agents: { notes: { code: string; text: string }[] }[] };
    return agents.flatMap((agent) => agent.notes);
  };

  test('a project’s file that outranks theirs, and a configuration that the shell names', async () => {
    await writeFiles(home, {
      [OPENCODE]: '{}',
      'project/.opencode/opencode.json':
        '{"provider":{"openai":{"options":{"baseURL":"http://u:secret@o.example"}}}}',
    });
    const variables = { PATH: '', OPENCODE_CONFIG: '/elsewhere.json' };
    const found = await notes({ variables, folder: join(home, 'project') });
    expect(found.map((note) => note.code)).toEqual(['higher-settings', 'other-config']);
    expect(JSON.stringify(found)).not.toContain('secret');
  });

  test('a comment that Pi cannot read, with its place', async () => {
    await writeFiles(home, { [PI]: '{ // "/* fine\n "a": "/* fine */" /* not */\n}' });
    const [found] = await notes();
    expect(found).toMatchObject({
      code: 'unreadable-comment',
      text: expect.stringContaining('line 2, column 20'),
    });
  });

  test('a program named pi alone is not taken for the agent', async () => {
    await writeFiles(home, { 'bin/pi': '#!/bin/sh\n', 'bin/opencode': '#!/bin/sh\n' });
    for (const name of ['pi', 'opencode']) await chmod(join(home, 'bin', name), 0o755);
    const ran = await run(['status', '--gateway', gateway.url, '--json'], {
      variables: { PATH: join(home, 'bin') },
    });
    expect(ran.json()).toMatchObject({
      agents: [{}, {}, { state: 'not-connected' }, { state: 'absent' }],
    });
  });
});
