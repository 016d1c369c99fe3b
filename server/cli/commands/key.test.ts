import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../failure.ts';
import { type FakeGateway, fakeGateway, runCommand, scratchFolder, writeFiles } from '../testing.ts';

const KEY = `cml_${'k'.repeat(43)}`;
const NEXT_KEY = `cml_${'n'.repeat(43)}`;
const CLAUDE = '.claude/settings.json';
const CODEX = '.codex/config.toml';
const OPENCODE = '.config/opencode/opencode.json';
const PI = '.pi/agent/models.json';
const STATUS = { version: '1.2.3', mode: 'local', keyNeeded: true, upstreams: {} };

let home: string;
let gateway: FakeGateway;

/** Puts the files of a running gateway into the data folder. */
async function noteGateway(url: string, key: string): Promise<void> {
  await writeFiles(home, {
    '.context-mode/gateway.json': JSON.stringify({ pid: process.pid, url, version: '1' }),
    '.context-mode/local.key': `${key}\n`,
  });
}

beforeEach(async () => {
  home = await scratchFolder();
  gateway = await fakeGateway({ key: KEY });
  gateway.answers.set('status', STATUS);
  gateway.answers.set('console-links', { url: `${gateway.url}/open/once` });
  await noteGateway(gateway.url, KEY);
});

const run = (...args: string[]) => runCommand(args, { home });
const textOf = (name: string) => readFile(join(home, name), 'utf8');

describe('a gateway that needs the local key', () => {
  test.each([
    ['no headers of its own', '{\n  "env": {\n    "A": "1"\n  }\n}\n', ''],
    [
      'headers of its own',
      '{ "env": {"ANTHROPIC_CUSTOM_HEADERS" : "A: 1\\nAuthorization: Bearer s3cret"} }',
      'A: 1\nAuthorization: Bearer s3cret\n',
    ],
  ])(
    'connect writes it for both agents, shows it to nobody, and disconnect takes exactly that out: %s',
    async (_name, json, others) => {
      const toml = 'model = "x"\n';
      await writeFiles(home, { [CLAUDE]: json, [CODEX]: toml });
      const connected = await run('connect', '--yes');
      expect(connected.code).toBe(0);
      expect(connected.out).not.toMatch(/cml_\w|s3cret/);
      const { env } = JSON.parse(await textOf(CLAUDE));
      expect(env.ANTHROPIC_CUSTOM_HEADERS).toBe(`${others}x-context-mode-key: ${KEY}`);
      expect(env.ANTHROPIC_BASE_URL).toBe(`${gateway.url}/anthropic`);
      expect(await textOf(CODEX)).toContain(`openai_base_url = "${gateway.url}/k/${KEY}/openai/v1"`);
      const again = await run('connect', '--yes', '--json');
      expect(again.json()).toMatchObject({
        agents: [{ outcome: 'connected' }, { outcome: 'connected' }],
      });
      const status = await run('status', '--json');
      expect(status.json()).toMatchObject({
        ok: true,
        agents: [
          { state: 'connected', notes: [] },
          { state: 'connected', notes: [] },
          { state: 'absent' },
          { state: 'absent' },
        ],
      });
      for (const { out } of [again, status, await run('doctor')]) expect(out).not.toMatch(/cml_\w|s3cret/);
      expect(await run('disconnect', '--yes')).toMatchObject({ code: 0 });
      expect([await textOf(CLAUDE), await textOf(CODEX)]).toEqual([json, toml]);
    },
  );

  test('OpenCode and Pi show it as a header of each provider, beside headers of the person’s own', async () => {
    const own = '{"provider":{"openai":{"options":{"headers":{"x-mine":"1"}}}}}';
    await writeFiles(home, { [OPENCODE]: own, [PI]: '{}' });
    const connected = await run('connect', '--yes');
    expect(connected.out).not.toMatch(/cml_\w/);
    const { provider } = JSON.parse(await textOf(OPENCODE));
    expect(provider.anthropic.options.headers).toEqual({ 'x-context-mode-key': KEY });
    expect(provider.openai.options.headers).toEqual({ 'x-mine': '1', 'x-context-mode-key': KEY });
    const { providers } = JSON.parse(await textOf(PI));
    expect(providers.openai).toEqual({
      baseUrl: `${gateway.url}/openai/v1`,
      headers: { 'x-context-mode-key': KEY },
    });
    expect((await run('status', '--json')).json()).toMatchObject({
      agents: [{}, {}, { state: 'connected', notes: [] }, { state: 'connected', notes: [] }],
    });
    expect(await run('disconnect', '--yes')).toMatchObject({ code: 0 });
    expect([await textOf(OPENCODE), await textOf(PI)]).toEqual([own, '{}']);
  });

  test('lines that were added since stay when ours is taken out', async () => {
    await writeFiles(home, { [CLAUDE]: '{"env":{"ANTHROPIC_CUSTOM_HEADERS":"A: 1"}}' });
    await run('connect', '--yes');
    await writeFile(join(home, CLAUDE), (await textOf(CLAUDE)).replace(`${KEY}"`, `${KEY}\\nB: 2"`));
    await run('disconnect', '--yes');
    expect(await textOf(CLAUDE)).toBe('{"env":{"ANTHROPIC_CUSTOM_HEADERS":"A: 1\\nB: 2"}}');
  });

  test('another key takes the place of the first; until then status says that nothing is recorded', async () => {
    const before = '{"env":{"ANTHROPIC_CUSTOM_HEADERS":"A: 1"}}';
    await writeFiles(home, { [CLAUDE]: before, [CODEX]: '' });
    await run('connect', '--yes');
    const text = await textOf(CLAUDE);
    gateway = await fakeGateway({ key: NEXT_KEY });
    gateway.answers.set('status', STATUS);
    await noteGateway(gateway.url, NEXT_KEY);
    await writeFile(join(home, CLAUDE), text.replace(/http:[^"]*/, `${gateway.url}/anthropic`));
    const status = await run('status');
    expect(status.out).toContain('lacks the local key');
    await run('connect', '--yes');
    expect(await textOf(CLAUDE)).toContain(NEXT_KEY);
    expect((await textOf(CLAUDE)) + (await textOf(CODEX))).not.toContain(KEY);
  });

  test('open prints a link; without the key file it says where to look', async () => {
    expect((await run('open', '--json')).json()).toMatchObject({
      url: `${gateway.url}/open/once`,
      once: true,
    });
    expect((await run('open')).out).toMatch(new RegExp(`^Console {2}${gateway.url}/open/once\n`));
    await writeFiles(home, { '.context-mode/local.key': '' });
    const refused = await run('open');
    expect(refused).toMatchObject({
      code: EXIT.noGateway,
      error: expect.stringContaining('CONTEXT_MODE_HOME'),
    });
    expect(await run('connect', '--yes')).toMatchObject({ code: EXIT.noGateway });
  });

  test('the key is shown to the gateway of the data folder alone, and only while that one lives', async () => {
    const other = await fakeGateway();
    await run('status', '--gateway', other.url);
    await run('status', '--gateway', gateway.url.replace('127.0.0.1', 'localhost'));
    await noteGateway(gateway.url, KEY);
    await runCommand(['status'], { home, lives: () => false });
    expect(new Set([...other.seenKeys, ...gateway.seenKeys])).toEqual(new Set([null]));
    await run('status');
    expect(gateway.seenKeys).toContain(KEY);
  });
});

test('a gateway that tells owners by itself gets no key written', async () => {
  gateway.answers.set('status', { ...STATUS, keyNeeded: false });
  await writeFiles(home, { [CLAUDE]: '{}', [CODEX]: '' });
  await run('connect', '--yes');
  expect((await textOf(CLAUDE)) + (await textOf(CODEX))).not.toContain('cml_');
});
