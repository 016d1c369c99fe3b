import { createHmac } from 'node:crypto';
import type { MessageHash } from '../../conversation/index.ts';
import type { ElementFacts } from './facts.ts';

/**
 * Where a walk through a conversation stands. The chain is made of what agents send again unchanged: the words that a
 * person typed before the first answer, then the assistant's answers, reasoning left out. What agents move about
 * (reminders, system messages, cache marks) is no part of it.
 */
export interface MarkState {
  readonly chain: string;
  readonly answered: boolean;
  /** Typed messages and results since the newest answer. */
  readonly typed: number;
  readonly results: number;
}

/** Before the first element. */
export const NO_MARKS: MarkState = { chain: '', answered: false, typed: 0, results: 0 };

/** An element's mark, and the walk behind it. */
export interface Marked {
  /** The same for the same place of the same conversation, on whatever gateway and in whatever fork; null: it has none. */
  readonly mark: MessageHash | null;
  readonly state: MarkState;
}

/**
 * Marks an element: an answer by what it says and all answers before it, a typed message and results by the answers
 * before them and their number since. Reasoning and system messages have no mark.
 * @param key the account's: the marks are of unmasked texts
 */
export function markNext(key: Uint8Array, state: MarkState, facts: ElementFacts): Marked {
  if (facts.print !== null) {
    const mark = hashOf(key, 'answer', state.chain, facts.print);
    const chain = Buffer.from(mark).toString('base64url');
    return { mark, state: { chain, answered: true, typed: 0, results: 0 } };
  }
  if (facts.results)
    return {
      mark: hashOf(key, 'results', state.chain, String(state.results)),
      state: { ...state, results: state.results + 1 },
    };
  if (!facts.typed) return { mark: null, state };
  const mark = hashOf(key, 'typed', state.chain, state.answered ? String(state.typed) : (facts.words ?? ''));
  const chain = state.answered ? state.chain : Buffer.from(mark).toString('base64url');
  return { mark, state: { ...state, chain, typed: state.typed + 1 } };
}

function hashOf(key: Uint8Array, kind: string, chain: string, what: string): MessageHash {
  return createHmac('sha256', key)
    .update(`mark\0${kind}\0${chain}\0${what}`)
    .digest() as Uint8Array as MessageHash;
}
