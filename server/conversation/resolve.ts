import { hexOf } from './bytes.ts';
import { type MessageHash, messageHash, type SliceHash, sliceGroupHash, sliceHash } from './chain.ts';
import type { Item, Message } from './model.ts';
import { type AgentForms, type ComparableItem, matchForm, type StoredMessage } from './moves.ts';

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
  | { readonly need: 'masked'; readonly items: readonly Item[] };

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
}

/**
 * Finds the chain of a request. Elements whose bytes were seen at their place are recognised by their hash and not
 * parsed; the others are parsed and named; those whose name is not stored either are compared with the stored
 * messages at that place; what is left is new. A generator: it yields what must be looked up and is given the reply
 * by `next` (see {@link answerNeeds}); it does nothing else, so that it can be tested without a store.
 */
export function* resolveChain<Masked extends ComparableItem>(
  input: ResolveInput,
): Generator<ResolveNeed, ResolvedChain<Masked>, unknown> {
  const walk = new Walk<Masked>(input);
  return yield* walk.run();
}

/** Drives {@link resolveChain} with functions that answer. What they throw ends it. */
export async function answerNeeds<Masked extends ComparableItem>(
  walk: Generator<ResolveNeed, ResolvedChain<Masked>, unknown>,
  answers: {
    readonly slices: (slices: readonly SliceHash[]) => Promise<ResolveReplies<Masked>['slices']>;
    readonly children: (
      parent: MessageHash,
      wanted: MessageHash | null,
    ) => Promise<ResolveReplies<Masked>['children']>;
    readonly masked: (items: readonly Item[]) => Promise<ResolveReplies<Masked>['masked']>;
  },
): Promise<ResolvedChain<Masked>> {
  let step = walk.next();
  while (step.done !== true) {
    const asked = step.value;
    if (asked.need === 'slices') step = walk.next(await answers.slices(asked.slices));
    else if (asked.need === 'children') step = walk.next(await answers.children(asked.parent, asked.wanted));
    else step = walk.next(await answers.masked(asked.items));
  }
  return step.value;
}

/** Gives the messages of an answer their places behind `parent`. Those without a place go to the next that has one. */
export function chainAnswer(
  key: Uint8Array,
  parent: MessageHash,
  messages: readonly Message[],
): readonly ChainedMessage[] {
  const chained: ChainedMessage[] = [];
  let at = parent;
  let reasoning: Message[] = [];
  for (const message of messages) {
    if (message.transparent) {
      reasoning.push(message);
      continue;
    }
    const hash = messageHash(key, at, message.role, message.canonical);
    chained.push({ hash, parent: at, message, masked: null, reasoning });
    reasoning = [];
    at = hash;
  }
  return chained;
}

class Walk<Masked extends ComparableItem> {
  private readonly slices: readonly SliceHash[];
  private readonly parsed = new Map<number, Message>();
  private readonly masked = new Map<number, readonly Masked[]>();
  private known: ResolveReplies<Masked>['slices'] = new Map();
  private readonly positions: MessageHash[] = [];
  private readonly added: ChainedMessage<Masked>[] = [];
  private readonly aliases: { parent: MessageHash; slice: SliceHash; message: MessageHash }[] = [];
  private reasoning: Message[] = [];
  private at: MessageHash;
  /** False once the chain stands at a message that is not stored: nothing can be stored behind it. */
  private stored = true;

  constructor(private readonly input: ResolveInput) {
    this.at = input.root;
    this.slices = input.elements.map((element) => sliceHash(input.key, element));
  }

  *run(): Generator<ResolveNeed, ResolvedChain<Masked>, unknown> {
    if (this.slices.length > 0) {
      this.known = (yield { need: 'slices', slices: this.slices }) as ResolveReplies<Masked>['slices'];
    }
    let index = 0;
    while (index < this.slices.length) index += yield* this.step(index);
    return { head: this.at, positions: this.positions, added: this.added, aliases: this.aliases };
  }

  /** Places the element at `index`, and says how many elements were placed. */
  private *step(index: number): Generator<ResolveNeed, number, unknown> {
    const slice = this.slices[index] as SliceHash;
    const seen = this.stored ? mappingAt(this.known, slice, this.at) : null;
    if (seen !== null) {
      if (!same(seen, this.at)) this.reasoning = [];
      return this.place(1, seen);
    }
    const message = this.messageAt(index);
    if (message.transparent) {
      this.reasoning.push(message);
      return this.remember(1, slice, this.at);
    }
    const next = this.systemAfter(index, message);
    if (this.stored) {
      const found = yield* this.findStored(index, message, next);
      if (found > 0) return found;
    }
    return this.append(index, message);
  }

  /** Looks for the element among what is stored here; 0: it is not there. */
  private *findStored(
    index: number,
    message: Message,
    next: Message | null,
  ): Generator<ResolveNeed, number, unknown> {
    const slice = this.slices[index] as SliceHash;
    const group = next === null ? null : sliceGroupHash(this.input.key, this.slices.slice(index, index + 2));
    if (group !== null) {
      const mappings = (yield { need: 'slices', slices: [group] }) as ResolveReplies<Masked>['slices'];
      const seen = mappingAt(mappings, group, this.at);
      if (seen !== null) return this.place(2, seen);
    }
    const hash = messageHash(this.input.key, this.at, message.role, message.canonical);
    const children = (yield {
      need: 'children',
      parent: this.at,
      wanted: hash,
    }) as ResolveReplies<Masked>['children'];
    if (children.some((child) => same(child.hash, hash))) return this.remember(1, slice, hash);
    const candidates = children.filter((child) => child.role === message.role);
    if (candidates.length === 0) return 0;
    const incoming = { role: message.role, items: yield* this.maskedAt(index) };
    const incomingNext = next === null ? null : { role: next.role, items: yield* this.maskedAt(index + 1) };
    for (const known of candidates) {
      const alone = matchForm({ known, knownNext: null, incoming, incomingNext }, this.input.forms);
      if (alone.verdict === 'same')
        return yield* this.placeForm(index, known.hash, alone.incomingNext, group);
    }
    if (!incoming.items.some((item) => this.input.forms.reminderOf(item) !== null)) return 0;
    for (const known of candidates) {
      const behind = (yield {
        need: 'children',
        parent: known.hash,
        wanted: null,
      }) as ResolveReplies<Masked>['children'];
      for (const knownNext of behind.filter((child) => child.role === 'system')) {
        const both = matchForm({ known, knownNext, incoming, incomingNext }, this.input.forms);
        if (both.verdict === 'knownNext')
          return yield* this.placeForm(index, knownNext.hash, both.incomingNext, group);
      }
    }
    return 0;
  }

  /** The element is another form of what ends at `message`, alone or together with the system message behind it. */
  private *placeForm(
    index: number,
    message: MessageHash,
    incomingNext: 'absorbed' | 'needed' | null,
    group: SliceHash | null,
  ): Generator<ResolveNeed, number, unknown> {
    if (incomingNext === null || group === null)
      return this.remember(1, this.slices[index] as SliceHash, message);
    if (incomingNext === 'absorbed') return this.remember(2, group, message);
    const parent = this.at;
    this.place(1, message);
    const placed = yield* this.step(index + 1);
    this.aliases.push({ parent, slice: group, message: this.at });
    return 1 + placed;
  }

  private append(index: number, message: Message): number {
    const hash = messageHash(this.input.key, this.at, message.role, message.canonical);
    const masked = this.masked.get(index) ?? null;
    this.added.push({ hash, parent: this.at, message, masked, reasoning: this.reasoning });
    this.remember(1, this.slices[index] as SliceHash, hash);
    this.stored = false;
    return 1;
  }

  /** Moves the chain on and keeps the form under which it was seen. */
  private remember(count: number, slice: SliceHash, message: MessageHash): number {
    // The root is no message: a form that leads nowhere from there is not kept.
    if (!same(message, this.input.root)) this.aliases.push({ parent: this.at, slice, message });
    if (!same(message, this.at)) this.reasoning = [];
    return this.place(count, message);
  }

  private place(count: number, message: MessageHash): number {
    this.at = message;
    for (let element = 0; element < count; element++) this.positions.push(message);
    return count;
  }

  private messageAt(index: number): Message {
    const known = this.parsed.get(index);
    if (known !== undefined) return known;
    const message = this.input.parse(this.input.elements[index] as Uint8Array);
    this.parsed.set(index, message);
    return message;
  }

  /** The system message directly behind a message that is neither an answer nor one itself. */
  private systemAfter(index: number, message: Message): Message | null {
    if (message.role === 'assistant' || message.role === 'system' || index + 1 >= this.slices.length)
      return null;
    const next = this.messageAt(index + 1);
    return next.role === 'system' ? next : null;
  }

  private *maskedAt(index: number): Generator<ResolveNeed, readonly Masked[], unknown> {
    const known = this.masked.get(index);
    if (known !== undefined) return known;
    const items = (yield { need: 'masked', items: this.messageAt(index).items }) as readonly Masked[];
    this.masked.set(index, items);
    return items;
  }
}

function same(one: MessageHash, other: MessageHash): boolean {
  return hexOf(one) === hexOf(other);
}

function mappingAt(
  mappings: ReadonlyMap<string, readonly SliceMapping[]>,
  slice: SliceHash,
  at: MessageHash,
): MessageHash | null {
  return mappings.get(hexOf(slice))?.find((mapping) => same(mapping.parent, at))?.message ?? null;
}
