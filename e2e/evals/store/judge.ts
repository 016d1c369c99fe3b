import type pg from 'pg';
import { randomFrom } from '../search/random.ts';
import { type Play, playOf } from './sentences.ts';
import { EvalMemory, holds, tokensOf } from './store.ts';

/** What blocks hold. */
export interface Verdict {
  readonly blocks: number;
  /** Blocks with a value that the fact asked for, or another in the block, had before. */
  readonly withOld: number;
  /** Blocks with the value that holds of what is asked for. */
  readonly withNew: number;
  readonly tokens: number;
}

/** A verdict on the product's store and on one that only adds, after the same words. */
export interface StoreVerdict {
  readonly product: Verdict;
  readonly appendOnly: Verdict;
  /** What was asked for whose value was not in the block. */
  readonly missed: readonly string[];
  /** Lines of the product's blocks that tell an old value. */
  readonly stale: readonly string[];
}

/** Runs the play of a seed in an account of its own. */
export async function runStore(pool: pg.Pool, seed: number): Promise<StoreVerdict> {
  const play = playOf(randomFrom(seed));
  const memory = await EvalMemory.open(pool, `store ${seed}`);
  for (const { text } of play.typed) await memory.type(text);
  const product = await judged(play, (question) => memory.block(question));
  const appendOnly = await judged(play, (question) => memory.appendOnlyBlock(question));
  return { product: product.verdict, appendOnly: appendOnly.verdict, ...product.found };
}

async function judged(
  { asked, values }: Play,
  blockOf: (question: string) => Promise<string>,
): Promise<{
  readonly verdict: Verdict;
  readonly found: Pick<StoreVerdict, 'missed' | 'stale'>;
}> {
  let withOld = 0;
  let withNew = 0;
  let tokens = 0;
  const missed: string[] = [];
  const stale: string[] = [];
  for (const { fact, question } of asked) {
    const block = await blockOf(question);
    const lines = block.split('\n').slice(1);
    const old = lines.filter((line) => isOld(line, values, asked));
    if (old.length > 0) withOld += 1;
    stale.push(...old.map((line) => `${question} ${line}`));
    if (
      lines.some((line) => isOf(line, asked[fact]?.question ?? '') && holds(line, values[fact]?.at(-1) ?? ''))
    )
      withNew += 1;
    else missed.push(`${question} ${values[fact]?.join(' → ')} | ${block.replaceAll('\n', ' / ')}`);
    tokens += tokensOf(block);
  }
  return {
    verdict: { blocks: asked.length, withOld, withNew, tokens: tokens / asked.length },
    found: { missed, stale },
  };
}

/** Whether a line tells a value of its fact that is no longer the one that holds. */
function isOld(line: string, values: Play['values'], asked: Play['asked']): boolean {
  return asked.some(({ fact, question }) => {
    if (!isOf(line, question)) return false;
    const had = values[fact] ?? [];
    const now = had.at(-1);
    return had.some((value) => value !== now && holds(line, value));
  });
}

const EMPTY = new Set(
  'where is the deployed in which region hosted who owns port does listen on what of'.split(' '),
);

/** Whether a line is of the thing that a question asks for: it names all of its words. */
function isOf(line: string, question: string): boolean {
  const words = question
    .toLowerCase()
    .replace('?', '')
    .split(' ')
    .filter((word) => !EMPTY.has(word));
  const own = line.toLowerCase();
  return words.every((word) => holds(own, word));
}
