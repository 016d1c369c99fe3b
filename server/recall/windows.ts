import type { AgentName } from '../conversation/index.ts';

/** What is known of a model's size. Tokens. */
export interface ModelWindow {
  /** Prompt and answer together. */
  readonly window: number;
  /** The largest prompt, where the vendor gives it apart from the window. */
  readonly maxInput: number;
  readonly maxOutput: number;
}

/** Day on which the tables were last compared with their sources. */
export const WINDOWS_CHECKED = '2026-11-30';

const ANTHROPIC_1M: ModelWindow = { window: 1_000_000, maxInput: 1_000_000, maxOutput: 128_000 };
const ANTHROPIC_200K: ModelWindow = { window: 200_000, maxInput: 200_000, maxOutput: 64_000 };
const OPENAI_400K: ModelWindow = { window: 400_000, maxInput: 272_000, maxOutput: 128_000 };
const OPENAI_1M: ModelWindow = { window: 1_050_000, maxInput: 922_000, maxOutput: 128_000 };

/** By exact id, as the vendors' model pages gave it in November 2026. */
const WINDOWS: ReadonlyMap<string, ModelWindow> = new Map([
  ...[
    'claude-fable-5-2',
    'claude-fable-5-1',
    'claude-fable-5',
    'claude-mythos-5-2',
    'claude-mythos-5-1',
    'claude-mythos-5',
    'claude-opus-5-5',
    'claude-opus-5',
    'claude-opus-4-8',
    'claude-opus-4-7',
    'claude-opus-4-6',
    'claude-sonnet-5-5',
    'claude-sonnet-5',
    'claude-sonnet-4-6',
    'claude-haiku-5-5',
  ].map((id) => [id, ANTHROPIC_1M] as const),
  ...[
    'claude-haiku-4-5',
    'claude-haiku-4-5-20251001',
    'claude-sonnet-4-5',
    'claude-sonnet-4-5-20250929',
    'claude-opus-4-5',
    'claude-opus-4-5-20251101',
  ].map((id) => [id, ANTHROPIC_200K] as const),
  ...['gpt-5', 'gpt-5.1', 'gpt-5.2', 'gpt-5-mini', 'gpt-5-nano', 'gpt-5.3-codex', 'gpt-5.4-mini'].map(
    (id) => [id, OPENAI_400K] as const,
  ),
  ...[
    'gpt-5.4',
    'gpt-5.5',
    'gpt-5.6-sol',
    'gpt-5.6-terra',
    'gpt-5.6-luna',
    'gpt-6-astra',
    'gpt-6-sol',
    'gpt-6-luna',
    'gpt-6.1-sol',
    'gpt-6.1-terra',
    'gpt-6.2-sol',
    'gpt-6.2-astra',
  ].map((id) => [id, OPENAI_1M] as const),
]);

/** What is known of a model; null for one that is not in the table. A name that merely resembles one is not taken for it. */
export function modelWindow(model: string): ModelWindow | null {
  return WINDOWS.get(model) ?? null;
}

/**
 * Claude Code treats these models as having 200,000 tokens, whatever their window, unless it asks for the long one
 * (beta `context-1m`), and compacts them by itself before that.
 */
const CLAUDE_CODE_200K: ReadonlySet<string> = new Set([
  'claude-sonnet-4-6',
  'claude-sonnet-5',
  'claude-opus-4-6',
  'claude-sonnet-4-5',
  'claude-sonnet-4-5-20250929',
]);

/** Measured with Claude Code 2.1.197: it compacted between 166,000 and 171,000 tokens. */
const CLAUDE_CODE_COMPACTS_AT = 167_000;

/**
 * The prompt, in tokens, at which an agent is known to compact by itself; null where none is known.
 * @param longContext the request asks for the long window (`context-1m`)
 */
export function compactionPoint(agent: AgentName, model: string, longContext: boolean): number | null {
  if (agent === 'claude-code' && !longContext && CLAUDE_CODE_200K.has(model)) return CLAUDE_CODE_COMPACTS_AT;
  return null;
}
