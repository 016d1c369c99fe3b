import {
  type Item,
  type JsonNode,
  type Message,
  member,
  readJson,
  stringMember,
  viewOf,
} from '../../conversation/index.ts';
import type { ReadAnswer } from '../adapter.ts';
import { NO_ANSWER, underStatus } from '../reading/answers.ts';
import { dataOf, readEvents, recordOf, textOf } from '../reading/events.ts';
import { rawText } from '../reading/parts.ts';
import { parseMessage } from './message.ts';
import { mergeUsage, type RawUsage, usageOf } from './usage.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A content block while its deltas arrive. */
interface Block {
  /** The block as `content_block_start` gave it. */
  readonly node: JsonNode & { type: 'object' };
  readonly source: Buffer;
  /** Texts that deltas add to, by the key of the block that they belong to. */
  readonly added: Map<string, string>;
  input: string;
  readonly citations: string[];
  stopped: boolean;
}

/** Reads an answer of the Messages API: an event stream or a JSON body, whole or broken off, or an error. */
export function readAnswer(status: number, contentType: string, body: Uint8Array): ReadAnswer {
  const isStream = contentType.toLowerCase().includes('text/event-stream');
  return underStatus(isStream ? readStream(body) : readBody(body), status, body);
}

function readBody(body: Uint8Array): ReadAnswer {
  const node = readJson(body);
  if (node?.type !== 'object') return NO_ANSWER;
  const error = errorOf(plain(member(node, 'error'), viewOf(body)));
  if (error !== null) return { ...NO_ANSWER, error };
  const isMessage = stringMember(node, 'type') === 'message' || member(node, 'content') !== undefined;
  if (!isMessage) return { ...NO_ANSWER, complete: true };
  const source = viewOf(body);
  const content = member(node, 'content');
  const message = content === undefined ? null : messageOf(rawText(content, source));
  return {
    messages: message === null || message.items.length === 0 ? [] : [message],
    providerId: stringMember(node, 'id'),
    model: stringMember(node, 'model'),
    stopReason: stringMember(node, 'stop_reason'),
    usage: usageOf(recordOf(plain(member(node, 'usage'), source))),
    complete: true,
    error: null,
  };
}

/** A node as plain JavaScript values, for the small objects whose numbers are counts. */
function plain(node: JsonNode | undefined, source: Buffer): unknown {
  return node === undefined ? null : JSON.parse(rawText(node, source));
}

function errorOf(value: unknown): ReadAnswer['error'] {
  const error = recordOf(value);
  if (error === null) return null;
  return { type: textOf(error.type) ?? 'error', message: textOf(error.message) ?? '' };
}

function readStream(body: Uint8Array): ReadAnswer {
  const reader = new StreamReader();
  for (const event of readEvents(body)) {
    const data = dataOf(event);
    if (data !== null) reader.take(data, event.data);
  }
  return reader.answer();
}

class StreamReader {
  private readonly blocks = new Map<number, Block>();
  private readonly order: Block[] = [];
  private start: Fields | null = null;
  private stopReason: string | null = null;
  private usage: RawUsage | null = null;
  private complete = false;
  private error: ReadAnswer['error'] = null;

  take(data: Fields, text: string): void {
    switch (data.type) {
      case 'message_start':
        this.start = recordOf(data.message);
        this.usage = mergeUsage(this.usage, this.start?.usage);
        break;
      case 'content_block_start':
        this.open(Number(data.index), text);
        break;
      case 'content_block_delta':
        this.add(this.blocks.get(Number(data.index)), recordOf(data.delta), text);
        break;
      case 'content_block_stop': {
        const block = this.blocks.get(Number(data.index));
        if (block !== undefined) block.stopped = true;
        break;
      }
      case 'message_delta':
        this.stopReason = textOf(recordOf(data.delta)?.stop_reason) ?? this.stopReason;
        this.usage = mergeUsage(this.usage, data.usage);
        break;
      case 'message_stop':
        this.complete = true;
        break;
      case 'error':
        this.error = errorOf(data.error);
        break;
    }
  }

  answer(): ReadAnswer {
    const message = this.order.length === 0 ? null : messageOfBlocks(this.order);
    return {
      messages: message === null ? [] : [message],
      providerId: textOf(this.start?.id),
      model: textOf(this.start?.model),
      stopReason: this.stopReason,
      usage: usageOf(this.usage),
      complete: this.complete && this.error === null,
      error: this.error,
    };
  }

  private open(index: number, text: string): void {
    const source = Buffer.from(text, 'utf8');
    const node = member(readJson(source) ?? undefined, 'content_block');
    if (node?.type !== 'object') return;
    const block: Block = { node, source, added: new Map(), input: '', citations: [], stopped: false };
    this.blocks.set(index, block);
    this.order.push(block);
  }

  private add(block: Block | undefined, delta: Fields | null, text: string): void {
    if (block === undefined || delta === null) return;
    const grow = (key: string, more: unknown) => {
      if (typeof more === 'string') block.added.set(key, (block.added.get(key) ?? '') + more);
    };
    if (delta.type === 'text_delta') grow('text', delta.text);
    else if (delta.type === 'thinking_delta') grow('thinking', delta.thinking);
    else if (delta.type === 'signature_delta') grow('signature', delta.signature);
    else if (delta.type === 'input_json_delta') block.input += textOf(delta.partial_json) ?? '';
    else if (delta.type === 'compaction_delta') grow('content', delta.content);
    else if (delta.type === 'citations_delta') {
      const source = Buffer.from(text, 'utf8');
      const citation = member(member(readJson(source) ?? undefined, 'delta'), 'citation');
      if (citation !== undefined) block.citations.push(rawText(citation, source));
    }
  }
}

/** The message that the blocks make up; a call's input that broke off stays as the text that arrived. */
function messageOfBlocks(blocks: readonly Block[]): Message {
  const texts = blocks.map(blockText);
  const message = messageOf(`[${texts.map((text) => text.json).join(',')}]`);
  const items = message.items.map((item, index): Item => {
    const partial = texts[index]?.partialInput;
    return partial === undefined || item.kind !== 'tool_call' ? item : { ...item, text: partial };
  });
  return { ...message, items };
}

/** A message of the assistant's with this content, as JSON text. */
function messageOf(content: string): Message {
  return parseMessage(Buffer.from(`{"role":"assistant","content":${content}}`, 'utf8'));
}

/** The JSON of a block with what its deltas added; `partialInput` where its input is not JSON (yet). */
function blockText(block: Block): { readonly json: string; readonly partialInput?: string } {
  const { node, source } = block;
  const isCall = member(node, 'input') !== undefined;
  const input = block.input === '' ? null : block.input;
  const isBroken =
    isCall && (input === null ? !block.stopped : readJson(Buffer.from(input, 'utf8')) === null);
  const fields = new Map<string, string>();
  for (const entry of node.entries) fields.set(entry.key, rawText(entry.value, source));
  for (const [key, added] of block.added)
    fields.set(key, JSON.stringify((stringMember(node, key) ?? '') + added));
  if (block.citations.length > 0) fields.set('citations', `[${block.citations.join(',')}]`);
  if (isBroken) fields.set('input', JSON.stringify(input ?? ''));
  else if (input !== null) fields.set('input', input);
  const json = `{${[...fields].map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
  return isBroken ? { json, partialInput: input ?? '' } : { json };
}
