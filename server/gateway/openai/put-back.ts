import { fieldsOf, type Slice, stringIn } from '../../conversation/index.ts';
import type { Anchors } from '../compose/plan.ts';

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
  const fields = fieldsOf(item);
  const id = stringIn(item, fields.get('id'));
  const callId = stringIn(item, fields.get('call_id'));
  const isCall = callId !== null && !fields.has('output');
  return [...(id === null ? [] : [`id ${id}`]), ...(isCall ? [`call ${callId}`] : [])];
}

/**
 * The keys of elements from one on; a longer request of the same conversation goes on where the one before ended.
 * @param from the first element that is not known
 */
export function anchorsIn(body: Uint8Array, elements: readonly Slice[], from = 0): Anchors {
  return elements.slice(from).map(({ start, end }) => keysOf(body.subarray(start, end)));
}

/** Where hidden items stand: in front of an element of the client's, or behind it. */
export interface HiddenPlaces {
  readonly inFront: ReadonlyMap<number, readonly HiddenItems[]>;
  readonly behind: ReadonlyMap<number, readonly HiddenItems[]>;
}

/**
 * Where hidden calls and outputs stand in a request's `input`: behind the item that they followed, else in front of the one
 * that followed them. Where neither is in view, or their other half has no place, they have none.
 * @param isInView false for an element that a layout leaves out
 */
export function hiddenPlaces(
  anchors: Anchors,
  kept: readonly HiddenItems[],
  isInView: (element: number) => boolean,
): HiddenPlaces {
  const elements = new Map<string, number>();
  for (const [index, keys] of anchors.entries()) for (const key of keys) elements.set(key, index);
  const find = (keys: ItemKeys | null) =>
    keys?.map((key) => elements.get(key)).find((index) => index !== undefined);
  const inFront = new Map<number, HiddenItems[]>();
  const behind = new Map<number, HiddenItems[]>();
  for (const items of kept) {
    const needed = items.needs.map(find);
    if (needed.some((index) => index === undefined || !isInView(index))) continue;
    const previous = find(items.after);
    const place = previous ?? find(items.before);
    if (place === undefined || !isInView(place)) continue;
    const list = previous === undefined ? inFront : behind;
    list.set(place, [...(list.get(place) ?? []), items]);
  }
  return { inFront, behind };
}

/** A record of hidden items as it was kept; null: it is none. */
export function hiddenItemsIn(data: unknown): HiddenItems | null {
  if (!isRecord(data)) return null;
  const { id, after, before, needs, sent } = data;
  const isOne =
    typeof id === 'string' &&
    (after === null || isTexts(after)) &&
    (before === null || isTexts(before)) &&
    Array.isArray(needs) &&
    needs.every(isTexts) &&
    isTexts(sent);
  return isOne ? (data as unknown as HiddenItems) : null;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}
