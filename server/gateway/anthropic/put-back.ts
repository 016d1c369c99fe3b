import { createHash } from 'node:crypto';
import {
  canonicalBytes,
  type JsonNode,
  jsonObject,
  readJson,
  type Slice,
  stringIn,
} from '../../conversation/index.ts';
import type { PieceEdit } from '../compose/changed.ts';
import type { Anchors } from '../compose/plan.ts';
import {
  chainBehind,
  FIRST_CHAIN,
  type HiddenAnswer,
  isWhole,
  partsBehind,
  placesBehind,
  type VisiblePart,
} from '../hidden/answers.ts';
import {
  isThinking,
  isUsers,
  type MessagePart,
  type MessageParts,
  readParts,
  withParts,
} from './message-parts.ts';

/** A part of an assistant's message in the client's body. */
export interface EchoedPart extends VisiblePart, MessagePart {
  /** Its place in the content. */
  readonly at: number;
}

/** The parts of an assistant's message, blank texts left out; null: it is no assistant's. */
export function assistantParts(element: Uint8Array): readonly EchoedPart[] | null {
  const message = readParts(element);
  return message?.role === 'assistant' ? echoedParts(message) : null;
}

/** The parts of a message, blank texts left out: agents leave these out when they send it again. */
export function echoedParts({ parts }: Pick<MessageParts, 'parts'>): readonly EchoedPart[] {
  return parts.flatMap((part, at): EchoedPart[] => {
    const fingerprint = fingerprintOf(part);
    return fingerprint === null ? [] : [{ ...part, at, fingerprint, isReasoning: isThinking(part) }];
  });
}

/** What tells a part again; null: a blank text. */
function fingerprintOf({ type, json, members }: MessagePart): string | null {
  if (type === 'text') {
    const text = stringIn(json, members.get('text')) ?? '';
    return text.trim() === '' ? null : hashOf('text', Buffer.from(text, 'utf16le'));
  }
  if (type === 'tool_use') return `call ${stringIn(json, members.get('id')) ?? ''}`;
  return hashOf(type, canonicalBytes(jsonObject(membersOf(readJson(json) ?? undefined))));
}

function membersOf(node: JsonNode | undefined) {
  return node?.type === 'object' ? node.entries.filter(({ key }) => key !== 'cache_control') : [];
}

function hashOf(label: string, bytes: Uint8Array): string {
  return createHash('sha256').update(`${label}\0`).update(bytes).digest('base64url');
}

/** What tells the elements of a request again, and the chain behind the last of them. */
export interface ChainedAnchors {
  /** Of an assistant's message: the chain before it. Of every other element: nothing. */
  readonly anchors: Anchors;
  readonly chainAtEnd: string;
}

/**
 * The anchors of elements from one on; a longer request of the same conversation goes on where the one before ended.
 * @param from the first element that is not known; the anchors are of it and all behind it
 * @param chainBefore the chain behind the element before that
 */
export function anchorsIn(
  body: Uint8Array,
  elements: readonly Slice[],
  from = 0,
  chainBefore = FIRST_CHAIN,
): ChainedAnchors {
  let chain = chainBefore;
  const anchors = elements.slice(from).map(({ start, end }): readonly string[] => {
    const element = body.subarray(start, end);
    const message = isUsers(element) ? null : readParts(element);
    if (message?.role !== 'assistant') return NONE;
    const own = [chain];
    // Reasoning is no part of a chain, and takes longest to tell again.
    const said = message.parts.filter((part) => !isThinking(part));
    chain = chainBehind(chain, echoedParts({ parts: said }));
    return own;
  });
  return { anchors, chainAtEnd: chain };
}

const NONE: readonly string[] = [];
/** A message that stands for an echoed answer or a piece of it. */
export interface PutBack {
  readonly json: Uint8Array;
  /** True for what was sent for a hidden round; false for the client's own rest of the answer. */
  readonly isHidden: boolean;
}

/** The messages that stand for an echoed answer, and the places of the client's parts that are in none of them. */
export interface PutBackAnswer {
  readonly messages: readonly PutBack[];
  readonly leftOut: readonly number[];
}

/**
 * The messages that stand for an echoed answer: those that were sent for its hidden rounds, then what the client has
 * behind them, in its own bytes. Null: the echo reaches behind no hidden round.
 * @param element the echoed message, with its parts
 * @param mixed true where the results of a last round with calls of both can be given behind it
 */
export function answerPutBack(
  element: Buffer,
  message: MessageParts,
  parts: readonly EchoedPart[],
  answer: HiddenAnswer,
  mixed: boolean,
): PutBackAnswer | null {
  const places = placesBehind(parts, answer);
  const sent = places.flatMap((place) => place.sent);
  const last = mixed && isWhole(parts, answer) ? answer.mixed?.message : undefined;
  const hidden = [...sent, ...(last === undefined ? [] : [last])].map(
    (json): PutBack => ({ json: Buffer.from(json), isHidden: true }),
  );
  if (hidden.length === 0) return null;
  const blank = blankPlaces(message, parts);
  if (last !== undefined) return { messages: hidden, leftOut: blank };
  const own = partsBehind(parts, answer, places.at(-1));
  if (own.length === 0) return { messages: hidden, leftOut: blank };
  const whole = own.length === message.parts.length;
  const json = whole
    ? element
    : withParts(
        message,
        own.map((part) => part.json),
      );
  return { messages: [...hidden, { json, isHidden: false }], leftOut: blank };
}

/** What of a message that was sent for a hidden round is ours: a message of results whole, of an answer our calls. */
export function hiddenEdits(json: Uint8Array, answer: HiddenAnswer): readonly PieceEdit[] {
  const message = readParts(json);
  if (message?.role !== 'assistant') return [{ kind: 'hidden-round' }];
  const visible = new Set(answer.parts.map((part) => part.fingerprint));
  return message.parts.flatMap((part, place): PieceEdit[] => {
    const isOurs = part.type === 'tool_use' && !visible.has(fingerprintOf(part) ?? '');
    return isOurs ? [{ kind: 'hidden-round', part: place }] : [];
  });
}

function blankPlaces(message: MessageParts, parts: readonly EchoedPart[]): readonly number[] {
  const filled = new Set(parts.map((part) => part.at));
  return message.parts.flatMap((_, at) => (filled.has(at) ? [] : [at]));
}

/** A record of hidden rounds as it was kept; null: it is none. */
export function hiddenAnswerIn(data: unknown): HiddenAnswer | null {
  if (!isRecord(data)) return null;
  const { id, chain, open, parts, places, mixed } = data;
  const isOne =
    typeof id === 'string' &&
    typeof chain === 'string' &&
    typeof open === 'boolean' &&
    Array.isArray(parts) &&
    parts.every(isPart) &&
    Array.isArray(places) &&
    places.every(isPlace) &&
    (mixed === null || isMixed(mixed));
  return isOne ? (data as unknown as HiddenAnswer) : null;
}

type Fields = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}

function isPart(value: unknown): boolean {
  return isRecord(value) && typeof value.fingerprint === 'string' && typeof value.isReasoning === 'boolean';
}

function isPlace(value: unknown): boolean {
  return (
    isRecord(value) &&
    Number.isSafeInteger(value.reasoning) &&
    Number.isSafeInteger(value.position) &&
    isTexts(value.sent)
  );
}

function isMixed(value: unknown): boolean {
  return isRecord(value) && typeof value.message === 'string' && isTexts(value.results);
}
