import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { jsonFormat } from '../edits/json-edit.ts';
import { shownUrl } from '../gateway/address.ts';
import type { World } from '../world.ts';
import type { Agent, Note, Setting } from './agent.ts';
import { byProvider, type Provider } from './by-provider.ts';
import { proxyNote } from './proxies.ts';

const options = (id: string) => ['provider', id, 'options'];

/** OpenCode puts `/messages` behind the first address, so that it ends in `/v1` as the second does. */
const PROVIDERS: readonly Provider[] = [
  {
    title: 'Anthropic',
    baseUrlPath: [...options('anthropic'), 'baseURL'],
    headersPath: [...options('anthropic'), 'headers'],
    door: '/anthropic/v1',
    usual: 'https://api.anthropic.com/v1',
    upstreamVariable: 'ANTHROPIC_UPSTREAM_URL',
  },
  {
    title: 'OpenAI',
    baseUrlPath: [...options('openai'), 'baseURL'],
    headersPath: [...options('openai'), 'headers'],
    door: '/openai/v1',
    usual: 'https://api.openai.com/v1',
    upstreamVariable: 'OPENAI_UPSTREAM_URL',
  },
];

/** OpenCode writes this line into a file that lacks it. With it the file stays as connecting left it. */
const SCHEMA: Setting = {
  path: ['$schema'],
  value: 'https://opencode.ai/config.json',
  why: 'OpenCode would add this line by itself; so the file stays as it is written',
  role: 'extra',
};

const providers = byProvider(jsonFormat, PROVIDERS);

/** Variables that bring in another configuration, which outranks the user's. */
const OTHER_CONFIGS = ['OPENCODE_CONFIG', 'OPENCODE_CONFIG_DIR', 'OPENCODE_CONFIG_CONTENT'];

/**
 * OpenCode. Its user configuration is `opencode.json` or `opencode.jsonc`, comments allowed; where both are there the
 * second outranks the first (seen with 1.18.33). A project's file outranks the user's.
 */
export const openCode: Agent = {
  name: 'opencode',
  title: 'OpenCode',
  program: 'opencode',
  processNames: ['opencode'],
  format: jsonFormat,
  programTells: true,
  ...providers,
  folder: configFolder,

  file(world) {
    const commented = join(configFolder(world), 'opencode.jsonc');
    return existsSync(commented) ? commented : join(configFolder(world), 'opencode.json');
  },

  settings: async (world, gateway, key) => [SCHEMA, ...(await providers.settings(world, gateway, key))],

  notes: async (world, _text, gateway) => [
    ...(await projectFiles(world, gateway)),
    ...otherConfigs(world),
    ...proxyNote(world, gateway),
  ],
};

function configFolder(world: World): string {
  const own = world.variables.XDG_CONFIG_HOME;
  return join(own ? resolve(world.folder, own) : join(world.home, '.config'), 'opencode');
}

/** Files of the project of this folder that name other addresses. */
async function projectFiles(world: World, gateway: string): Promise<Note[]> {
  const notes: Note[] = [];
  for (const folder of [world.folder, join(world.folder, '.opencode')]) {
    for (const name of ['opencode.json', 'opencode.jsonc']) {
      const path = join(folder, name);
      const text = path === openCode.file(world) ? null : await textOf(path);
      for (const { url, where } of text === null ? [] : foundElsewhere(text, gateway)) {
        notes.push({
          code: 'higher-settings',
          text: `${path} outranks this file and sets ${where} to ${shownUrl(url)}.`,
          blocks: true,
        });
      }
    }
  }
  return notes;
}

function foundElsewhere(text: string, gateway: string) {
  try {
    jsonFormat.check(text);
    return openCode.elsewhere(text, gateway);
  } catch {
    return [];
  }
}

function textOf(path: string): Promise<string | null> {
  return readFile(path, 'utf8').then(
    (text) => text.replace(/^\uFEFF/, ''),
    () => null,
  );
}

function otherConfigs(world: World): Note[] {
  return OTHER_CONFIGS.flatMap((name) =>
    world.variables[name]
      ? [
          {
            code: 'other-config',
            text: `${name} is set in this shell: OpenCode reads that configuration too, and it outranks this file. Where it names a base URL of its own, requests do not pass the gateway.`,
            blocks: false,
          },
        ]
      : [],
  );
}
