import { dollars } from '@/app/_lib/format.ts';
import type { WireLedgerLine } from '@/server/api/index.ts';

/** The ledger's lines in words: a name, and what is in it. */
export const FEATURE_WORDS: {
  readonly [K in WireLedgerLine['feature']]: { readonly name: string; readonly what: string };
} = {
  trimming: { name: 'Trimming', what: 'long outputs of commands, cut to their ends' },
  recall: { name: 'Layouts', what: 'an index in the place of older work' },
  eviction: { name: 'Eviction', what: 'older work left out' },
  retrieval: { name: 'Retrieval', what: 'our tool, and the rounds in which the model read with it' },
  memory: { name: 'Memory', what: 'facts in the prompt' },
  estimate: { name: 'Estimate', what: 'what the reckoning does not explain; no feature’s' },
};

/** A difference in words: what was saved, or cost more. `amount` in dollars as a decimal text; below zero it was saved. */
export function differenceWords(amount: string): string {
  const value = Number(amount);
  if (value === 0) return 'no difference';
  return value < 0 ? `saved ${dollars(amount.slice(1))}` : `cost ${dollars(amount)} more`;
}

/** The other sign of a decimal text. */
export function negated(amount: string): string {
  if (Number(amount) === 0) return amount;
  return amount.startsWith('-') ? amount.slice(1) : `-${amount}`;
}

/** A part of a whole in percent; null where there is no whole. */
export function percentOf(part: string, whole: string): string | null {
  const all = Number(whole);
  return all === 0
    ? null
    : `${Math.round((Number(part) / all) * 1000) / 10} %`.replace('-', '−').replace(' ', '\u2009');
}
