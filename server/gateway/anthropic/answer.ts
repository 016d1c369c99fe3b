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
import { billedUsage } from './billed.ts';
import { type Block, blockText, growBlock, openBlock } from './blocks.ts';
import { parseMessage } from './message.ts';
import { mergeUsage, type RawUsage, usageOf } from './usage.ts';

type Fields = Readonly<Record<string, unknown>>;

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
  const usage = recordOf(plain(member(node, 'usage'), source));
  return {
    messages: message === null || message.items.length === 0 ? [] : [message],
    providerId: stringMember(node, 'id'),
    model: stringMember(node, 'model'),
    stopReason: stringMember(node, 'stop_reason'),
    usage: usageOf(usage),
    billed: billedUsage(usage),
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
        growBlock(this.blocks.get(Number(data.index)), recordOf(data.delta), text);
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
      billed: billedUsage(this.usage),
      complete: this.complete && this.error === null,
      error: this.error,
    };
  }

  private open(index: number, text: string): void {
    const block = openBlock(text);
    if (block === null) return;
    this.blocks.set(index, block);
    this.order.push(block);
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
