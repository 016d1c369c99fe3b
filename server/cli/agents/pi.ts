import { join, resolve } from 'node:path';
import { jsonFormat } from '../edits/json-edit.ts';
import { positionAt } from '../edits/splice.ts';
import type { World } from '../world.ts';
import type { Agent, Note } from './agent.ts';
import { byProvider, type Provider } from './by-provider.ts';
import { proxyNote } from './proxies.ts';

/** Pi puts `/v1/messages` behind the first address and `/responses` behind the second. */
const PROVIDERS: readonly Provider[] = [
  {
    title: 'Anthropic',
    baseUrlPath: ['providers', 'anthropic', 'baseUrl'],
    headersPath: ['providers', 'anthropic', 'headers'],
    door: '/anthropic',
    usual: 'https://api.anthropic.com',
    upstreamVariable: 'ANTHROPIC_UPSTREAM_URL',
  },
  {
    title: 'OpenAI',
    baseUrlPath: ['providers', 'openai', 'baseUrl'],
    headersPath: ['providers', 'openai', 'headers'],
    door: '/openai/v1',
    usual: 'https://api.openai.com/v1',
    upstreamVariable: 'OPENAI_UPSTREAM_URL',
  },
];

/**
 * Pi. `models.json` overrides the addresses of its built-in providers and leaves their models and prices as they are
 * (seen with 0.73.1). It may hold comments to the end of a line and trailing commas, and no others.
 */
export const pi: Agent = {
  name: 'pi',
  title: 'Pi',
  program: 'pi',
  processNames: ['pi'],
  format: jsonFormat,
  programTells: false,
  ...byProvider(jsonFormat, PROVIDERS),
  folder: configFolder,
  file: (world) => join(configFolder(world), 'models.json'),
  notes: async (world, text, gateway) => [...blockComment(text), ...proxyNote(world, gateway)],
};

function configFolder(world: World): string {
  const own = world.variables.PI_CODING_AGENT_DIR;
  if (!own) return join(world.home, '.pi', 'agent');
  return own === '~' || own.startsWith('~/') ? join(world.home, own.slice(1)) : resolve(world.folder, own);
}

/** Strings, comments to the end of a line, and the beginning of another comment. */
const TOKENS = /"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*/g;

/** Where the file holds a comment that Pi cannot read. */
function blockComment(text: string): Note[] {
  const found = [...text.matchAll(TOKENS)].find(([token]) => token === '/*');
  if (found === undefined) return [];
  const { line, column } = positionAt(text, found.index);
  return [
    {
      code: 'unreadable-comment',
      text: `line ${line}, column ${column} holds a comment in /* */: Pi reads comments to the end of a line alone, and leaves a file aside that it cannot read. Take it out, or this agent stays unconnected.`,
      blocks: true,
    },
  ];
}
