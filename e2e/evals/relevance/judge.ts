import type pg from 'pg';
import { randomFrom } from '../search/random.ts';
import { playOf } from '../store/sentences.ts';
import { EvalMemory, holds, tokensOf } from '../store/store.ts';
import { type Prompt, promptsOf } from './prompts.ts';

/** What the blocks of forty prompts hold; shares from 0 to 1. */
export interface Relevance {
  readonly rows: number;
  readonly tokens: number;
  readonly recall: number;
  readonly strict: number;
  readonly precision: number;
  /** Prompts without a label that got a block, of all of these. */
  readonly needless: number;
}

/** The product's blocks and the newest six facts, for the prompts of a seed. */
export async function runRelevance(
  pool: pg.Pool,
  seed: number,
): Promise<{ readonly product: Relevance; readonly newest: Relevance }> {
  const random = randomFrom(seed);
  const play = playOf(random);
  const memory = await EvalMemory.open(pool, `relevance ${seed}`);
  for (const { text } of play.typed.slice(0, play.asked.length)) await memory.type(text);
  const prompts = promptsOf(random, play.things);
  const newest = (await memory.newest(6)).map((line) => `- ${line}`);
  return {
    product: await judged(prompts, async ({ text }) => (await memory.block(text)).split('\n').slice(1)),
    newest: await judged(prompts, async () => newest),
  };
}

async function judged(
  prompts: readonly Prompt[],
  rowsOf: (prompt: Prompt) => Promise<readonly string[]>,
): Promise<Relevance> {
  let rows = 0;
  let tokens = 0;
  let fitting = 0;
  let labelled = 0;
  let found = 0;
  let needed = 0;
  let strict = 0;
  let needless = 0;
  for (const prompt of prompts) {
    const lines = await rowsOf(prompt);
    const isOf = (line: string, thing: string) => thing.split(' ').every((word) => holds(line, word));
    rows += lines.length;
    tokens +=
      lines.length === 0
        ? 0
        : tokensOf(['[Context Mode, facts of this project that hold now:]', ...lines].join('\n'));
    fitting += lines.filter((line) => prompt.things.some((thing) => isOf(line, thing))).length;
    labelled += prompt.things.length;
    found += prompt.things.filter((thing) => lines.some((line) => isOf(line, thing))).length;
    const [first] = prompt.things;
    if (first !== undefined) {
      needed += 1;
      if (lines.some((line) => isOf(line, first))) strict += 1;
    } else if (lines.length > 0) needless += 1;
  }
  return {
    rows: rows / prompts.length,
    tokens: tokens / prompts.length,
    recall: found / labelled,
    strict: strict / needed,
    precision: rows === 0 ? 1 : fitting / rows,
    needless: needless / (prompts.length - needed),
  };
}
