import { hexOf } from '../../conversation/index.ts';
import { estimateBytes, promptTokens } from '../estimate/index.ts';
import type { Conversation } from './conversation.ts';
import type { InForce, RequestToCompose, Sizes, Standing } from './types.ts';

/** Elements by which a conversation may grow before its head is looked for anew: what is in it changes seldom. */
const HEAD_KNOWN_FOR = 50;

/** The sizes of a request under what stands. @param factor of the thread's estimates */
export function sizesOf(
  request: RequestToCompose,
  conversation: Conversation,
  { force, planned }: Standing,
  known: { readonly factor: number; readonly limit: number | null },
): Sizes {
  const { factor, limit } = known;
  const { facts } = conversation;
  const sum = (from: number) => {
    let total = 0;
    for (let index = from; index < facts.length; index += 1) total += facts[index]?.tokens ?? 0;
    return total;
  };
  const outside = outsideTokens(request, conversation);
  const fixed = outside + headTokens(request, conversation);
  const all = outside + sum(0);
  const running = planned === null ? 0 : (facts[planned.runningTyped ?? -1]?.tokens ?? 0);
  const index = force?.generation.layout?.indexTokens ?? 0;
  const estimated = planned === null ? all : fixed + sum(planned.at) + running + index;
  return {
    fixed: Math.ceil(fixed * factor),
    client: Math.ceil(all * factor),
    estimated,
    current: countedTokens(request, conversation, force, factor) ?? Math.ceil(estimated * factor),
    limit,
  };
}

/** The prompt by the provider's own count of the request before and an estimate of what is new; null: there is none. */
function countedTokens(
  { memory }: RequestToCompose,
  { elements, facts }: Conversation,
  force: InForce | null,
  factor: number,
): number | null {
  const { counted } = memory;
  if (counted === null || counted.elements > elements.length) return null;
  if (counted.madeAt !== (force === null ? null : hexOf(force.generation.madeAt))) return null;
  const news = facts.slice(counted.elements);
  const answer = news.findIndex(({ side }) => side !== 'assistant');
  const behind = news.slice(answer < 0 ? news.length : answer);
  const newElements = behind.reduce((total, one) => total + one.tokens, 0);
  const unchanged = { leftOut: 0, reasoningLeftOut: 0, reasoningKept: 0 };
  return promptTokens(
    { lastInput: counted.prompt, lastOutput: counted.answer, newElements, ...unchanged },
    { factor },
  );
}

/** Estimated tokens of a body without its elements; the same bytes are not counted twice. */
function outsideTokens({ body, memory }: RequestToCompose, { elements }: Conversation): number {
  const first = elements[0]?.start ?? body.length;
  const last = elements.at(-1)?.end ?? body.length;
  const bytes = first + body.length - last;
  if (memory.outside?.bytes !== bytes) {
    const tokens = estimateBytes(body.subarray(0, first)) + estimateBytes(body.subarray(last));
    memory.outside = { bytes, tokens };
  }
  return memory.outside.tokens;
}

function headTokens({ memory, headTokens: counted }: RequestToCompose, { elements }: Conversation): number {
  const grown = elements.length - (memory.head?.elements ?? 0);
  if (memory.head === null || grown < 0 || grown > HEAD_KNOWN_FOR)
    memory.head = { elements: elements.length, tokens: counted() };
  return memory.head.tokens;
}
