import { hexOf, type Item, type Slice } from '../../conversation/index.ts';
import { type LayoutContent, restoreIndex } from '../../recall/index.ts';
import { type ArchivedChain, typedTexts } from './archived.ts';
import type { Conversation } from './conversation.ts';
import { boundaryElement, hashOfIndex } from './new-layout.ts';
import type { PlannedLayout } from './plan.ts';

/** Indices of layouts by their hash, so that they are put together once in a process. */
export class IndexTexts {
  readonly #texts = new Map<string, string>();

  get(hash: string): string | null {
    return this.#texts.get(hash) ?? null;
  }

  /** Remembers an index; the oldest go first. */
  keep(hash: string, text: string): void {
    this.#texts.delete(hash);
    this.#texts.set(hash, text);
    for (const oldest of this.#texts.keys()) {
      if (this.#texts.size <= REMEMBERED_INDICES) break;
      this.#texts.delete(oldest);
    }
  }

  clear(): void {
    this.#texts.clear();
  }
}

const REMEMBERED_INDICES = 200;

/**
 * A layout that is in force, as it stands in a request; where it cannot be put into it, why. Its index is put together from
 * what was kept and the words that the client sends in this request.
 */
export async function standingLayout(
  content: LayoutContent,
  conversation: Conversation,
  indices: IndexTexts,
  parts: {
    readonly key: Uint8Array;
    readonly parse: (slice: Slice) => readonly Item[];
    readonly chain: () => Promise<ArchivedChain | null>;
  },
): Promise<PlannedLayout | string> {
  const at = boundaryElement(conversation, content.boundary);
  if (at === null) return 'boundary_not_found';
  const runningTyped =
    content.runningTyped === null ? null : markedElement(conversation, hexOf(content.runningTyped));
  if (content.runningTyped !== null && runningTyped === null) return 'running_turn_not_found';
  const index = indices.get(content.indexHash) ?? (await restored());
  if (index === null) return 'index_not_restored';
  indices.keep(content.indexHash, index);
  return { at, runningTyped, memory: content.memory, index, cacheMark: content.cacheMark };

  async function restored(): Promise<string | null> {
    const isOurs = content.index.every((piece) => typeof piece === 'string');
    const chain = isOurs ? null : await parts.chain();
    const typed =
      chain === null ? new Map<string, string>() : typedTexts(parts.key, chain, conversation, parts.parse);
    const text = restoreIndex(content.index, (docid) => typed.get(docid) ?? null);
    return text !== null && hashOfIndex(text) === content.indexHash ? text : null;
  }
}

function markedElement({ marks }: Conversation, hex: string): number | null {
  const found = marks.findIndex((mark) => mark !== null && hexOf(mark) === hex);
  return found < 0 ? null : found;
}
