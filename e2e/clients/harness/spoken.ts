import type { LoggedRequest } from '../../simulator/index.ts';
import type { Json } from './normalise.ts';

/** A tool call as the provider made it and the result that the agent sent back, if it did. */
export interface SpokenCall {
  readonly callId: string;
  readonly name: string;
  /** The input as a value; for free text the text. */
  readonly input: Json;
  /** The texts of the result in order, null while none was sent. */
  readonly result: readonly string[] | null;
}

/** What was said in the conversations of a log, read from its bytes alone. */
export interface Spoken {
  readonly answers: readonly string[];
  readonly reasoning: readonly string[];
  readonly calls: readonly SpokenCall[];
}

type Fields = { readonly [key: string]: Json | undefined };

/**
 * Collects answers and tool calls of all answers that ended whole, and the results from the requests. Side requests
 * (titles, counts, compactions) are left out.
 */
export function readSpoken(log: readonly LoggedRequest[]): Spoken {
  const turns = log.filter((entry) => entry.reading?.kind === 'main' || entry.reading?.kind === 'sub');
  const results = new Map<string, readonly string[]>();
  for (const entry of turns) collectResults(parseJson(entry.body.toString('utf8')), results);
  const parts = turns.flatMap((entry) => {
    const answer = entry.answer;
    if (answer?.status !== 200 || answer.ending !== 'finished') return [];
    return isStream(answer.headers)
      ? streamedParts(answer.body.toString('utf8'))
      : wholeParts(answer.body.toString('utf8'));
  });
  return {
    answers: parts.flatMap((part) => (part.kind === 'answer' ? [part.text] : [])),
    reasoning: parts.flatMap((part) => (part.kind === 'reasoning' ? [part.text] : [])),
    calls: parts.flatMap((part) =>
      part.kind === 'call' ? [{ ...part.call, result: results.get(part.call.callId) ?? null }] : [],
    ),
  };
}

type Part =
  | { readonly kind: 'answer' | 'reasoning'; readonly text: string }
  | { readonly kind: 'call'; readonly call: Omit<SpokenCall, 'result'> };

function isStream(headers: readonly (readonly [string, string])[]): boolean {
  return headers.some(
    ([name, value]) => name.toLowerCase() === 'content-type' && value.includes('event-stream'),
  );
}

/** The parts of a whole JSON answer of either protocol. */
function wholeParts(body: string): readonly Part[] {
  const answer = fields(parseJson(body));
  return list(answer.content ?? answer.output).flatMap((entry) => partOf(fields(entry)));
}

/** The parts of a streamed answer: Responses says them whole at the end of each item, Messages in deltas. */
function streamedParts(body: string): readonly Part[] {
  const blocks = new Map<number, { start: Fields; text: string }>();
  const parts: Part[] = [];
  for (const frame of body.split('\n\n')) {
    const data = frame.split('\n').find((line) => line.startsWith('data: '));
    if (data === undefined) continue;
    const event = fields(parseJson(data.slice(6)));
    const index = Number(event.index);
    if (event.type === 'response.output_item.done') parts.push(...partOf(fields(event.item)));
    if (event.type === 'content_block_start')
      blocks.set(index, { start: fields(event.content_block), text: '' });
    const block = blocks.get(index);
    if (event.type === 'content_block_delta' && block !== undefined)
      block.text += deltaText(fields(event.delta));
    if (event.type === 'content_block_stop' && block !== undefined)
      parts.push(...closedBlock(block.start, block.text));
  }
  return parts;
}

function deltaText(delta: Fields): string {
  return text(delta.text ?? delta.thinking ?? delta.partial_json);
}

function closedBlock(start: Fields, body: string): readonly Part[] {
  if (start.type === 'tool_use')
    return partOf({ ...start, input: body === '' ? (start.input ?? {}) : parseJson(body) });
  return partOf({ ...start, text: body, thinking: body });
}

/** A block of Messages or an item of Responses. */
function partOf(part: Fields): readonly Part[] {
  switch (part.type) {
    case 'text':
      return [{ kind: 'answer', text: text(part.text) }];
    case 'thinking':
      return [{ kind: 'reasoning', text: text(part.thinking) }];
    case 'reasoning':
      return list(part.summary).map((entry) => ({ kind: 'reasoning', text: text(fields(entry).text) }));
    case 'message':
      return list(part.content).map((entry) => ({ kind: 'answer', text: text(fields(entry).text) }));
    case 'tool_use':
      return [call(part.id, part.name, part.input ?? null)];
    case 'function_call':
      return [call(part.call_id, part.name, parseJson(text(part.arguments)))];
    case 'custom_tool_call':
      return [call(part.call_id, part.name, text(part.input))];
    default:
      return [];
  }
}

function call(id: Json | undefined, name: Json | undefined, input: Json): Part {
  return { kind: 'call', call: { callId: text(id), name: text(name), input } };
}

function collectResults(body: Json, results: Map<string, readonly string[]>): void {
  const request = fields(body);
  for (const entry of list(request.input)) {
    const item = fields(entry);
    if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output') {
      results.set(text(item.call_id), textsOf(item.output));
    }
  }
  for (const message of list(request.messages)) {
    for (const entry of list(fields(message).content)) {
      const block = fields(entry);
      if (block.type === 'tool_result' && !results.has(text(block.tool_use_id))) {
        results.set(text(block.tool_use_id), textsOf(block.content));
      }
    }
  }
}

function textsOf(content: Json | undefined): readonly string[] {
  if (typeof content === 'string') return [content];
  return list(content).flatMap((entry) => {
    const value = fields(entry).text;
    return typeof value === 'string' ? [value] : [];
  });
}

function parseJson(source: string): Json {
  try {
    return JSON.parse(source) as Json;
  } catch {
    return source;
  }
}

function fields(value: Json | undefined): Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : {};
}

function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
