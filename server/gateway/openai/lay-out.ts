import type { Piece } from '../compose/changed.ts';
import type { PlannedLayout, ViewRun } from '../compose/plan.ts';

/** What a layout puts in front of the recent part: items of ours, and what they are to a view of the request. */
export interface ItemFront {
  readonly pieces: readonly Piece[];
  readonly runs: readonly ViewRun[];
}

/** The memory and the index as items; each names itself as generated. @param front `index` null: a memory item alone */
export function itemFront({
  memory,
  index,
}: Pick<PlannedLayout, 'memory'> & { readonly index: string | null }): ItemFront {
  const own = [
    ...(memory === null ? [] : [{ kind: 'memory-part', what: 'memory', json: itemOf(memory) } as const]),
    ...(index === null ? [] : [{ kind: 'head-message', what: 'index', json: itemOf(index) } as const]),
  ];
  return {
    pieces: own.map(({ kind, json }) => ({ json, edits: [{ kind }] })),
    runs: own.map(({ what, json }) => ({ is: 'ours', what, bytes: json.length, record: null })),
  };
}

function itemOf(text: string): Buffer {
  return Buffer.from(
    `{"type":"message","role":"user","content":[{"type":"input_text","text":${JSON.stringify(text)}}]}`,
  );
}
