import { member, readJson, type Slice, stringMember, viewOf } from '../../conversation/index.ts';
import type { Edit } from '../splice.ts';

/**
 * Names of an item that stay when an agent sends it again: Codex keeps the provider's ids, OpenCode keeps those of calls.
 * The first one that an item has is the surest.
 */
export type ItemKeys = readonly string[];

/** Hidden calls and outputs that stood together, and the items of the client's view that they stood between. */
export interface HiddenItems {
  /** Names the record. */
  readonly id: string;
  /** The last item that the client has in front of them, of the same answer; null: they came first. */
  readonly after: ItemKeys | null;
  /** The first item that the client has behind them; null: none came. */
  readonly before: ItemKeys | null;
  /** Items that the rest of the same round stands around: without one of them no call or no output would have its other half. */
  readonly needs: readonly ItemKeys[];
  /** JSON texts of the calls and outputs, as they were sent the first time. */
  readonly sent: readonly string[];
}

/** The keys of an item, by its JSON. */
export function keysOf(item: Uint8Array): ItemKeys {
  const node = readJson(viewOf(item));
  if (node === null) return [];
  const id = stringMember(node, 'id');
  const callId = stringMember(node, 'call_id');
  const isCall = callId !== null && member(node, 'output') === undefined;
  return [...(id === null ? [] : [`id ${id}`]), ...(isCall ? [`call ${callId}`] : [])];
}

/**
 * The edits that put hidden calls back into a request's `input`: behind the item that they followed, else in front of the
 * one that followed them. Where neither is in the request, its answer was thrown away, and nothing is put back.
 * @param elements the entries of `input`
 */
export function putBackItems(
  body: Uint8Array,
  elements: readonly Slice[],
  kept: readonly HiddenItems[],
): readonly Edit[] {
  if (kept.length === 0) return [];
  const places = new Map<string, Slice>();
  for (const slice of elements) {
    for (const key of keysOf(body.subarray(slice.start, slice.end))) places.set(key, slice);
  }
  const find = (keys: ItemKeys | null) =>
    keys?.map((key) => places.get(key)).find((slice) => slice !== undefined);
  const behind = new Map<number, string[]>();
  const inFront = new Map<number, string[]>();
  for (const { after, before, needs, sent } of kept) {
    if (needs.some((keys) => find(keys) === undefined)) continue;
    const previous = find(after);
    const next = previous === undefined ? find(before) : undefined;
    if (previous !== undefined) behind.set(previous.end, [...(behind.get(previous.end) ?? []), ...sent]);
    else if (next !== undefined) inFront.set(next.start, [...(inFront.get(next.start) ?? []), ...sent]);
  }
  return [
    ...[...behind].map(([at, items]) => ({ start: at, end: at, insert: Buffer.from(`,${items.join(',')}`) })),
    ...[...inFront].map(([at, items]) => ({
      start: at,
      end: at,
      insert: Buffer.from(`${items.join(',')},`),
    })),
  ];
}
