import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../clients/harness/normalise.ts';
import { startProduct } from '../../clients/harness/product.ts';
import { makeScratch } from '../../clients/harness/scratch.ts';
import { sessionOf } from '../../clients/harness/session.ts';
import { setRecall } from '../../clients/harness/settings.ts';
import { Side } from '../../clients/harness/side.ts';
import { type LoggedRequest, startSimulator } from '../../simulator/index.ts';
import { CLOSING, day, FILES, QUESTIONS, RULE_WORD, STEPS } from './day.ts';

/** The agents of the eval, and the way to their provider. */
export type Agent = 'claude-code' | 'codex';
export type Arm = 'direct' | 'routed';

/** What an arm came to. Tokens as the simulator counted them. */
export interface Outcome {
  readonly agent: Agent;
  readonly arm: Arm;
  readonly details: number;
  readonly questions: number;
  readonly keepsRule: boolean;
  readonly compactions: number;
  readonly refused: number;
  readonly aboveLimit: number;
  readonly longestPrompt: number;
  readonly promptTokens: number;
  readonly cacheReadTokens: number;
  readonly nanoDollars: number;
  readonly seconds: number;
  /** Questions that were not answered, and what was said. */
  readonly missed: readonly string[];
}

/** Tokens that the provider takes of one prompt. */
const WINDOWS: Readonly<Record<Agent, number>> = { 'claude-code': 60_000, codex: 45_000 };
/** What the product may use of it. */
const SHARE = 0.7;
const RECENT = 10_000;
const STEP_MS = 240_000;

/** Plays the day on one arm in a folder of its own. */
export async function playArm(folder: string, agent: Agent, arm: Arm): Promise<Outcome> {
  const begun = performance.now();
  const window = WINDOWS[agent];
  const contextLimit = Math.round(window * SHARE);
  const provider = await startSimulator({ settings: { windows: { '*': window }, latencyMs: 50 } });
  provider.script.add(day);
  mkdirSync(folder, { recursive: true });
  const product =
    arm === 'direct'
      ? null
      : await startProduct(join(folder, 'data'), { anthropic: provider.url, openai: provider.url });
  try {
    if (product !== null) await setRecall(product.url, { contextLimit, keepRecent: RECENT, minGain: 1_000 });
    const base = product === null ? { anthropic: provider.url, openai: provider.url } : doorsOf(product.url);
    const side = new Side(arm, makeScratch(folder, arm, FILES), provider, {
      anthropic: base.anthropic,
      openai: `${base.openai}/v1`,
    });
    side.configureCodex('gpt-5.4', 'own', [`model_auto_compact_token_limit = ${Math.round(window * 0.9)}`]);
    const said = await playDay(side, agent);
    return {
      agent,
      arm,
      ...said,
      ...booked(provider.requests.entries, contextLimit),
      seconds: (performance.now() - begun) / 1_000,
    };
  } finally {
    await product?.stop();
    await provider.stop();
  }
}

function doorsOf(url: string): { readonly anthropic: string; readonly openai: string } {
  return { anthropic: `${url}/anthropic`, openai: `${url}/openai` };
}

async function playDay(
  side: Side,
  agent: Agent,
): Promise<Pick<Outcome, 'details' | 'questions' | 'keepsRule' | 'missed'>> {
  let session: string | null = null;
  const type = async (prompt: string): Promise<string> => {
    const events =
      agent === 'codex' ? await codex(side, session, prompt) : await claude(side, session, prompt);
    session ??= sessionOf(events);
    return lastWords(events);
  };
  for (const step of STEPS) await type(step);
  const missed: string[] = [];
  for (const { prompt, value } of QUESTIONS) {
    const answer = await type(prompt);
    if (answer !== value) missed.push(`${prompt} ${answer}`);
  }
  const note = await type(CLOSING);
  const questions = QUESTIONS.length;
  return { questions, details: questions - missed.length, missed, keepsRule: note.endsWith(RULE_WORD) };
}

function claude(side: Side, session: string | null, prompt: string): Promise<readonly Json[]> {
  const resumed = session === null ? [] : ['--resume', session];
  const args = ['--model', 'claude-opus-4-8', '--dangerously-skip-permissions', ...resumed, prompt];
  return side.claude(args, { timeoutMs: STEP_MS });
}

function codex(side: Side, session: string | null, prompt: string): Promise<readonly Json[]> {
  return side.codex([...(session === null ? [] : ['resume', session]), prompt], { timeoutMs: STEP_MS });
}

/** The last text that an agent showed: Claude Code's result, or Codex's last message. */
function lastWords(events: readonly Json[]): string {
  const texts = events.flatMap((event) => {
    const { result, item } = event as {
      readonly result?: Json;
      readonly item?: { readonly type?: Json; readonly text?: Json };
    };
    if (typeof result === 'string') return [result];
    return item?.type === 'agent_message' ? [String(item.text)] : [];
  });
  return texts.at(-1) ?? '';
}

function booked(
  entries: readonly LoggedRequest[],
  limit: number,
): Pick<
  Outcome,
  | 'compactions'
  | 'refused'
  | 'aboveLimit'
  | 'longestPrompt'
  | 'promptTokens'
  | 'cacheReadTokens'
  | 'nanoDollars'
> {
  const log = entries.filter((entry) => entry.reading !== undefined);
  const prompts = log.map(promptTokens);
  const sum = (values: readonly number[]) => values.reduce((one, other) => one + other, 0);
  return {
    compactions: log.filter((entry) => entry.reading?.kind === 'compaction').length,
    refused: log.filter((entry) => (entry.answer?.status ?? 0) >= 400).length,
    aboveLimit: prompts.filter((tokens) => tokens > limit).length,
    longestPrompt: Math.max(...prompts),
    promptTokens: sum(prompts),
    cacheReadTokens: sum(log.map(cacheReadTokens)),
    nanoDollars: sum(log.map((entry) => entry.charge?.nanoDollars ?? 0)),
  };
}

function promptTokens(entry: LoggedRequest): number {
  const count = (name: string) => Number(entry.usage?.[name] ?? 0);
  return count('input_tokens') + count('cache_read_input_tokens') + count('cache_creation_input_tokens');
}

function cacheReadTokens({ usage }: LoggedRequest): number {
  const details = usage?.input_tokens_details as { readonly cached_tokens?: number } | undefined;
  return Number(usage?.cache_read_input_tokens ?? details?.cached_tokens ?? 0);
}
