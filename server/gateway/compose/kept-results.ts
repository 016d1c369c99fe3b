import { createHmac } from 'node:crypto';
import { DOC_ID_PREFIX, type DocId, type Message } from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { TRIM_ABOVE_TOKENS, TRIMMING_RULES, trimmed } from '../../recall/index.ts';
import { estimateText } from '../estimate/index.ts';
import type { ElementFacts } from './facts.ts';
import type { PlannedResult } from './plan.ts';
import { maySayUnchanged, NOT_IN_VIEW } from './stubs.ts';

/** A tool result that may be sent with another text: plain text, and long. */
export interface ResultFacts {
  /** What tells it again, in whatever fork and on whatever gateway: its text, its call, and the answers before it. */
  readonly id: Uuid;
  readonly callId: string;
  /** Estimated tokens of its text. */
  readonly tokens: number;
  /** Its place among the parts of its message; null on Responses, where the element is the result. */
  readonly part: number | null;
}

/**
 * What is kept of a result that is sent with another text, in the record of a hidden round whose id is the result's. The
 * text is made again from what the client sends, so that nothing of it is kept.
 */
export type KeptResult = TrimmedResult | FilledResult;

/** An output that is sent as its ends. */
export interface TrimmedResult {
  readonly result: 'trimmed';
  readonly rules: number;
  /** Where the whole is. */
  readonly docid: DocId;
}

/** The stub of a read that is sent with what an earlier read gave. */
export interface FilledResult {
  readonly result: 'filled';
  /** The earlier read, by the id of its call, and what tells its text again; null: it is not in the conversation. */
  readonly call: string | null;
  readonly print: string | null;
}

/** A result with the text that is sent, and the estimated tokens that it is shorter by; below 0: longer. */
export interface SentResult {
  readonly kind: PlannedResult['kind'];
  readonly text: string;
  readonly saves: number;
}

/** Whether an element may hold results that are sent with another text. */
export function mayBeSentOtherwise({ results, tokens }: ElementFacts, element: Buffer): boolean {
  return results && (tokens > TRIM_ABOVE_TOKENS || maySayUnchanged(element));
}

/** The results of a message that may be sent with another text. @param chain of answers before it */
export function resultFactsOf(
  key: Uint8Array,
  { role, items }: Message,
  chain: string,
  protocol: 'anthropic' | 'openai',
): readonly ResultFacts[] {
  if (role === 'assistant') return [];
  return items.flatMap(({ kind, tool, text, body, media }, part) => {
    const isPlain = kind === 'tool_result' && body === null && media.length === 0;
    if (!isPlain || tool === null) return [];
    const id = resultId(key, chain, tool.callId, text);
    return [
      { id, callId: tool.callId, tokens: estimateText(text), part: protocol === 'anthropic' ? part : null },
    ];
  });
}

/** An id that is the same wherever the same result stands behind the same answers. */
export function resultId(key: Uint8Array, chain: string, callId: string, text: string): Uuid {
  const hash = createHmac('sha256', key)
    .update(`result\0${chain}\0${callId}\0`)
    .update(text, 'utf16le')
    .digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x80, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join(
    '-',
  ) as Uuid;
}

/** Data of a record that is of a result; null: it is a hidden round's. */
export function keptResultIn(data: unknown): KeptResult | null {
  if (typeof data !== 'object' || data === null || !('result' in data)) return null;
  const { result, rules, docid, call, print } = data as Readonly<Record<string, unknown>>;
  const isTrimmed = typeof rules === 'number' && typeof docid === 'string' && docid.startsWith(DOC_ID_PREFIX);
  const isFilled = typeof call === typeof print && (call === null || typeof call === 'string');
  const isOne = result === 'trimmed' ? isTrimmed : result === 'filled' && isFilled;
  return isOne ? (data as unknown as KeptResult) : null;
}

/** What is sent of an output by what is kept of it; null: itself. @param text as the client sends it */
export function trimmedResult({ rules, docid }: TrimmedResult, text: string): SentResult | null {
  const sent = rules === TRIMMING_RULES ? trimmed(text, docid, estimateText) : null;
  return sent === null ? null : { kind: 'trimmed-result', text: sent, saves: savedBy(text, sent) };
}

/** What is sent of a stub. @param source what the earlier read gave, as the client sends it; null: it does not */
export function filledResult(text: string, source: string | null): SentResult {
  const sent = source ?? NOT_IN_VIEW;
  return { kind: 'filled-result', text: sent, saves: savedBy(text, sent) };
}

function savedBy(text: string, sent: string): number {
  return estimateText(text) - estimateText(sent);
}
