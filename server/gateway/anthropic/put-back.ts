import { createHash } from 'node:crypto';
import {
  canonicalBytes,
  itemsOf,
  type JsonNode,
  jsonObject,
  member,
  readJson,
  type Slice,
  stringMember,
  viewOf,
} from '../../conversation/index.ts';
import {
  answerOf,
  chainBehind,
  FIRST_CHAIN,
  type HiddenAnswer,
  isWhole,
  partsBehind,
  placesBehind,
  type VisiblePart,
} from '../hidden/answers.ts';
import type { Edit } from '../splice.ts';

/** A part of an assistant's message in the client's body. */
interface EchoedPart extends VisiblePart {
  /** Its bytes. */
  readonly raw: Buffer;
}

/**
 * The edits that put hidden rounds back into a request: the one message that the client shows of an answer becomes the
 * messages that the provider has seen, and results of ours stand behind the client's own.
 * @param elements the entries of `messages`
 * @param answersBehind the kept answers of a chain, oldest first
 */
export function putBackMessages(
  body: Uint8Array,
  elements: readonly Slice[],
  answersBehind: (chain: string) => readonly HiddenAnswer[],
): readonly Edit[] {
  const edits: Edit[] = [];
  const used = new Set<string>();
  let chain = FIRST_CHAIN;
  for (const [index, slice] of elements.entries()) {
    const element = viewOf(body.subarray(slice.start, slice.end));
    const parts = assistantParts(element);
    if (parts === null) continue;
    const answer = answerOf(parts, answersBehind(chain), used);
    chain = chainBehind(chain, parts);
    if (answer === null) continue;
    used.add(answer.id);
    edits.push({ ...slice, insert: Buffer.from(messagesFor(parts, answer).join(',')) });
    const behind = elements[index + 1];
    if (answer.mixed !== null && isWhole(parts, answer) && behind !== undefined) {
      const results = withResults(viewOf(body.subarray(behind.start, behind.end)), answer.mixed.results);
      if (results !== null) edits.push({ ...behind, insert: results });
    }
  }
  return edits;
}

/** The parts of an assistant's message, blank texts left out; null: it is no assistant's. */
export function assistantParts(element: Buffer): readonly EchoedPart[] | null {
  const node = readJson(element);
  if (node === null || stringMember(node, 'role') !== 'assistant') return null;
  const content = member(node, 'content');
  if (content?.type === 'string') {
    const raw = Buffer.from(`{"type":"text","text":${rawOf(element, content).toString()}}`);
    return content.value.trim() === ''
      ? []
      : [{ fingerprint: textPrint(content.value), isReasoning: false, raw }];
  }
  return itemsOf(content).flatMap((part): EchoedPart[] => {
    const print = fingerprintOf(part);
    return print === null ? [] : [{ ...print, raw: rawOf(element, part) }];
  });
}

/** What tells a part again; null: a blank text, which agents leave out. */
function fingerprintOf(part: JsonNode): VisiblePart | null {
  const type = stringMember(part, 'type');
  if (type === 'text') {
    const text = stringMember(part, 'text') ?? '';
    return text.trim() === '' ? null : { fingerprint: textPrint(text), isReasoning: false };
  }
  if (type === 'tool_use')
    return { fingerprint: `call ${stringMember(part, 'id') ?? ''}`, isReasoning: false };
  const isReasoning = type === 'thinking' || type === 'redacted_thinking';
  const others = part.type === 'object' ? part.entries.filter((entry) => entry.key !== 'cache_control') : [];
  return { fingerprint: hashOf(type ?? '', canonicalBytes(jsonObject(others))), isReasoning };
}

function textPrint(text: string): string {
  return hashOf('text', Buffer.from(text, 'utf16le'));
}

function hashOf(label: string, bytes: Uint8Array): string {
  return createHash('sha256').update(`${label}\0`).update(bytes).digest('base64url');
}

function rawOf(source: Buffer, node: JsonNode): Buffer {
  return source.subarray(node.start, node.end);
}

/** The messages that stand for an echoed answer. */
function messagesFor(parts: readonly EchoedPart[], answer: HiddenAnswer): readonly string[] {
  const places = placesBehind(parts, answer);
  const messages = places.flatMap((place) => place.sent);
  if (answer.mixed !== null && isWhole(parts, answer)) return [...messages, answer.mixed.message];
  const own = partsBehind(parts, answer, places.at(-1));
  if (own.length === 0) return messages;
  return [
    ...messages,
    `{"role":"assistant","content":[${own.map((part) => part.raw.toString()).join(',')}]}`,
  ];
}

/** The client's results with ours behind them and before its texts; null where the message holds no results. */
function withResults(element: Buffer, results: readonly string[]): Buffer | null {
  const content = member(readJson(element) ?? undefined, 'content');
  const last = itemsOf(content).findLast((part) => stringMember(part, 'type') === 'tool_result');
  if (last === undefined || results.length === 0) return null;
  return Buffer.concat([
    element.subarray(0, last.end),
    Buffer.from(`,${results.join(',')}`),
    element.subarray(last.end),
  ]);
}
