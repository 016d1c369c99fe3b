import type { Slice } from '../../conversation/index.ts';
import type { NotComposed, OlderPart } from '../compose/plan.ts';
import { type OlderFacts, olderFacts } from './head.ts';

/** Items that a model made, its reasoning among them: a group of these stays whole or leaves whole. */
function isMade(item: OlderFacts): boolean {
  if (item.type === 'message') return item.role === 'assistant';
  return item.type === 'reasoning' || item.type.endsWith('_call') || item.type === 'mcp_list_tools';
}

/**
 * What a layout keeps of the items before a boundary: the head by kind, not by position, the newest of each kind (changes
 * of the environment add to each other); what changes tools or configuration, with the group that it was made in; and
 * everything up to a provider's compaction. A type that nobody knows gives its name: then there is no layout.
 */
export function olderItems(
  body: Uint8Array,
  elements: readonly Slice[],
  at: number,
): OlderPart | NotComposed {
  const items = elements.slice(0, at).map(({ start, end }) => olderFacts(body.subarray(start, end)));
  const unknown = items.find(({ older }) => older.is === 'unknown');
  if (unknown !== undefined) return { unknown: unknown.type };
  const floor = items.findLastIndex(({ older }) => older.is === 'window') + 1;
  const newest = new Map<string, number>();
  for (const [index, { older }] of items.entries()) if (older.is === 'head') newest.set(older.kind, index);
  const stays = new Set<number>();
  for (const [index, { older }] of items.entries()) {
    const isHead =
      older.is === 'head' && (older.kind.includes('environment') || newest.get(older.kind) === index);
    if (index < floor || isHead) stays.add(index);
    else if (older.is === 'configuration') for (const member of groupOf(items, index)) stays.add(member);
  }
  return { head: [], stays: [...stays].sort((a, b) => a - b) };
}

/** The items that stay with one: what was made with it, from the reasoning on, and the outputs of its calls. */
function groupOf(items: readonly OlderFacts[], index: number): readonly number[] {
  const item = items[index];
  if (item === undefined || !isMade(item)) return [index];
  let from = index;
  while (from > 0 && isMadeAt(items, from - 1)) from -= 1;
  let to = index + 1;
  while (to < items.length && isMadeAt(items, to)) to += 1;
  const group = Array.from({ length: to - from }, (_, offset) => from + offset);
  const calls = new Set(group.flatMap((member) => items[member]?.callId ?? []));
  const outputs = items.flatMap(({ callId, type }, place) =>
    callId !== null && type.endsWith('_output') && calls.has(callId) ? [place] : [],
  );
  return [...group, ...outputs];
}

function isMadeAt(items: readonly OlderFacts[], index: number): boolean {
  const item = items[index];
  return item !== undefined && isMade(item);
}
