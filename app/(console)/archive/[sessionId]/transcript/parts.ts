import type { WireLogRow } from '@/server/api/index.ts';

/** What a reader sees at a log position: a row by itself, a tool call with its result, or nothing of its own. */
export type Part =
  | {
      readonly shape: 'row';
      readonly row: WireLogRow;
      readonly result: WireLogRow | null;
      readonly breaks: Breaks;
    }
  | { readonly shape: 'inside'; readonly callSeq: number }
  | { readonly shape: 'missing' };

/** What changes between the part above and this one. */
export interface Breaks {
  /** The moment whose day begins here; null: still the same day. */
  readonly day: number | null;
  /** The thread that begins to speak here; null: still the same. */
  readonly thread: string | null;
  /** True where the minute differs, so that the margin shows the time. */
  readonly minute: boolean;
}

const DAY_AND_MINUTE = 60_000;

/** The main line's name. */
export const MAIN = 'main';

/**
 * Turns the rows that are known (by log position) into parts. A result is shown inside its call: the nearest call
 * before it in its thread with the same id that has no result yet, because providers use ids again. A result whose call
 * is not known stands by itself.
 */
export function partsOf(
  rows: ReadonlyMap<number, WireLogRow>,
  dayOf: (at: number) => string,
): ReadonlyMap<number, Part> {
  const inOrder = [...rows.values()].sort((a, b) => a.seq - b.seq);
  const callOf = linksOf(inOrder);
  const resultOf = new Map([...callOf].map(([result, call]) => [call, rows.get(result) ?? null]));
  const parts = new Map<number, Part>();
  let above: WireLogRow | null = null;
  for (const row of inOrder) {
    const callSeq = callOf.get(row.seq);
    if (callSeq !== undefined) {
      parts.set(row.seq, { shape: 'inside', callSeq });
      continue;
    }
    parts.set(row.seq, {
      shape: 'row',
      row,
      result: resultOf.get(row.seq) ?? null,
      breaks: breaksOf(above, row, dayOf),
    });
    above = row;
  }
  return parts;
}

function linksOf(inOrder: readonly WireLogRow[]): Map<number, number> {
  const open = new Map<string, number>();
  const links = new Map<number, number>();
  for (const row of inOrder) {
    if (row.callId === null) continue;
    const key = `${row.thread} ${row.callId}`;
    if (row.kind === 'tool_call') open.set(key, row.seq);
    else {
      const call = open.get(key);
      if (call === undefined) continue;
      links.set(row.seq, call);
      if (row.kind === 'tool_result') open.delete(key);
    }
  }
  return links;
}

function breaksOf(above: WireLogRow | null, row: WireLogRow, dayOf: (at: number) => string): Breaks {
  const at = Date.parse(row.at);
  const before = above === null ? null : Date.parse(above.at);
  const sameDay = before !== null && dayOf(before) === dayOf(at);
  return {
    day: sameDay ? null : at,
    thread: (above?.thread ?? MAIN) === row.thread ? null : row.thread,
    minute: !sameDay || Math.floor(before / DAY_AND_MINUTE) !== Math.floor(at / DAY_AND_MINUTE),
  };
}

/** Kinds that a reader unfolds on purpose. */
const FOLDED = new Set([
  'tool_call',
  'tool_result',
  'reasoning',
  'injected',
  'system',
  'compaction',
  'unknown',
]);

/** True where a part begins folded to one line. */
export function isFolded(kind: string): boolean {
  return FOLDED.has(kind);
}
