import { hexOf } from './bytes.ts';
import {
  type MessageHash,
  messageHash,
  type SliceHash,
  saidHash,
  sliceGroupHash,
  sliceHash,
} from './chain.ts';
import type { Message } from './model.ts';
import { type ComparableItem, type FormQuestion, matchForm, type StoredMessage } from './moves.ts';
import type {
  ChainedMessage,
  ResolvedChain,
  ResolveInput,
  ResolveNeed,
  ResolveReplies,
  SaidPart,
  SliceMapping,
} from './resolution.ts';

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

/** Bytes of elements that are hashed or parsed before others may have their turn. */
const BYTES_AT_ONCE = 256 * 1024;

class Walk<Masked extends ComparableItem> {
  private readonly slices: SliceHash[] = [];
  private readonly parsed = new Map<number, Message>();
  private readonly masked = new Map<number, readonly Masked[]>();
  private known: ResolveReplies<Masked>['slices'] = new Map();
  /** Names of an element together with the one behind it, of those that no slice of their own led to. */
  private readonly groups = new Map<number, SliceHash>();
  private knownGroups: ResolveReplies<Masked>['slices'] = new Map();
  private readonly positions: MessageHash[] = [];
  private readonly added: ChainedMessage<Masked>[] = [];
  private readonly aliases: { parent: MessageHash; slice: SliceHash; message: MessageHash }[] = [];
  private reasoning: Message[] = [];
  private at: MessageHash;
  /** False once the chain stands at a message that is not stored: nothing can be stored behind it. */
  private stored = true;
  private bytesSincePause = 0;

  constructor(private readonly input: ResolveInput) {
    this.at = input.root;
  }

  *run(): Generator<ResolveNeed, ResolvedChain<Masked>, unknown> {
    for (const element of this.input.elements) {
      this.slices.push(sliceHash(this.input.key, element));
      yield* this.pauseAfter(element);
    }
    if (this.slices.length > 0) {
      this.known = (yield { need: 'slices', slices: this.slices }) as ResolveReplies<Masked>['slices'];
    }
    yield* this.lookUpGroups();
    let index = 0;
    while (index < this.slices.length) {
      yield* this.pauseAfter(this.input.elements[index] as Uint8Array);
      index += yield* this.step(index);
    }
    return { head: this.at, positions: this.positions, added: this.added, aliases: this.aliases };
  }

  /** Asks for a pause where that element makes enough work since the last one. */
  private *pauseAfter(element: Uint8Array): Generator<ResolveNeed, void, unknown> {
    this.bytesSincePause += element.byteLength;
    if (this.bytesSincePause < BYTES_AT_ONCE) return;
    this.bytesSincePause = 0;
    yield { need: 'pause' };
  }

  /** One question for all elements that may be known together with the one behind them alone. */
  private *lookUpGroups(): Generator<ResolveNeed, void, unknown> {
    if ([...this.known.values()].every((mappings) => mappings.length === 0)) return;
    for (const [index, slice] of this.slices.entries()) {
      if (index + 1 === this.slices.length || (this.known.get(hexOf(slice)) ?? []).length > 0) continue;
      this.groups.set(index, sliceGroupHash(this.input.key, this.slices.slice(index, index + 2)));
    }
    if (this.groups.size === 0) return;
    const slices = [...this.groups.values()];
    this.knownGroups = (yield { need: 'slices', slices }) as ResolveReplies<Masked>['slices'];
  }

  /** Places the element at `index`, and says how many elements were placed. */
  private *step(index: number): Generator<ResolveNeed, number, unknown> {
    const slice = this.slices[index] as SliceHash;
    const seen = this.stored ? mappingAt(this.known, slice, this.at) : null;
    if (seen !== null) {
      if (!same(seen, this.at)) this.reasoning = [];
      return this.place(1, seen);
    }
    const group = this.groups.get(index);
    const together = this.stored && group !== undefined ? mappingAt(this.knownGroups, group, this.at) : null;
    if (together !== null) {
      this.reasoning = [];
      return this.place(2, together);
    }
    const message = this.messageAt(index);
    if (message.transparent) {
      this.reasoning.push(message);
      return this.remember(1, slice, this.at);
    }
    const next = this.systemAfter(index, message);
    if (this.stored) {
      const found =
        (yield* this.findLacking(index)) ||
        (yield* this.findStored(index, message, next)) ||
        (yield* this.findSaid(index));
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
    const hash = messageHash(this.input.key, this.at, message.role, message.canonical);
    const children = yield* this.childrenOf(this.at, hash);
    if (children.some((child) => same(child.hash, hash))) return this.remember(1, slice, hash);
    const candidates = children.filter((child) => child.role === message.role);
    if (candidates.length === 0) return 0;
    const incoming = { role: message.role, items: yield* this.maskedAt(index) };
    const incomingNext = next === null ? null : { role: next.role, items: yield* this.maskedAt(index + 1) };
    const question = { incoming, incomingNext };
    const open: StoredMessage[] = [];
    let needed: MessageHash | null = null;
    for (const known of candidates) {
      const alone = matchForm({ ...question, known, knownNext: null }, this.input.forms);
      if (alone.verdict === 'undecided') open.push(known);
      if (alone.verdict !== 'same') continue;
      if (alone.incomingNext !== 'needed')
        return yield* this.placeForm(index, known.hash, alone.incomingNext);
      open.push(known);
      needed ??= known.hash;
    }
    for (const known of open) {
      const both = yield* this.findWithNext(known, question);
      if (both !== null) return yield* this.placeForm(index, both.message, both.incomingNext);
    }
    return needed === null ? 0 : yield* this.placeForm(index, needed, 'needed');
  }

  /** The stored system message behind `known` with which together it is what came; null: there is none. */
  private *findWithNext(
    known: StoredMessage,
    question: Pick<FormQuestion, 'incoming' | 'incomingNext'>,
  ): Generator<
    ResolveNeed,
    { message: MessageHash; incomingNext: 'absorbed' | 'needed' | null } | null,
    unknown
  > {
    const behind = yield* this.childrenOf(known.hash, null);
    for (const knownNext of behind.filter((child) => child.role === 'system')) {
      const both = matchForm({ ...question, known, knownNext }, this.input.forms);
      if (both.verdict === 'knownNext') return { message: knownNext.hash, incomingNext: both.incomingNext };
    }
    return null;
  }

  private *childrenOf(
    parent: MessageHash,
    wanted: MessageHash | null,
  ): Generator<ResolveNeed, readonly StoredMessage[], unknown> {
    return (yield { need: 'children', parent, wanted }) as ResolveReplies<Masked>['children'];
  }

  /** The element is another form of what ends at `message`, alone or together with the system message behind it. */
  private *placeForm(
    index: number,
    message: MessageHash,
    incomingNext: 'absorbed' | 'needed' | null,
  ): Generator<ResolveNeed, number, unknown> {
    if (incomingNext === null) return this.remember(1, this.slices[index] as SliceHash, message);
    const group = sliceGroupHash(this.input.key, this.slices.slice(index, index + 2));
    if (incomingNext === 'absorbed') return this.remember(2, group, message);
    const parent = this.at;
    this.place(1, message);
    const placed = yield* this.step(index + 1);
    this.aliases.push({ parent, slice: group, message: this.at });
    return 1 + placed;
  }

  /**
   * Where the agent's files go on from here with a message further down, and lack this one: it is kept beside the chain.
   * 0: they do not.
   */
  private *findLacking(index: number): Generator<ResolveNeed, number, unknown> {
    const own = this.saidAt(index);
    if (own === null || own.beside === null || !own.mayLack) return 0;
    const ahead: SliceHash[] = [];
    for (let next = index + 1; next < this.slices.length; next++) {
      const part = this.saidAt(next);
      if (part === null) continue;
      if (part.said !== null) ahead.push(this.saidHashOf(next, part.said));
      if (!part.mayLack) break;
    }
    if (ahead.length === 0) return 0;
    const itself = own.said === null ? [] : [this.saidHashOf(index, own.said)];
    const known = yield* this.lookUp([...itself, ...ahead]);
    const isHere = (slice: SliceHash) => mappingAt(known, slice, this.at) !== null;
    if (itself.some(isHere) || !ahead.some(isHere)) return 0;
    yield* this.putBeside(own.beside);
    return this.remember(1, this.slices[index] as SliceHash, this.at);
  }

  /** Looks for a message of the agent's files that says what the element says; 0: there is none here. */
  private *findSaid(index: number): Generator<ResolveNeed, number, unknown> {
    const own = this.saidAt(index);
    if (own === null || own.said === null) return 0;
    const slice = this.saidHashOf(index, own.said);
    const message = mappingAt(yield* this.lookUp([slice]), slice, this.at);
    if (message === null) return 0;
    const placed = this.remember(1, this.slices[index] as SliceHash, message);
    if (own.beside !== null) yield* this.putBeside(own.beside);
    return placed;
  }

  /** Adds a message behind the one where the chain stands, if it is not stored there; the chain stays where it is. */
  private *putBeside(message: Message): Generator<ResolveNeed, void, unknown> {
    const hash = messageHash(this.input.key, this.at, message.role, message.canonical);
    const children = yield* this.childrenOf(this.at, hash);
    if (children.some((child) => same(child.hash, hash))) return;
    this.added.push({ hash, parent: this.at, message, masked: null, reasoning: [] });
  }

  /** The element in two; null where that is not asked for, or it takes no place in the chain. */
  private saidAt(index: number): SaidPart | null {
    if (this.input.saidOf === undefined) return null;
    const message = this.messageAt(index);
    return message.transparent ? null : this.input.saidOf(message);
  }

  private saidHashOf(index: number, said: Uint8Array): SliceHash {
    return saidHash(this.input.key, this.messageAt(index).role, said);
  }

  private *lookUp(
    slices: readonly SliceHash[],
  ): Generator<ResolveNeed, ResolveReplies<Masked>['slices'], unknown> {
    return (yield { need: 'slices', slices }) as ResolveReplies<Masked>['slices'];
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
