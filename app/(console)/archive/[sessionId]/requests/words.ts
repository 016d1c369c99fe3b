import type { Tone } from '@/app/_ui/badge.tsx';
import type { WireRequest } from '@/server/api/index.ts';
import { LAYOUT_REASONS } from '../../../_recall/words.ts';

/** What a request is for, in words. */
export const KIND_WORDS: Readonly<Record<string, string>> = {
  main: 'Turn',
  subagent: 'Sub-agent',
  title: 'Title',
  web_search: 'Web search',
  suggestion: 'Suggestion',
  compaction: 'Compaction',
  count: 'Token count',
  prewarm: 'Warm-up',
  other: 'Other',
};

const ENDINGS: Readonly<Record<string, readonly [words: string, tone: Tone]>> = {
  client_gone: ['agent left', 'warn'],
  upstream_fault: ['broke off', 'bad'],
  upstream_unreachable: ['unreachable', 'bad'],
  refused: ['refused here', 'bad'],
};

/** How a request ended: the words, and what they mean. */
export function outcomeOf(row: Pick<WireRequest, 'status' | 'ending'>): {
  readonly words: string;
  readonly tone: Tone;
} {
  if (row.ending === null) return { words: 'running', tone: 'accent' };
  const status = row.status === null ? '' : `${row.status} `;
  const known = ENDINGS[row.ending];
  if (known !== undefined) return { words: `${status}${known[0]}`, tone: known[1] };
  if (row.status === null) return { words: row.ending, tone: 'plain' };
  if (row.status >= 500 || row.status === 401 || row.status === 403)
    return { words: `${row.status}`, tone: 'bad' };
  return { words: `${row.status}`, tone: row.status >= 400 ? 'warn' : 'good' };
}

/** What Recall did to a request, in words. */
export function recallWords(row: Pick<WireRequest, 'edited' | 'made' | 'unedited'>): string {
  if (row.unedited !== null) return 'went out as the agent sent it, because a step failed';
  if (row.made !== null) return `made a layout, ${LAYOUT_REASONS[row.made] ?? row.made}`;
  return row.edited ? 'the model saw something else than the agent sent' : 'changed nothing';
}

/** Tokens that went in: new, read from the cache, written to it. Null: the provider said none of them. */
export function inputTokens({ usage }: Pick<WireRequest, 'usage'>): number | null {
  if (usage === null) return null;
  return sum([usage.input, usage.cacheRead, usage.cacheWrite5m, usage.cacheWrite1h, usage.cacheWriteOther]);
}

/** Tokens that came out, reasoning among them. Null: the provider said none. */
export function outputTokens({ usage }: Pick<WireRequest, 'usage'>): number | null {
  return usage === null ? null : sum([usage.output, usage.reasoning]);
}

function sum(parts: readonly (number | null)[]): number | null {
  const known = parts.filter((part) => part !== null);
  return known.length === 0 ? null : known.reduce((total, part) => total + part, 0);
}
