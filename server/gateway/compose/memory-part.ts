import type { FrozenChoices, RecallSwitches } from '../../recall/index.ts';
import { hintsFor } from '../reading/hints.ts';
import type { Conversation } from './conversation.ts';
import type { PlannedMemory } from './plan.ts';
import type { ComposeParts, RequestToCompose } from './types.ts';

/** What a conversation is sent with of memory: a block and the facts in it. */
export type MemoryChoice = Pick<FrozenChoices, 'memory' | 'facts'>;

/** No memory part. */
export const NO_MEMORY: MemoryChoice = { memory: null };

/**
 * The memory part of a conversation that begins, or of a layout that is made: what fits the words that are typed. None for
 * sub-agents, none where a person switched it off, and none where it cannot be read: a conversation begins without it then.
 */
export async function memoryFor(
  parts: Pick<ComposeParts, 'facts'>,
  request: RequestToCompose,
  conversation: Conversation,
  { memory }: Pick<RecallSwitches, 'memory'>,
): Promise<MemoryChoice> {
  const { accountId, read, at } = request;
  if (!memory || request.memory.name.thread !== '' || read.identity.kind !== 'main') return NO_MEMORY;
  if (placeOfMemory(request, conversation) === null) return NO_MEMORY;
  const typed = newestTyped(request, conversation);
  if (typed.trim() === '') return NO_MEMORY;
  const block = await parts.facts.block(accountId, read.identity.place, typed, at).catch(() => null);
  return block === null ? NO_MEMORY : { memory: block.text, facts: block.facts };
}

/** What was typed last in a request. */
function newestTyped({ adapter, read, body }: RequestToCompose, { facts, elements }: Conversation): string {
  const slice = elements[facts.findLastIndex((fact) => fact.typed)];
  if (slice === undefined) return '';
  const { items } = adapter.parseMessage(
    body.subarray(slice.start, slice.end),
    hintsFor(adapter, read, slice.start),
  );
  return items.flatMap((item) => (item.kind === 'input' ? [item.text] : [])).join('\n');
}

/**
 * The element that a memory part goes with in a request without a layout: the first with typed words behind a provider's
 * own compaction; on Messages it must be the first message. Null: there is no place for one.
 */
export function placeOfMemory(
  { adapter, body }: Pick<RequestToCompose, 'adapter' | 'body'>,
  { facts, elements }: Pick<Conversation, 'facts' | 'elements'>,
): number | null {
  if (adapter.protocol === 'anthropic') return facts[0]?.side === 'user' && facts[0].typed ? 0 : null;
  const closes = elements.findLastIndex(({ start, end }) => adapter.closesWindow(body.subarray(start, end)));
  const at = facts.findIndex((fact, element) => fact.typed && element > closes);
  return at < 0 ? null : at;
}

/** The memory part as it goes into a request; null: it has none, or no place for it. */
export function plannedMemory(
  request: RequestToCompose,
  conversation: Conversation,
  { memory }: Pick<FrozenChoices, 'memory'>,
): PlannedMemory | null {
  const at = memory === null ? null : placeOfMemory(request, conversation);
  return memory === null || at === null ? null : { at, text: memory };
}
