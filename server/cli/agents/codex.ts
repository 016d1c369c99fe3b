import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parse } from 'smol-toml';
import { tomlFormat } from '../edits/toml-edit.ts';
import type { World } from '../world.ts';
import type { Agent, Elsewhere } from './agent.ts';
import { programPath } from './program.ts';
import { proxyNote } from './proxies.ts';

const BASE_URL = ['openai_base_url'] as const;
/** The door for API keys, and the one for people who are signed in with a ChatGPT subscription. */
const DOORS = { key: '/openai/v1', chatgpt: '/chatgpt/codex' } as const;
/** The addresses that Codex uses by itself. */
const PROVIDERS = ['https://api.openai.com/v1', 'https://chatgpt.com/backend-api/codex'];

/**
 * Codex. The built-in provider with `openai_base_url` keeps its session list, item metadata and own compaction; a
 * provider of our own would lose them. Codex refuses base URLs from a project's file and from variables (seen with
 * 0.171.0), so nothing but another provider outranks the user's file.
 */
export const codex: Agent = {
  name: 'codex',
  title: 'Codex',
  program: 'codex',
  processNames: ['codex'],
  format: tomlFormat,
  routes: [{ baseUrlPath: BASE_URL, upstreamVariable: 'OPENAI_UPSTREAM_URL', key: null }],
  programTells: true,
  folder: configFolder,
  file: (world) => join(configFolder(world), 'config.toml'),

  settings: async (world, gateway, key) => {
    const door = await doorFor(world);
    const why =
      door === DOORS.key
        ? 'requests go through the gateway'
        : 'requests go through the gateway (signed in with ChatGPT: this way is not tried against the real service)';
    return [{ path: BASE_URL, value: `${gateway}${keyPath(key)}${door}`, why, role: 'base-url' }];
  },

  showsKey: (text, key) => tomlFormat.find(text, BASE_URL)?.value?.includes(`${keyPath(key)}/`) ?? false,

  isDoor(url, gateway) {
    if (!url.startsWith(gateway)) return false;
    const path = url.slice(gateway.length).replace(/^\/k\/cml_[\w-]+(?=\/)/, '');
    return Object.values(DOORS).some((door) => path === door);
  },

  elsewhere(text, gateway) {
    const provider = otherProvider(text);
    if (provider) return [provider];
    const found = tomlFormat.find(text, BASE_URL);
    if (found === null || (found.value !== null && codex.isDoor(found.value, gateway))) return [];
    const url = found.value ?? found.written;
    if (PROVIDERS.includes(url.replace(/\/+$/, ''))) return [];
    return [{ url, replaceable: true, where: BASE_URL.join('.'), upstreamVariable: 'OPENAI_UPSTREAM_URL' }];
  },

  notes: async (world, _text, gateway) => proxyNote(world, gateway),
};

/** Codex has no place for a header that costs it nothing, so the key stands in the address. */
function keyPath(key: string | null): string {
  return key === null ? '' : `/k/${key}`;
}

function configFolder(world: World): string {
  const own = world.variables.CODEX_HOME;
  return own ? resolve(world.folder, own) : join(world.home, '.codex');
}

/** A provider other than the built-in one, where the file selects one: `openai_base_url` has no effect then. */
function otherProvider(text: string): Elsewhere | null {
  const config = parse(text, { integersAsBigInt: true });
  const name = config.model_provider;
  if (typeof name !== 'string' || name === 'openai') return null;
  const providers = tableOf(config.model_providers);
  const url = tableOf(providers?.[name])?.base_url;
  return {
    url: typeof url === 'string' ? url : name,
    replaceable: false,
    where: `model_provider = "${name}"`,
    upstreamVariable: 'OPENAI_UPSTREAM_URL',
  };
}

function tableOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
}

/**
 * Which door fits the way in which the person is signed in. Codex itself is asked, so that its credentials are not
 * read here; only where it has any, so that asking makes no folder.
 */
async function doorFor(world: World): Promise<string> {
  const signedIn = await stat(join(configFolder(world), 'auth.json')).then(
    () => true,
    () => false,
  );
  const program = signedIn ? await programPath(world, 'codex') : null;
  const answer = program === null ? null : await world.run(program, ['login', 'status'], 10_000);
  return answer !== null && /using ChatGPT/i.test(answer.output) ? DOORS.chatgpt : DOORS.key;
}
