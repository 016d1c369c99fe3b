import type { MessageHash, SliceHash } from './chain.ts';
import type { Item, Message } from './model.ts';
import type { AgentForms, ComparableItem, StoredMessage } from './moves.ts';

/** Where a slice (or a group of slices) leads: with the chain at `parent`, it goes on to `message`. */
export interface SliceMapping {
  readonly parent: MessageHash;
  readonly message: MessageHash;
}

/** What {@link resolveChain} asks for, one thing at a time; each is answered by the reply of the same kind. */
export type ResolveNeed =
  /** Mappings by hex of the slice hash (`lookUpSlices` of the store). */
  | { readonly need: 'slices'; readonly slices: readonly SliceHash[] }
  /** Stored children of a message, newest first; few may be given, but `wanted` must be among them if it is stored. */
  | { readonly need: 'children'; readonly parent: MessageHash; readonly wanted: MessageHash | null }
  /** The items as they would be stored: one for each, in order. */
  | { readonly need: 'masked'; readonly items: readonly Item[] }
  /** Nothing: much work was done, and others may have their turn before more of it. */
  | { readonly need: 'pause' };

/** What answers each need. */
export interface ResolveReplies<Masked extends ComparableItem> {
  readonly slices: ReadonlyMap<string, readonly SliceMapping[]>;
  readonly children: readonly StoredMessage[];
  readonly masked: readonly Masked[];
}

/** A message of the request that the store does not have. */
export interface ChainedMessage<Masked extends ComparableItem = ComparableItem> {
  readonly hash: MessageHash;
  readonly parent: MessageHash;
  readonly message: Message;
  /** Its items masked, where they were asked for on the way; null: not yet. */
  readonly masked: readonly Masked[] | null;
  /** Messages without a place of their own (reasoning) that stood directly before it. */
  readonly reasoning: readonly Message[];
}

/** What a request's elements are. */
export interface ResolvedChain<Masked extends ComparableItem = ComparableItem> {
  /** The newest message of the request's own chain; the root where it has none. */
  readonly head: MessageHash;
  /** The message at which the chain stands behind each element. */
  readonly positions: readonly MessageHash[];
  /** Messages to be appended, parents first. */
  readonly added: readonly ChainedMessage<Masked>[];
  /** Forms to be remembered, so that they need not be parsed again. Those that the store has are not among them. */
  readonly aliases: readonly {
    readonly parent: MessageHash;
    readonly slice: SliceHash;
    readonly message: MessageHash;
  }[];
}

/**
 * A message of a request in two: what is said in it, which the agent's own files keep, and what the agent put beside
 * that when it sent it, which they do not.
 */
export interface SaidPart {
  /** What is said, as bytes to hash; null: nothing. */
  readonly said: Uint8Array | null;
  /** The rest as a message; null: there is none. */
  readonly beside: Message | null;
  /** True where the agent's files may lack the whole message: then `beside` is the message itself. */
  readonly mayLack: boolean;
}

/** What {@link resolveChain} works on. */
export interface ResolveInput {
  /** The account's key. */
  readonly key: Uint8Array;
  /** The parent of a first message. */
  readonly root: MessageHash;
  /** The raw elements of the request, in order. */
  readonly elements: readonly Uint8Array[];
  readonly parse: (element: Uint8Array) => Message;
  readonly forms: AgentForms;
  /**
   * Left out where nothing of the conversation can have come from the agent's own files. Otherwise a message that is
   * known from there by what is said in it (an alias under its {@link SaidPart}) is that message; what the agent put
   * beside it is added as a message behind it that the chain does not go through.
   */
  readonly saidOf?: (message: Message) => SaidPart;
}
