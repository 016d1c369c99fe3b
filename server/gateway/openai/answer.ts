import { itemsOf, type Message, member, readJson, stringMember, viewOf } from '../../conversation/index.ts';
import type { ReadAnswer } from '../adapter.ts';
import { NO_ANSWER, underStatus } from '../reading/answers.ts';
import { dataOf, readEvents, recordOf, textOf } from '../reading/events.ts';
import { rawText } from '../reading/parts.ts';
import { answerHead } from './answer-head.ts';
import { parseMessage } from './message.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Reads an answer of the Responses API: an event stream or a JSON body, whole or broken off, or an error. */
export function readAnswer(status: number, contentType: string, body: Uint8Array): ReadAnswer {
  const isStream = contentType.toLowerCase().includes('text/event-stream');
  return underStatus(isStream ? readStream(body) : readBody(body), status, body);
}

function readBody(body: Uint8Array): ReadAnswer {
  const source = viewOf(body);
  const node = readJson(body);
  if (node?.type !== 'object') return NO_ANSWER;
  const response = recordOf(JSON.parse(rawText(node, source)));
  // A compaction's answer repeats the user's messages; only its own item is new.
  const isCompaction = stringMember(node, 'object') === 'response.compaction';
  const output = itemsOf(member(node, 'output')).filter(
    (item) => !isCompaction || stringMember(item, 'type') === 'compaction',
  );
  return {
    ...headOf(response),
    messages: output.map((item) => parseMessage(source.subarray(item.start, item.end))),
    complete: response?.error === null || response?.error === undefined,
  };
}

/** What a response object says beside its output. */
function headOf(response: Fields | null): ReadAnswer {
  return { ...NO_ANSWER, ...answerHead(response), error: errorOf(response?.error) };
}

function errorOf(value: unknown): ReadAnswer['error'] {
  const error = recordOf(value);
  if (error === null) return null;
  return { type: textOf(error.code) ?? textOf(error.type) ?? 'error', message: textOf(error.message) ?? '' };
}

/** An output item while it arrives: its first form, what deltas added, and its last form once it is done. */
interface Output {
  added: Uint8Array | null;
  done: Uint8Array | null;
  /** Texts of parts: `content` and `summary` by index. */
  readonly content: Map<number, { type: string; text: string }>;
  readonly summary: Map<number, { type: string; text: string }>;
  /** Text of a call's arguments or input. */
  input: string | null;
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
  private readonly outputs = new Map<number, Output>();
  private head: ReadAnswer = NO_ANSWER;
  private ended = false;
  private error: ReadAnswer['error'] = null;

  take(data: Fields, text: string): void {
    const type = textOf(data.type) ?? '';
    if (type === 'error') this.error = errorOf(data.error) ?? errorOf(data);
    else if (type.startsWith('response.output_item.')) this.takeItem(data, text, type.endsWith('.done'));
    else if (type.endsWith('.delta')) this.takeDelta(data, type);
    else if (recordOf(data.response) !== null) this.takeResponse(data, text, type);
  }

  answer(): ReadAnswer {
    const messages = [...this.outputs.entries()]
      .toSorted(([left], [right]) => left - right)
      .flatMap(([, output]) => messageOf(output) ?? []);
    const error = this.error ?? this.head.error;
    return { ...this.head, messages, error, complete: this.ended && error === null };
  }

  private takeResponse(data: Fields, text: string, type: string): void {
    const response = recordOf(data.response);
    const head = headOf(response);
    this.head = { ...head, stopReason: null };
    if (type !== 'response.completed' && type !== 'response.incomplete' && type !== 'response.failed') return;
    this.ended = type !== 'response.failed';
    this.head = head;
    if (type === 'response.failed' && head.error === null)
      this.error = { type: 'response.failed', message: '' };
    // Items whose own events were seen are kept as these gave them: the last copy may be left out of the response.
    const source = Buffer.from(text, 'utf8');
    const output = member(member(readJson(source) ?? undefined, 'response'), 'output');
    for (const [index, item] of itemsOf(output).entries()) {
      const known = this.at(index);
      known.done ??= source.subarray(item.start, item.end);
    }
  }

  private takeItem(data: Fields, text: string, isDone: boolean): void {
    const source = Buffer.from(text, 'utf8');
    const item = member(readJson(source) ?? undefined, 'item');
    if (item?.type !== 'object') return;
    const output = this.at(Number(data.output_index));
    const bytes = source.subarray(item.start, item.end);
    if (isDone) output.done = bytes;
    else output.added = bytes;
  }

  private takeDelta(data: Fields, type: string): void {
    const delta = textOf(data.delta);
    if (delta === null) return;
    const output = this.at(Number(data.output_index));
    if (
      type === 'response.function_call_arguments.delta' ||
      type === 'response.custom_tool_call_input.delta'
    ) {
      output.input = (output.input ?? '') + delta;
    } else if (type === 'response.reasoning_summary_text.delta')
      grow(output.summary, data.summary_index, 'summary_text', delta);
    else if (type === 'response.output_text.delta')
      grow(output.content, data.content_index, 'output_text', delta);
    else if (type === 'response.refusal.delta') grow(output.content, data.content_index, 'refusal', delta);
    else if (type === 'response.reasoning_text.delta')
      grow(output.content, data.content_index, 'reasoning_text', delta);
  }

  private at(index: number): Output {
    const known = this.outputs.get(index);
    if (known !== undefined) return known;
    const output: Output = { added: null, done: null, content: new Map(), summary: new Map(), input: null };
    this.outputs.set(index, output);
    return output;
  }
}

function grow(
  parts: Map<number, { type: string; text: string }>,
  index: unknown,
  type: string,
  delta: string,
): void {
  const key = typeof index === 'number' ? index : 0;
  parts.set(key, { type, text: (parts.get(key)?.text ?? '') + delta });
}

/** The message of an item: as its last form says; broken off, its first form with what the deltas added. */
function messageOf(output: Output): Message | null {
  if (output.done !== null) return parseMessage(output.done);
  if (output.added === null) return null;
  const node = readJson(output.added);
  if (node?.type !== 'object') return null;
  const source = viewOf(output.added);
  const fields = new Map(node.entries.map((entry) => [entry.key, rawText(entry.value, source)]));
  const partial = (parts: Output['content']) =>
    JSON.stringify(
      [...parts.entries()]
        .toSorted(([left], [right]) => left - right)
        .map(([, { type, text }]) => ({ type, [type === 'refusal' ? 'refusal' : 'text']: text })),
    );
  if (output.content.size > 0) fields.set('content', partial(output.content));
  if (output.summary.size > 0) fields.set('summary', partial(output.summary));
  if (output.input !== null)
    fields.set(fields.has('input') ? 'input' : 'arguments', JSON.stringify(output.input));
  const isEmpty = output.content.size + output.summary.size === 0 && output.input === null;
  if (isEmpty && stringMember(node, 'type') === 'message') return null;
  const json = [...fields].map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',');
  return parseMessage(Buffer.from(`{${json}}`, 'utf8'));
}
