import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { jsonFormat } from '../edits/json-edit.ts';
import { lineNamedAs } from '../edits/json-lines.ts';
import { strictProblemOf } from '../edits/json-tree.ts';
import { shownUrl } from '../gateway/address.ts';
import { keyLine } from '../gateway/local-key.ts';
import type { World } from '../world.ts';
import type { Agent, Note, Setting } from './agent.ts';
import { proxyNote } from './proxies.ts';

const BASE_URL = ['env', 'ANTHROPIC_BASE_URL'] as const;
const HEADERS = ['env', 'ANTHROPIC_CUSTOM_HEADERS'] as const;
const DOOR = '/anthropic';
/** The address that Claude Code uses by itself. */
const PROVIDER = 'https://api.anthropic.com';
/** Variables that send Claude Code to another service than the one of its base URL. */
const OTHER_SERVICES = ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'];

/**
 * Claude Code. Its user settings are strict JSON (seen with 2.1.197: one comment or trailing comma, and the whole
 * file is ignored); variables in `env` outrank the shell's; a project's settings outrank the user's.
 */
export const claudeCode: Agent = {
  name: 'claude-code',
  title: 'Claude Code',
  program: 'claude',
  processNames: ['claude', 'claude-code'],
  format: jsonFormat,
  routes: [
    {
      baseUrlPath: BASE_URL,
      upstreamVariable: 'ANTHROPIC_UPSTREAM_URL',
      key: { path: HEADERS, lines: true },
    },
  ],
  programTells: true,
  folder: configFolder,
  file: (world) => join(configFolder(world), 'settings.json'),

  settings: async (_world, gateway, key) => [
    {
      path: BASE_URL,
      value: gateway + DOOR,
      why: 'requests go through the gateway',
      role: 'base-url',
    },
    ...keySettings(key),
    {
      path: ['env', 'ENABLE_TOOL_SEARCH'],
      value: 'true',
      why: 'with a base URL of its own Claude Code switches tool search off; this keeps it on',
      role: 'extra',
    },
  ],

  showsKey(text, key) {
    const value = jsonFormat.find(text, HEADERS)?.value ?? '';
    return lineNamedAs(value, keyLine(key)) === keyLine(key);
  },

  isDoor: (url, gateway) => url === gateway + DOOR,

  elsewhere(text, gateway) {
    const found = jsonFormat.find(text, BASE_URL);
    if (found === null || found.value === gateway + DOOR) return [];
    const url = found.value ?? found.written;
    if (url.replace(/\/+$/, '') === PROVIDER) return [];
    const upstreamVariable = 'ANTHROPIC_UPSTREAM_URL';
    return [{ url, replaceable: true, where: BASE_URL.join('.'), upstreamVariable }];
  },

  async notes(world, text, gateway) {
    const strict = strictProblemOf(text);
    const notes: Note[] = [
      ...(await higherSettings(world, gateway)),
      ...otherServices(world, text),
      ...shellVariable(world, gateway),
      ...proxyNote(world, gateway),
    ];
    if (strict) {
      notes.unshift({
        code: 'not-strict-json',
        text: `line ${strict.line}, column ${strict.column} holds ${strict.what}: Claude Code reads strict JSON and was seen to ignore such a file as a whole. Take it out, or this agent stays unconnected.`,
        blocks: true,
      });
    }
    return notes;
  },
};

function keySettings(key: string | null): Setting[] {
  if (key === null) return [];
  const why = 'shows the gateway that the requests are yours: without it nothing is recorded';
  return [{ path: HEADERS, value: keyLine(key), asLine: true, why, role: 'key' }];
}

function configFolder(world: World): string {
  const own = world.variables.CLAUDE_CONFIG_DIR;
  return own ? resolve(world.folder, own) : join(world.home, '.claude');
}

/** Settings files that outrank the user's: the machine's managed ones, and those of the project of this folder. */
async function higherSettings(world: World, gateway: string): Promise<Note[]> {
  const user = claudeCode.file(world);
  const paths = [
    managedSettings(world.platform),
    join(world.folder, '.claude', 'settings.local.json'),
    join(world.folder, '.claude', 'settings.json'),
  ].filter((path) => path !== user);
  const notes: Note[] = [];
  for (const path of paths) {
    const url = await baseUrlIn(path);
    if (url === null || url === gateway + DOOR) continue;
    notes.push({
      code: 'higher-settings',
      text: `${path} outranks this file and sets ANTHROPIC_BASE_URL to ${shownUrl(url)}.`,
      blocks: true,
    });
  }
  return notes;
}

function managedSettings(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return '/Library/Application Support/ClaudeCode/managed-settings.json';
  if (platform === 'win32') return 'C:\\Program Files\\ClaudeCode\\managed-settings.json';
  return '/etc/claude-code/managed-settings.json';
}

async function baseUrlIn(path: string): Promise<string | null> {
  try {
    const text = (await readFile(path, 'utf8')).replace(/^\uFEFF/, '');
    return strictProblemOf(text) === null ? (jsonFormat.find(text, BASE_URL)?.value ?? null) : null;
  } catch {
    return null;
  }
}

function otherServices(world: World, text: string): Note[] {
  return OTHER_SERVICES.flatMap((name) => {
    const inFile = jsonFormat.find(text, ['env', name])?.value;
    const value = inFile ?? world.variables[name];
    if (!value || value === '0' || value === 'false') return [];
    const where = inFile ? 'in the same file' : 'in this shell';
    return [
      {
        code: 'other-service',
        text: `${name} is set ${where}: Claude Code then does not use the base URL.`,
        blocks: true,
      },
    ];
  });
}

function shellVariable(world: World, gateway: string): Note[] {
  const url = world.variables.ANTHROPIC_BASE_URL;
  if (!url || url === gateway + DOOR) return [];
  return [
    {
      code: 'shell-variable',
      text: `ANTHROPIC_BASE_URL is set in this shell to ${shownUrl(url)}. Claude Code lets its settings file outrank it; other programs that read it do not pass the gateway.`,
      blocks: false,
    },
  ];
}
