/** One entry of the client's list (`messages`, `input`) as the choice of a boundary sees it. */
export interface BoundaryElement {
  readonly role: 'user' | 'assistant' | 'system' | 'other';
  /** What becomes of it in the older part: it leaves for the archive, or stays whatever the boundary is. */
  readonly older: 'leaves' | 'stays';
  /** A person typed something in it. */
  readonly typed: boolean;
  /** It holds results of tool calls. */
  readonly results: boolean;
  /** Ids of the calls that it makes, and of those that it answers. */
  readonly opens: readonly string[];
  readonly closes: readonly string[];
  /** It goes with the entry before it (a call behind its reasoning): no cut stands between. */
  readonly joins: boolean;
  /** Estimated tokens. */
  readonly tokens: number;
  /** The archive has read it back and holds an exact copy. */
  readonly confirmed: boolean;
}

/** Where a layout cuts. */
export interface Boundary {
  /** Index of the oldest entry of the recent part. */
  readonly at: number;
  /** What stands there: a typed message, whose parts join the head's message, or an assistant's. */
  readonly before: 'typed' | 'assistant';
  /** The running turn's typed message where the cut stands behind it: it stays in view all the same. */
  readonly runningTyped: number | null;
  /** Tokens of the recent part, the running turn's typed message counted. */
  readonly recent: number;
  /** Entries that leave the view, and their tokens. */
  readonly leaves: number;
  readonly leavesTokens: number;
}

/** Why there is none. */
export type NoBoundary = 'nothing_old' | 'no_place' | 'not_confirmed';

/**
 * The boundary of a new layout: the oldest entry such that the recent part fits into `recent` tokens, moved to the next
 * place where a cut is allowed. That is before a typed message if one is in reach (the recent part then still has half
 * of its tokens), otherwise before an assistant's message; never before tool results or a system message, never between
 * a call and its result, never in front of `floor`. If nothing that fits can be cut, the newest allowed place is taken:
 * the newest round alone is larger than the part was to be.
 *
 * @param floor entries before it stay whole (a provider's own compaction and its window)
 */
export function chooseBoundary(
  elements: readonly BoundaryElement[],
  recent: number,
  floor = 0,
): Boundary | NoBoundary {
  const places = allowedPlaces(elements, floor);
  const confirmed = places.filter((place) => place.confirmed);
  if (places.length === 0) return elements.length - floor < 2 ? 'nothing_old' : 'no_place';
  const after = suffixTokens(elements);
  const fits = confirmed.filter(({ at }) => (after[at] ?? 0) <= recent);
  const chosen =
    fits.find(({ at, before }) => before === 'typed' && (after[at] ?? 0) * 2 >= recent) ??
    fits.find(({ before }) => before === 'assistant') ??
    fits[0] ??
    confirmed.at(-1);
  if (chosen === undefined) return 'not_confirmed';
  const boundary = boundaryAt(elements, chosen.at, chosen.before, after, floor);
  return boundary.leaves === 0 ? 'nothing_old' : boundary;
}

interface Place {
  readonly at: number;
  readonly before: 'typed' | 'assistant';
  /** Everything that would leave is confirmed. */
  readonly confirmed: boolean;
}

/** Every place where a cut is allowed, oldest first. */
function allowedPlaces(elements: readonly BoundaryElement[], floor: number): Place[] {
  const places: Place[] = [];
  const open = new Set<string>();
  let confirmed = true;
  for (const [at, element] of elements.entries()) {
    const before = placeBefore(element);
    if (at > floor && open.size === 0 && before !== null) places.push({ at, before, confirmed });
    for (const id of element.opens) open.add(id);
    for (const id of element.closes) open.delete(id);
    if (at >= floor && element.older === 'leaves' && !element.confirmed) confirmed = false;
  }
  return places;
}

function placeBefore(element: BoundaryElement): Place['before'] | null {
  if (element.joins || element.results) return null;
  if (element.role === 'assistant') return 'assistant';
  return element.role === 'user' && element.typed ? 'typed' : null;
}

/** Tokens from each entry to the end. */
function suffixTokens(elements: readonly BoundaryElement[]): number[] {
  const sums = new Array<number>(elements.length + 1).fill(0);
  for (let at = elements.length - 1; at >= 0; at--)
    sums[at] = (sums[at + 1] ?? 0) + (elements[at]?.tokens ?? 0);
  return sums;
}

function boundaryAt(
  elements: readonly BoundaryElement[],
  at: number,
  before: Place['before'],
  after: readonly number[],
  floor: number,
): Boundary {
  const lastTyped = elements.findLastIndex((element) => element.typed);
  const runningTyped = lastTyped >= floor && lastTyped < at ? lastTyped : null;
  let leaves = 0;
  let leavesTokens = 0;
  for (let index = floor; index < at; index++) {
    const element = elements[index];
    if (element?.older !== 'leaves' || index === runningTyped) continue;
    leaves += 1;
    leavesTokens += element.tokens;
  }
  const typedTokens = runningTyped === null ? 0 : (elements[runningTyped]?.tokens ?? 0);
  return { at, before, runningTyped, recent: (after[at] ?? 0) + typedTokens, leaves, leavesTokens };
}
