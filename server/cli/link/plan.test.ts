import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Agent, Setting } from '../agents/agent.ts';
import { claudeCode } from '../agents/claude-code.ts';
import { codex } from '../agents/codex.ts';
import { openCode } from '../agents/opencode.ts';
import { pi } from '../agents/pi.ts';
import { applySplices } from '../edits/splice.ts';
import { configTexts, settingsTexts } from '../edits/testing.ts';
import { type ConfigFile, encode } from '../files/config-file.ts';
import type { ConnectionRecord } from '../files/state.ts';
import { keyLine } from '../gateway/local-key.ts';
import { type ConnectPlan, planConnect, planDisconnect } from './plan.ts';

const GATEWAY = 'http://127.0.0.1:4141';
const OTHER = 'http://127.0.0.1:4242';

const KEY = `cml_${'k'.repeat(43)}`;
const keySetting: Setting = {
  path: ['env', 'ANTHROPIC_CUSTOM_HEADERS'],
  value: keyLine(KEY),
  asLine: true,
  why: '',
  role: 'key',
};
/** Claude Code with a gateway that needs the local key. */
const keyedClaude: Agent = { ...claudeCode };

/** Base URL and key of each provider. */
const eachProvider = (agent: Agent, gateway: string, anthropic: string): Setting[] =>
  agent.routes.flatMap(({ baseUrlPath, key }, index): Setting[] => [
    {
      path: baseUrlPath,
      value: gateway + (index === 0 ? anthropic : '/openai/v1'),
      why: '',
      role: 'base-url',
    },
    { path: key?.path ?? [], value: KEY, why: '', role: 'key' },
  ]);

function settingsOf(agent: Agent, gateway: string): Setting[] {
  const path = agent.routes[0]?.baseUrlPath ?? [];
  switch (agent.name) {
    case 'claude-code':
      return [
        { path, value: `${gateway}/anthropic`, why: '', role: 'base-url' },
        { path: ['env', 'ENABLE_TOOL_SEARCH'], value: 'true', why: '', role: 'extra' },
        ...(agent === keyedClaude ? [keySetting] : []),
      ];
    case 'codex':
      return [{ path, value: `${gateway}/openai/v1`, why: '', role: 'base-url' }];
    case 'opencode':
      return [
        { path: ['$schema'], value: 'https://opencode.ai/config.json', why: '', role: 'extra' },
        ...eachProvider(agent, gateway, '/anthropic/v1'),
      ];
    case 'pi':
      return eachProvider(agent, gateway, '/anthropic');
  }
}

function fileOf(text: string, hasBom: boolean): ConfigFile {
  const path = '/home/dev/file';
  const file = { path, target: path, text, hasBom, mode: 0o600, owner: null };
  return { ...file, bytes: encode({ ...file, bytes: null }, text) };
}

function plan(
  agent: Agent,
  file: ConfigFile,
  record: ConnectionRecord | null,
  gateway = GATEWAY,
): ConnectPlan {
  return planConnect(agent, file, record, { settings: settingsOf(agent, gateway), gateway, replace: true });
}

function recordOf(agent: Agent, file: ConfigFile, made: ConnectPlan, gateway = GATEWAY): ConnectionRecord {
  const { entries, tables, exact } = made;
  const times = { connectedAt: '2026-01-01T00:00:00.000Z', folders: [] };
  return { agent: agent.name, target: file.target, gateway, ...times, entries, tables, exact };
}

/** The file and the record after connecting. */
function connected(
  agent: Agent,
  file: ConfigFile,
  record: ConnectionRecord | null = null,
  gateway = GATEWAY,
) {
  const made = plan(agent, file, record, gateway);
  const after = fileOf(made.text, file.hasBom);
  return { file: after, record: made.outcome === 'change' ? recordOf(agent, file, made, gateway) : record };
}

/** Settings files that may hold headers of the person's own already. */
const headerTexts = fc
  .tuple(settingsTexts, fc.constantFrom(null, '', 'A: 1', 'A: 1\nB: 2\n', 'x-context-mode-key: mine'))
  .map(([text, value]) =>
    value === null
      ? text
      : (applySplices(text, claudeCode.format.set(text, [{ path: keySetting.path, value }])) ?? ''),
  );

/** Files in which some of the tables that are needed are there already. */
const providerTexts = fc
  .tuple(
    settingsTexts,
    fc.constantFrom(
      null,
      ['provider', 'anthropic', 'name'],
      ['provider', 'openai', 'options', 'headers', 'x-mine'],
      ['providers', 'anthropic', 'apiKey'],
      ['providers', 'openai', 'headers', 'x-mine'],
    ),
  )
  .map(([text, path]) =>
    path === null ? text : (applySplices(text, claudeCode.format.set(text, [{ path, value: 'mine' }])) ?? ''),
  );

const edit = [{ path: ['by_another'], value: 'x' }];

describe.each([
  ['Claude Code', claudeCode, settingsTexts],
  ['Claude Code with a key', keyedClaude, headerTexts],
  ['Codex', codex, configTexts],
  ['OpenCode', openCode, providerTexts],
  ['Pi', pi, providerTexts],
] as const)('%s, whatever its file looks like', (_name, agent, texts) => {
  const files = fc.tuple(texts, fc.boolean()).map(([text, hasBom]) => fileOf(text, hasBom));

  test('connect and disconnect give the same bytes', () => {
    fc.assert(
      fc.property(files, (file) => {
        const { file: after, record } = connected(agent, file);
        const back = planDisconnect(agent, after, record, [GATEWAY]);
        expect(encode(after, back.text)).toEqual(file.bytes);
      }),
      { numRuns: 300 },
    );
  });

  test('connecting twice is connecting once', () => {
    fc.assert(
      fc.property(files, (file) => {
        const once = connected(agent, file);
        expect(plan(agent, once.file, once.record)).toMatchObject({
          outcome: 'connected',
          text: once.file.text,
        });
      }),
      { numRuns: 200 },
    );
  });

  test('connecting to another gateway in between loses nothing of the way back', () => {
    fc.assert(
      fc.property(files, (file) => {
        const first = connected(agent, file);
        const second = connected(agent, first.file, first.record, OTHER);
        const back = planDisconnect(agent, second.file, second.record, [OTHER]);
        expect(encode(second.file, back.text)).toEqual(file.bytes);
      }),
      { numRuns: 200 },
    );
  });

  test('an edit by another program in between is kept, and nothing of ours is left', () => {
    fc.assert(
      fc.property(files, (file) => {
        const { file: after, record } = connected(agent, file);
        const edited = applySplices(after.text, agent.format.set(after.text, edit)) ?? '';
        const back = planDisconnect(agent, fileOf(edited, file.hasBom), record, [GATEWAY]);
        expect(agent.format.find(back.text, ['by_another'])?.value).toBe('x');
        for (const setting of settingsOf(agent, GATEWAY)) {
          const before = agent.format.find(file.text, setting.path);
          expect(agent.format.find(back.text, setting.path)).toEqual(before);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('after such an edit both can still be run again and again', () => {
    fc.assert(
      fc.property(files, (file) => {
        const first = connected(agent, file);
        const edited = fileOf(
          applySplices(first.file.text, agent.format.set(first.file.text, edit)) ?? '',
          file.hasBom,
        );
        const again = plan(agent, edited, first.record);
        expect(again).toMatchObject({ outcome: 'connected', text: edited.text });
        const back = planDisconnect(agent, edited, first.record, [GATEWAY]);
        const disconnected = fileOf(back.text, file.hasBom);
        expect(planDisconnect(agent, disconnected, null, [GATEWAY]).outcome).toBe('none');
      }),
      { numRuns: 200 },
    );
  });
});

describe('a key without a record of it', () => {
  const file = (headers: string) =>
    fileOf(
      JSON.stringify({
        env: { ANTHROPIC_BASE_URL: `${GATEWAY}/anthropic`, ANTHROPIC_CUSTOM_HEADERS: headers },
      }),
      false,
    );

  test('goes with the base URL that leads to this gateway, and other lines stay', () => {
    const headers = (text: string) =>
      JSON.parse(planDisconnect(claudeCode, file(text), null, [GATEWAY]).text).env;
    expect(headers(`A: 1\n${keyLine(KEY)}`)).toEqual({ ANTHROPIC_CUSTOM_HEADERS: 'A: 1' });
    expect(headers(keyLine(KEY))).toEqual({});
    expect(headers('x-context-mode-key: mine')).toEqual({
      ANTHROPIC_CUSTOM_HEADERS: 'x-context-mode-key: mine',
    });
  });

  test('stays where the base URL leads to another gateway', () => {
    expect(planDisconnect(claudeCode, file(keyLine(KEY)), null, [OTHER]).outcome).toBe('none');
  });

  test('in the path of Codex goes with it', () => {
    const text = `openai_base_url = "${GATEWAY}/k/${KEY}/openai/v1"\n`;
    expect(planDisconnect(codex, fileOf(text, false), null, [GATEWAY])).toMatchObject({
      outcome: 'keys',
      text: '',
    });
  });
});
