import type { ArchiveWriter, MaskedItem, MessageHash, StoredMessage } from '../../archive/index.ts';
import {
  hexOf,
  type Message,
  messageHash,
  type SliceHash,
  saidHash,
  sliceHash,
} from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { ProtocolAdapter } from '../adapter.ts';
import { maskItems } from '../record/mask-items.ts';
import { saysNothing, saysTheSame } from './match.ts';
import { saidOfAgent } from './said.ts';
import type { TranscriptAgent } from './types.ts';

/** Where a message of a transcript stands in the archive. */
export interface Placed {
  readonly hash: MessageHash;
  /** False: the archive does not hold it yet. */
  readonly isKnown: boolean;
  readonly message: Message;
  /** Messages without a place of their own (reasoning) that the next one takes along. */
  readonly reasoning: readonly Message[];
  /** Its items masked, where they were needed; null: not yet. */
  readonly masked: readonly MaskedItem[] | null;
}

/** What placing needs. */
export interface PlacingTools {
  readonly writer: Pick<ArchiveWriter, 'lookUpSlices' | 'childrenOf'>;
  readonly accountId: Uuid;
  readonly key: Uint8Array;
  readonly agent: TranscriptAgent;
  readonly adapter: ProtocolAdapter;
}

/** Slices that are looked up at once. */
const SLICES_AT_ONCE = 2_000;
/** How many messages in a row in which nothing is said are looked behind. */
const LOOK_BEHIND = 4;

/**
 * Finds the places of messages in the archive: under the name that they have there already, as another form of what came
 * through a door, or under a new name.
 */
export class Placing {
  readonly #tools: PlacingTools;
  readonly #seen = new Map<
    string,
    readonly { readonly parent: MessageHash; readonly message: MessageHash }[]
  >();

  constructor(tools: PlacingTools) {
    this.#tools = tools;
  }

  /** Looks up at once which of these elements an import has seen before. */
  async prepare(elements: readonly Uint8Array[]): Promise<void> {
    const { writer, accountId } = this.#tools;
    for (let from = 0; from < elements.length; from += SLICES_AT_ONCE) {
      const slices = elements.slice(from, from + SLICES_AT_ONCE).map((element) => this.sliceOf(element));
      for (const [slice, seen] of await writer.lookUpSlices(accountId, slices)) this.#seen.set(slice, seen);
    }
  }

  /** The name of an element as it stands in a file: no door ever sees it in this form. */
  sliceOf(element: Uint8Array): SliceHash {
    return sliceHash(this.#tools.key, Buffer.concat([FILE_MARK, element]));
  }

  /** The forms under which a message that is new is found again: by an import, and by its agent's next request. */
  aliasesOf(parent: MessageHash, element: Uint8Array, { hash, message }: Pick<Placed, 'hash' | 'message'>) {
    const { key, agent } = this.#tools;
    const said = saidOfAgent(agent)?.(message).said ?? null;
    const slices = [this.sliceOf(element), ...(said === null ? [] : [saidHash(key, message.role, said)])];
    return slices.map((slice) => ({ parent, slice, message: hash }));
  }

  /**
   * The place of an element behind `parent`.
   * @param isStored whether the parent is in the archive (the root counts as being there)
   */
  async place(
    element: Uint8Array,
    parent: MessageHash,
    { isStored, reasoning }: { readonly isStored: boolean; readonly reasoning: readonly Message[] },
  ): Promise<Placed> {
    const { key, adapter, writer, accountId } = this.#tools;
    const message = adapter.parseMessage(element);
    if (message.transparent) {
      return { hash: parent, isKnown: true, message, reasoning: [...reasoning, message], masked: null };
    }
    const own = messageHash(key, parent, message.role, message.canonical);
    const at = { message, reasoning, masked: null };
    if (!isStored) return { ...at, hash: own, isKnown: false };
    const seen = this.#seen
      .get(hexOf(this.sliceOf(element)))
      ?.find((mapping) => hexOf(mapping.parent) === hexOf(parent));
    if (seen !== undefined) return { ...at, hash: seen.message, isKnown: true };
    const children = await writer.childrenOf(accountId, parent, own);
    if (children.some((child) => hexOf(child.hash) === hexOf(own)))
      return { ...at, hash: own, isKnown: true };
    if (children.length === 0) return { ...at, hash: own, isKnown: false };
    const masked = await maskItems(message.items, key);
    const known = await this.#findSame(children, { ...message, items: masked }, 0);
    return { ...at, masked, hash: known?.hash ?? own, isKnown: known !== null };
  }

  async #findSame(
    children: readonly StoredMessage[],
    read: Pick<Message, 'role' | 'canonical'> & { readonly items: readonly MaskedItem[] },
    depth: number,
  ): Promise<StoredMessage | null> {
    const { adapter, writer, accountId, key } = this.#tools;
    const same = children.find((child) => saysTheSame(child, read, adapter.forms));
    if (same !== undefined || depth === LOOK_BEHIND) return same ?? null;
    for (const child of children.filter(saysNothing)) {
      const own = messageHash(key, child.hash, read.role, read.canonical);
      const behind = await writer.childrenOf(accountId, child.hash, own);
      const exact = behind.find((one) => hexOf(one.hash) === hexOf(own));
      const found = exact ?? (await this.#findSame(behind, read, depth + 1));
      if (found !== null) return found;
    }
    return null;
  }
}

const FILE_MARK = Buffer.from('file\0');
