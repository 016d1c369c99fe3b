import { breathe } from '../kernel/breath.ts';
import { type MessageHash, messageHash, type SliceHash } from './chain.ts';
import type { Item, Message } from './model.ts';
import type { ComparableItem } from './moves.ts';
import type { ChainedMessage, ResolvedChain, ResolveNeed, ResolveReplies } from './resolution.ts';

/** Drives a resolution (`resolveChain`) with functions that answer. What they throw ends it. */
export async function answerNeeds<Masked extends ComparableItem>(
  walk: Generator<ResolveNeed, ResolvedChain<Masked>, unknown>,
  answers: {
    readonly slices: (slices: readonly SliceHash[]) => Promise<ResolveReplies<Masked>['slices']>;
    readonly children: (
      parent: MessageHash,
      wanted: MessageHash | null,
    ) => Promise<ResolveReplies<Masked>['children']>;
    readonly masked: (items: readonly Item[]) => Promise<ResolveReplies<Masked>['masked']>;
  },
): Promise<ResolvedChain<Masked>> {
  let step = walk.next();
  while (step.done !== true) {
    const asked = step.value;
    if (asked.need === 'slices') step = walk.next(await answers.slices(asked.slices));
    else if (asked.need === 'pause') step = walk.next(await breathe());
    else if (asked.need === 'children') step = walk.next(await answers.children(asked.parent, asked.wanted));
    else step = walk.next(await answers.masked(asked.items));
  }
  return step.value;
}

/** Gives the messages of an answer their places behind `parent`. Those without a place go to the next that has one. */
export function chainAnswer(
  key: Uint8Array,
  parent: MessageHash,
  messages: readonly Message[],
): readonly ChainedMessage[] {
  const chained: ChainedMessage[] = [];
  let at = parent;
  let reasoning: Message[] = [];
  for (const message of messages) {
    if (message.transparent) {
      reasoning.push(message);
      continue;
    }
    const hash = messageHash(key, at, message.role, message.canonical);
    chained.push({ hash, parent: at, message, masked: null, reasoning });
    reasoning = [];
    at = hash;
  }
  return chained;
}
