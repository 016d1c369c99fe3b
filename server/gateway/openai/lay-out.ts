import type { Slice } from '../../conversation/index.ts';
import type { Edit } from '../splice.ts';
import { leftOutBefore, type Edit as NamedEdit } from '../validator/index.ts';

/** A layout to be put into a Responses request. */
export interface ItemsLayout {
  /** Index of the oldest item of the recent part. */
  readonly at: number;
  /** The running turn's typed item where it stands before `at`: it stays in view. */
  readonly runningTyped: number | null;
  /** Items before `at` that stay whole, in their order: the head, configuration, a provider's compaction. */
  readonly stays: readonly number[];
  readonly memory: string | null;
  readonly index: string;
}

/** A request with a layout: what changes in its bytes, and the names of the changes for the validator. */
export interface LaidOutItems {
  readonly edits: readonly Edit[];
  readonly named: readonly NamedEdit[];
}

/**
 * Composes a layout for the Responses API: what stays of the older part, memory and index as items of ours, the running
 * turn's typed item, and the recent part in the client's own bytes.
 * @param elements the entries of `input`
 */
export function layOutItems(body: Uint8Array, elements: readonly Slice[], layout: ItemsLayout): LaidOutItems {
  const raw = (index: number) => {
    const slice = elements[index];
    return Buffer.from(body.subarray(slice?.start ?? 0, slice?.end ?? 0)).toString();
  };
  const { stays, runningTyped, memory, at } = layout;
  const front = stays.filter((index) => index !== runningTyped).map(raw);
  const own = [...(memory === null ? [] : [itemOf(memory)]), itemOf(layout.index)];
  const typed = runningTyped === null ? [] : [raw(runningTyped)];
  const next = elements[at];
  const insert = Buffer.from(`${[...front, ...own, ...typed].join(',')}${next === undefined ? '' : ','}`);
  const kinds: ('memory-part' | 'head-message')[] =
    memory === null ? ['head-message'] : ['memory-part', 'head-message'];
  return {
    edits: [{ start: elements[0]?.start ?? 0, end: next?.start ?? elements.at(-1)?.end ?? 0, insert }],
    named: [
      ...kinds.map((kind, index): NamedEdit => ({ kind, element: front.length + index })),
      ...leftOutBefore(at, new Set([...stays, ...(runningTyped === null ? [] : [runningTyped])])),
    ],
  };
}

/** A user's item of ours; it names itself as generated. */
function itemOf(text: string): string {
  return `{"type":"message","role":"user","content":[{"type":"input_text","text":${JSON.stringify(text)}}]}`;
}
