import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import {
  type LoggedRequest,
  rulesWith,
  type ScenarioFunction,
  type Simulator,
} from '../../simulator/index.ts';
import { type Product, startProduct } from '../harness/product.ts';
import { startProvider } from '../harness/provider.ts';
import { listFiles, makeScratch, makeScratchFolder, removeScratchFolder } from '../harness/scratch.ts';
import { type RecallChanges, setRecall } from '../harness/settings.ts';
import { Side } from '../harness/side.ts';
import { type ViewOfRequest, viewsOf } from '../harness/views.ts';
import { isUpgrade } from '../harness/wire.ts';

/** Every rule that a request of these agents can keep, also those that the vendors leave open. */
const STRICT = rulesWith({
  'anthropic.thinking-invalidates-all': true,
  'anthropic.unsure-models-enforce': true,
  'openai.prefix-includes-tools': true,
});

/** The limits of a play, in tokens. */
export interface Limits {
  /** What no prompt may pass. */
  readonly contextLimit: number;
  /** Tokens, or a preset, under which the product finds the limit by its own rule. */
  readonly keepRecent: number | NonNullable<RecallChanges['preset']>;
  /** The provider's window: a little above the limit, so that a prompt without a layout is refused. */
  readonly window: number;
}

/** A play through the product alone, before a provider that refuses whatever it can. */
export interface RecallPlay {
  readonly side: Side;
  readonly limits: Limits;
}

/** What a test file uses. */
export interface RecallStage {
  /** Begins a play: a home, a repository, limits, and what the model says. */
  play(
    name: string,
    files: Readonly<Record<string, string>>,
    limits: Limits,
    script: readonly ScenarioFunction[],
  ): Promise<RecallPlay>;
  /** The product's own words for the last requests, oldest first. */
  views(): Promise<readonly ViewOfRequest[]>;
}

/** Opens the product and its provider for the test file that calls this. Thinking is bound to its prefix, always. */
export function recallStageOfFile(): RecallStage {
  const folder = makeScratchFolder();
  let provider: Simulator;
  let product: Product;
  beforeAll(async () => {
    provider = await startProvider({ settings: { binding: 'enforced', rules: STRICT, latencyMs: 50 } });
    product = await startProduct(join(folder, 'data'), { anthropic: provider.url, openai: provider.url });
  });
  afterAll(async () => {
    await product?.stop();
    await provider?.stop();
    removeScratchFolder(folder);
  });
  return {
    async play(name, files, limits, script) {
      provider.reset();
      provider.settings.windows = { '*': limits.window };
      for (const scenario of script) provider.script.add(scenario);
      const { contextLimit, keepRecent } = limits;
      await setRecall(
        product.url,
        typeof keepRecent === 'number'
          ? { contextLimit, keepRecent, minGain: 1_000 }
          : { contextLimit: 'auto', preset: keepRecent, minGain: null },
      );
      mkdirSync(join(folder, name));
      const scratch = makeScratch(join(folder, name), 'routed', files);
      const addresses = { anthropic: `${product.url}/anthropic`, openai: `${product.url}/openai/v1` };
      return { side: new Side('routed', scratch, provider, addresses), limits };
    },
    views: () => viewsOf(product.url),
  };
}

/**
 * Asserts what must hold of every play: nothing was refused, the agent never compacted, no prompt passed the limit, the
 * prompt was cut at least `layouts` times, our tool was called, and nothing of ours stands in what the agent keeps.
 */
export function expectHeld({ side, limits }: RecallPlay, layouts: number): void {
  const log = side.provider.requests.entries.filter((entry) => entry.method === 'POST' && !isUpgrade(entry));
  const refused = log.filter((entry) => (entry.answer?.status ?? 0) >= 400);
  expect(refused.map(refusal), 'requests that the provider refused').toEqual([]);
  const turns = log.filter((entry) => entry.reading?.kind === 'main' || entry.reading?.kind === 'sub');
  expect(log.filter((entry) => entry.reading?.kind === 'compaction').length, 'compactions by the agent').toBe(
    0,
  );
  const prompts = turns.map(promptTokens);
  expect(Math.max(...prompts), 'tokens of the longest prompt').toBeLessThanOrEqual(limits.contextLimit);
  expect(timesCut(turns), 'times that a layout took the older part away').toBeGreaterThanOrEqual(layouts);
  const calls = turns.filter((entry) => entry.answer?.body.includes('context-mode-search'));
  expect(calls.length, 'hidden calls').toBeGreaterThan(0);
  for (const run of side.runs) expect(run.stdout, 'what the agent shows').not.toContain('context-mode');
  expect(ours(side.scratch.home), 'files of the agent in which something of ours stands').toEqual([]);
}

/** Tokens of a prompt as the provider counted them; those from the cache among them. */
export function promptTokens(entry: LoggedRequest): number {
  const count = (name: string) => Number(entry.usage?.[name] ?? 0);
  return count('input_tokens') + count('cache_read_input_tokens') + count('cache_creation_input_tokens');
}

/** Requests of the main line that lack a result which the one before still held. */
function timesCut(turns: readonly LoggedRequest[]): number {
  const main = turns.filter((entry) => entry.reading?.kind === 'main').map(resultsIn);
  return main.filter((results, at) => [...(main[at - 1] ?? [])].some((call) => !results.has(call))).length;
}

/** The calls whose results a request holds, by their ids. */
function resultsIn(entry: LoggedRequest): ReadonlySet<string> {
  const { messages = [], input = [] } = JSON.parse(entry.body.toString('utf8')) as Conversation;
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return new Set([...parts, ...input].flatMap((part) => RESULTS[part.type ?? '']?.(part) ?? []));
}

/** A result's call, by the result's type. */
const RESULTS: Readonly<Record<string, (part: Part) => string | undefined>> = {
  tool_result: (part) => part.tool_use_id,
  function_call_output: (part) => part.call_id,
  custom_tool_call_output: (part) => part.call_id,
};

/** What is read of a body: Anthropic's messages, or the Responses protocol's input. */
interface Conversation {
  readonly messages?: readonly { readonly content: string | readonly Part[] }[];
  readonly input?: readonly Part[];
}
interface Part {
  readonly type?: string;
  readonly tool_use_id?: string;
  readonly call_id?: string;
}

function refusal(entry: LoggedRequest): string {
  return `${entry.target} ${entry.answer?.status} ${entry.answer?.body.toString('utf8').slice(0, 400)}`;
}

function ours(home: string): readonly string[] {
  return listFiles(home).filter((path) => readFileSync(join(home, path)).includes('context-mode'));
}

/** How many berths the agent has inspected, as its requests told. */
export function inspected({ side }: RecallPlay): number {
  const bodies = side.provider.requests.entries.map((entry) => entry.body.toString('utf8'));
  return new Set(bodies.flatMap((body) => body.match(/echo DONE-\d+/g) ?? [])).size;
}
