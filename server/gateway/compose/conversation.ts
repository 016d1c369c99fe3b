import { hexOf, type MessageHash, type Slice } from '../../conversation/index.ts';
import { breathe } from '../../kernel/breath.ts';
import type { ProtocolAdapter, ReadRequest } from '../adapter.ts';
import { estimateBytes } from '../estimate/index.ts';
import { hintsFor } from '../reading/hints.ts';
import { commonElements } from '../record/prefix-cache.ts';
import { firstOutlines, type Outlines, outlinesIn } from '../validator/index.ts';
import { type ElementFacts, factsOf, factsOfResults } from './facts.ts';
import { mayBeSentOtherwise, type ResultFacts, resultFactsOf } from './kept-results.ts';
import { type MarkState, markNext, NO_MARKS } from './marks.ts';
import type { Anchors } from './plan.ts';

/** A request's elements as the gateway knows them: one entry of each list for each element. */
export interface Conversation {
  /** The decoded body. */
  readonly body: Buffer;
  readonly elements: readonly Slice[];
  readonly facts: readonly ElementFacts[];
  readonly marks: readonly (MessageHash | null)[];
  /** Behind each element. */
  readonly states: readonly MarkState[];
  /**
   * What hidden rounds beside each element are found by in the request, and the chain of answers behind it: of the first
   * elements, as far as somebody has asked ({@link anchorsOf}).
   */
  readonly anchors: (readonly string[])[];
  readonly chains: string[];
  /** Results in each element that may be sent with another text. */
  readonly results: readonly (readonly ResultFacts[])[];
  /** What the validator need not read again; null: it is made once the request is on its way. */
  outlines: Outlines | null;
}

/** Up to so many bytes a body is read by the validator as it stands: outlines would take longer than they save. */
const TINY_BYTES = 8 * 1024;
/** Up to so many bytes a body's outlines are made at once. */
const SMALL_BYTES = 256 * 1024;
/** From so many on they are made before the validator would have to read all of it in one go. */
const LARGE_BYTES = 4 * 1024 * 1024;
/** Bytes of elements that are outlined before others get their turn. */
const STEP_BYTES = 256 * 1024;

/**
 * Reads a request's elements. What the request before it holds at the same places in the same bytes is not read again, so
 * that the work grows with what is new.
 * @param before the thread's request before it; null: everything is read
 */
export async function readConversation(
  key: Uint8Array,
  adapter: ProtocolAdapter,
  read: ReadRequest,
  body: Buffer,
  before: Conversation | null,
): Promise<Conversation> {
  const { elements } = read;
  const { known, ...lists } = await readElements(key, adapter, read, body, before);
  const first = before?.outlines == null ? undefined : firstOutlines(before.outlines, known);
  const isInTime = first !== undefined || body.byteLength <= SMALL_BYTES || body.byteLength > LARGE_BYTES;
  const outlines =
    isInTime && body.byteLength > TINY_BYTES ? await outlinesInSteps(body, elements, first) : null;
  return { body, elements, ...lists, outlines };
}

type Lists = Pick<Conversation, 'facts' | 'marks' | 'states' | 'anchors' | 'chains' | 'results'>;

/** What is known of each element; `known`: of how many it is what was known of the request before. */
async function readElements(
  key: Uint8Array,
  adapter: ProtocolAdapter,
  read: ReadRequest,
  body: Buffer,
  before: Conversation | null,
): Promise<Lists & { readonly known: number }> {
  const { elements } = read;
  const known = before === null ? 0 : commonElements(before, { body, elements });
  const facts = before?.facts.slice(0, known) ?? [];
  const marks = before?.marks.slice(0, known) ?? [];
  const states = before?.states.slice(0, known) ?? [];
  const anchors = before?.anchors.slice(0, known) ?? [];
  const chains = before?.chains.slice(0, known) ?? [];
  const results = before?.results.slice(0, known) ?? [];
  for (const { start, end } of elements.slice(known)) {
    const element = body.subarray(start, end);
    const ids = adapter.resultsAlone(element);
    const tokens = estimateBytes(element);
    const parse = () => adapter.parseMessage(element, hintsFor(adapter, read, start));
    const message = ids === null ? parse() : null;
    const fact = message === null ? factsOfResults(ids ?? [], tokens) : factsOf(message, tokens);
    const { mark, state } = markNext(key, states.at(-1) ?? NO_MARKS, fact);
    facts.push(fact);
    marks.push(mark);
    states.push(state);
    results.push(
      mayBeSentOtherwise(fact, element)
        ? resultFactsOf(key, message ?? parse(), state.chain, adapter.protocol)
        : [],
    );
    await breathe();
  }
  return { known, facts, marks, states, anchors, chains, results };
}

/** The newest element that has a mark; null: none has. */
export function newestMark({ marks }: Pick<Conversation, 'marks'>): MessageHash | null {
  return marks.findLast((mark) => mark !== null) ?? null;
}

/** Whether the assistant has said anything in it. */
export function isAnswered({ facts }: Pick<Conversation, 'facts'>): boolean {
  return facts.some((fact) => fact.print !== null);
}

/** Elements at the beginning of a request among which its first answer is looked for. */
const BEGINNING_ELEMENTS = [8, 64];

/**
 * The marks of a request from its first message through its first answer, by reading no more than these; null: there is
 * no answer near its beginning.
 */
export async function marksOfBeginning(
  key: Uint8Array,
  adapter: ProtocolAdapter,
  read: ReadRequest,
  body: Buffer,
): Promise<readonly MessageHash[] | null> {
  for (const count of BEGINNING_ELEMENTS) {
    const first = { ...read, elements: read.elements.slice(0, count) };
    const { facts, marks } = await readElements(key, adapter, first, body, null);
    const answer = facts.findIndex((fact) => fact.print !== null);
    if (answer >= 0) return marks.slice(0, answer + 1).filter((mark) => mark !== null);
  }
  return null;
}

/** How a request begins. */
export interface ConversationBeginning {
  /** The marks of what a person typed before the first answer, oldest first. */
  readonly typed: readonly MessageHash[];
  /** The mark of the first answer. */
  readonly answer: MessageHash | null;
  /** Elements through the first answer. */
  readonly elements: number;
  /** All that the assistant has said was said at once. */
  readonly isOnlyAnswer: boolean;
}

/** Reads a request's beginning, and no more of it than that takes. */
export async function readBeginning(
  key: Uint8Array,
  adapter: ProtocolAdapter,
  read: ReadRequest,
  body: Buffer,
): Promise<ConversationBeginning> {
  const { length } = read.elements;
  for (const count of [...BEGINNING_ELEMENTS.filter((one) => one < length), length]) {
    const first = { ...read, elements: read.elements.slice(0, count) };
    const { facts, marks } = await readElements(key, adapter, first, body, null);
    const answer = facts.findIndex((fact) => fact.print !== null);
    if (answer < 0 && count < length) continue;
    const typed = marks.slice(0, answer < 0 ? count : answer).filter((mark) => mark !== null);
    const isOnlyAnswer = count === length && hasOneAnswer({ facts });
    return { typed, answer: marks[answer] ?? null, elements: answer + 1, isOnlyAnswer };
  }
  return { typed: [], answer: null, elements: 0, isOnlyAnswer: false };
}

/** The mark of the assistant's first answer; null: there is none. */
export function firstAnswer({ facts, marks }: Pick<Conversation, 'facts' | 'marks'>): MessageHash | null {
  return marks[facts.findIndex((fact) => fact.print !== null)] ?? null;
}

/** Whether all that the assistant has said was said at once. */
export function hasOneAnswer({ facts }: Pick<Conversation, 'facts'>): boolean {
  const behind = facts.slice(facts.findIndex((fact) => fact.print !== null));
  const next = behind.findIndex((fact) => fact.side === 'user');
  return next < 0 || behind.slice(next).every((fact) => fact.print === null);
}

/** Places at the end of a request, and behind them, among which the next one is looked for. */
const LOOKED_FOR = 8;
const LOOKED_AMONG = 400;

/**
 * The element of a request that stands at the newest place of the request before it that it holds: what is behind it is
 * new. Null: it does not go on from there.
 */
export function goesOnBehind(before: Conversation, { marks }: Conversation): number | null {
  const places = before.marks
    .slice(-LOOKED_AMONG)
    .filter((mark) => mark !== null)
    .slice(-LOOKED_FOR)
    .map((mark) => hexOf(mark));
  for (let element = marks.length - 1; element >= Math.max(0, marks.length - LOOKED_AMONG); element -= 1) {
    const mark = marks[element];
    if (mark != null && places.includes(hexOf(mark))) return element;
  }
  return null;
}

/** Makes what the validator need not read again of a large request, so that the next one has it. */
export function outlineLater(conversation: Conversation): void {
  if (conversation.outlines !== null || conversation.body.byteLength <= TINY_BYTES) return;
  setImmediate(async () => {
    const outlines = await outlinesInSteps(conversation.body, conversation.elements);
    conversation.outlines ??= outlines;
  });
}

/** Outlines of all elements; between steps other work gets its turn. */
async function outlinesInSteps(
  body: Buffer,
  elements: readonly Slice[],
  first?: Outlines,
): Promise<Outlines> {
  let known = first ?? outlinesIn(body, []);
  let bytes = 0;
  for (let count = known.ends.length; count < elements.length; count += 1) {
    const { start, end } = elements[count] as Slice;
    bytes += end - start;
    if (bytes <= STEP_BYTES) continue;
    known = outlinesIn(body, elements.slice(0, count + 1), known);
    bytes = 0;
    await breathe();
  }
  return outlinesIn(body, elements, known);
}

/** What hidden rounds beside the elements are found by. Elements are read for it once. */
export function anchorsOf(conversation: Conversation, adapter: ProtocolAdapter): Anchors {
  const { body, elements, anchors, chains } = conversation;
  for (const { start, end } of elements.slice(anchors.length)) {
    const anchored = adapter.anchorsOf(body.subarray(start, end), chains.at(-1) ?? '');
    anchors.push(anchored.anchors);
    chains.push(anchored.chain);
  }
  return anchors;
}
