import type { Authority, Statement } from './types.ts';

const WEIGHT: Readonly<Record<Authority, number>> = { import: 0, extractor: 1, person: 2 };

/**
 * Which of two statements about one instant holds: positive if the first does. The higher authority, then what was said
 * later, then document, place in it and id, so that the order of arrival never decides.
 */
export function compareRank(one: Statement, other: Statement): number {
  return (
    WEIGHT[one.authority] - WEIGHT[other.authority] ||
    one.saidAt - other.saidAt ||
    compareText(one.docid ?? '', other.docid ?? '') ||
    one.offset - other.offset ||
    compareText(one.id, other.id)
  );
}

/** Order of two texts by their UTF-16 units: the same on every machine. */
export function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
