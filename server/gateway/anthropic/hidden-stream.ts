import { member } from '../../conversation/index.ts';
import { eventData, spliceEvent } from '../hidden/splice-event.ts';
import { EventSplitter } from '../hidden/split-events.ts';
import type { HiddenCall, HiddenRound, HiddenStream } from '../hidden/types.ts';
import { dataOf, readEvents, recordOf, textOf } from '../reading/events.ts';
import { answerHead } from './answer-head.ts';
import { type Block, blockText, growBlock, openBlock } from './blocks.ts';
import { mergeUsage, type RawUsage } from './usage.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A part of the upstream answer under way. */
interface OpenPart {
  readonly block: Block;
  /** Number that the client knows it by; null: it is hidden. */
  readonly delivered: number | null;
  readonly isReasoning: boolean;
  readonly call: 'ours' | 'client' | null;
  readonly id: string;
}

/**
 * The hidden loop's view of Messages API streams: one `message_start`, dense indices, one end. The end that the client
 * gets is the last answer's own, with its usage alone.
 * @param tool name of our tool
 */
export function hiddenMessages(tool: string): HiddenStream {
  return new MessageJoin(tool);
}

class MessageJoin implements HiddenStream {
  readonly #tool: string;
  #splitter = new EventSplitter();
  /** Parts that the client has, of all answers so far, and how many of them are not reasoning. */
  #delivered = 0;
  #position = 0;
  #started = false;
  #parts = new Map<number, OpenPart>();
  #order: OpenPart[] = [];
  /** Events from `message_delta` on, kept until it is known whether the answer goes on. */
  #ending: Uint8Array[] = [];
  #stopReason: string | null = null;
  /** The message as `message_start` gave it, and its usage as far as it was told. */
  #message: Fields = {};
  #usage: RawUsage | null = null;
  #ended = false;

  constructor(tool: string) {
    this.#tool = tool;
  }

  push(bytes: Uint8Array): Uint8Array[] {
    return this.#splitter.push(bytes).flatMap((event) => this.#pass(event));
  }

  endRound(): { readonly bytes: Uint8Array[]; readonly round: HiddenRound } {
    const rest = this.#splitter.rest();
    const outcome = this.#outcome();
    const calls = this.#order.flatMap(({ call, id, block }): HiddenCall[] =>
      call === 'ours' ? [{ id, input: block.input === '' ? '{}' : block.input }] : [],
    );
    const round: HiddenRound = {
      ...answerHead({ ...this.#message, stop_reason: this.#stopReason, usage: this.#usage }),
      outcome,
      calls,
      parts: this.#order.flatMap(({ block }) => (block.stopped ? [blockText(block).json] : [])),
      reasoning: this.#delivered - this.#position,
      position: this.#position,
    };
    const bytes = outcome === 'continue' ? [] : [...this.#ending, ...(rest.length > 0 ? [rest] : [])];
    this.#splitter = new EventSplitter();
    this.#parts = new Map();
    this.#order = [];
    this.#ending = [];
    this.#stopReason = null;
    this.#message = {};
    this.#usage = null;
    this.#ended = false;
    return { bytes, round };
  }

  /** Agents of the Messages API give up after a time without content, whatever else comes. */
  sayRunning(): null {
    return null;
  }

  #outcome(): HiddenRound['outcome'] {
    const made = new Set(this.#order.map((part) => part.call));
    if (!this.#ended) return 'broken';
    if (!made.has('ours') || this.#stopReason !== 'tool_use') return 'whole';
    return made.has('client') ? 'mixed' : 'continue';
  }

  /** What the client gets of an event. An event that cannot be read passes as it is. */
  #pass(event: Buffer): Uint8Array[] {
    const [read] = [...readEvents(event)];
    const data = read === undefined ? null : dataOf(read);
    if (read === undefined || data === null) return this.#passOther(event);
    switch (data.type) {
      case 'message_start': {
        const first = !this.#started;
        this.#started = true;
        this.#message = recordOf(data.message) ?? {};
        this.#usage = mergeUsage(this.#usage, this.#message.usage);
        return first ? [event] : [];
      }
      case 'content_block_start':
        return this.#open(event, data, read.data);
      case 'content_block_delta':
      case 'content_block_stop':
        return this.#continue(event, data, read.data);
      case 'message_delta':
        this.#stopReason = textOf(recordOf(data.delta)?.stop_reason) ?? this.#stopReason;
        this.#usage = mergeUsage(this.#usage, data.usage);
        return this.#end(event);
      case 'message_stop':
        this.#ended = true;
        return this.#end(event);
      default:
        return this.#passOther(event);
    }
  }

  /** Pings, comments, errors and what is not known: they wait behind an end that waits. */
  #passOther(event: Buffer): Uint8Array[] {
    return this.#ending.length > 0 ? this.#end(event) : [event];
  }

  /** The end is kept only where the answer may go on: an answer without a call of ours ends as its bytes come. */
  #end(event: Buffer): Uint8Array[] {
    if (!this.#order.some((part) => part.call === 'ours')) return [event];
    this.#ending.push(event);
    return [];
  }

  #open(event: Buffer, data: Fields, text: string): Uint8Array[] {
    const block = openBlock(text);
    if (block === null) return [event];
    const start = recordOf(data.content_block);
    const call = start?.type !== 'tool_use' ? null : start.name === this.#tool ? 'ours' : 'client';
    const isReasoning = start?.type === 'thinking' || start?.type === 'redacted_thinking';
    const delivered = call === 'ours' ? null : this.#delivered;
    const part: OpenPart = { block, delivered, isReasoning, call, id: textOf(start?.id) ?? '' };
    this.#parts.set(Number(data.index), part);
    this.#order.push(part);
    if (delivered === null) return [];
    this.#delivered += 1;
    if (!isReasoning) this.#position += 1;
    return [withIndex(event, data, delivered)];
  }

  #continue(event: Buffer, data: Fields, text: string): Uint8Array[] {
    const part = this.#parts.get(Number(data.index));
    if (part === undefined) return [event];
    if (data.type === 'content_block_stop') part.block.stopped = true;
    else growBlock(part.block, recordOf(data.delta), text);
    return part.delivered === null ? [] : [withIndex(event, data, part.delivered)];
  }
}

/** The event with another `index`, every other byte as it came. */
function withIndex(event: Buffer, data: Fields, index: number): Uint8Array {
  const read = data.index === index ? null : eventData(event);
  if (read === null) return event;
  return spliceEvent(event, read, [{ node: member(read.root, 'index'), json: String(index) }]);
}
