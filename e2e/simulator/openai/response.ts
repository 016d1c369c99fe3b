import type { IdMaker } from '../ids.ts';
import type { Json, JsonObject } from '../json.ts';
import { cut } from '../script/model.ts';
import { inputText, type Part, type Plan } from '../script/types.ts';
import { type Answer, eventFrame, type Frame, jsonAnswer } from '../wire/answer.ts';

const INPUT_CHUNK_CODE_POINTS = 32;

/** Everything that a Responses answer is made of. */
export type ResponseDraft = {
  readonly id: string;
  readonly model: string;
  readonly createdAtMs: number;
  readonly plan: Plan;
  readonly status: 'completed' | 'incomplete';
  readonly incompleteReason: string | null;
  readonly usage: JsonObject;
  /** The output items of the plan's parts, pauses left out: see `outputItems`. */
  readonly items: readonly JsonObject[];
  readonly request: JsonObject;
  /** Members of the response beside the usual (input_transformations). */
  readonly extra: JsonObject;
  readonly obfuscate: boolean;
  readonly headers: readonly (readonly [string, string])[];
  readonly ids: IdMaker;
};

/** What output items are made with. */
export type ItemMaking = {
  readonly ids: IdMaker;
  /** Encrypts a reasoning text for `encrypted_content`. */
  readonly encrypt: (text: string) => string;
};

/** The output items of a plan, in order, pauses left out. */
export function outputItems(plan: Plan, making: ItemMaking): JsonObject[] {
  return plan.parts.flatMap((part) =>
    part.kind === 'wait' || part.kind === 'gate' ? [] : [itemOf(part, making)],
  );
}

type Emit = (name: string, data: JsonObject) => void;

/** The answer as an event stream with numbered events. */
export function streamedResponse(draft: ResponseDraft): Answer {
  const frames: Frame[] = [];
  let pause: { waitMs?: number; gate?: string } = {};
  const emit: Emit = (name, data) => {
    frames.push(eventFrame(name, { type: name, sequence_number: frames.length, ...data }, pause));
    pause = {};
  };
  emit('response.created', { response: responseObject(draft, 'in_progress', [], null) });
  emit('response.in_progress', { response: responseObject(draft, 'in_progress', [], null) });
  let index = 0;
  for (const part of draft.plan.parts) {
    if (part.kind === 'wait') pause = { ...pause, waitMs: part.ms };
    else if (part.kind === 'gate') pause = { ...pause, gate: part.name };
    else {
      emitItem(part, draft.items[index] ?? {}, index, draft, emit);
      index += 1;
    }
  }
  emit(`response.${draft.status}`, {
    response: responseObject(draft, draft.status, [...draft.items], draft.usage),
  });
  return {
    status: 200,
    headers: [
      ['content-type', 'text/event-stream; charset=utf-8'],
      ['cache-control', 'no-cache'],
      ...draft.headers,
    ],
    frames,
    stream: true,
  };
}

/** The answer as one JSON document. */
export function wholeResponse(draft: ResponseDraft): Answer {
  const answer = jsonAnswer(
    200,
    responseObject(draft, draft.status, [...draft.items], draft.usage),
    draft.headers,
  );
  const waitMs = draft.plan.parts.reduce((sum, part) => (part.kind === 'wait' ? sum + part.ms : sum), 0);
  const gate = draft.plan.parts.find((part) => part.kind === 'gate');
  const pause = { ...(waitMs > 0 ? { waitMs } : {}), ...(gate === undefined ? {} : { gate: gate.name }) };
  return { ...answer, frames: answer.frames.map((frame) => ({ ...frame, ...pause })) };
}

/** The response object in one of its states. */
export function responseObject(
  draft: Pick<ResponseDraft, 'id' | 'model' | 'createdAtMs' | 'request' | 'extra'> &
    Partial<Pick<ResponseDraft, 'incompleteReason'>>,
  status: string,
  output: Json,
  usage: Json,
  error: Json = null,
): JsonObject {
  const { request } = draft;
  const reason = draft.incompleteReason ?? null;
  return {
    id: draft.id,
    object: 'response',
    created_at: Math.floor(draft.createdAtMs / 1000),
    status,
    background: false,
    error,
    incomplete_details: status === 'incomplete' ? { reason } : null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    model: draft.model,
    output,
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    reasoning: request.reasoning ?? { effort: null, summary: null },
    service_tier: 'default',
    store: request.store ?? true,
    text: request.text ?? { format: { type: 'text' } },
    tool_choice: request.tool_choice ?? 'auto',
    tools: request.tools ?? [],
    truncation: 'disabled',
    usage,
    metadata: {},
    ...draft.extra,
  };
}

function itemOf(part: Exclude<Part, { kind: 'wait' | 'gate' }>, making: ItemMaking): JsonObject {
  const { ids } = making;
  switch (part.kind) {
    case 'text':
      return {
        id: ids('msg_', 48),
        type: 'message',
        status: 'completed',
        content: [textPart(part.chunks.join(''))],
        role: 'assistant',
      };
    case 'thinking':
      return {
        id: ids('rs_', 48),
        type: 'reasoning',
        summary: part.redacted ? [] : [{ type: 'summary_text', text: part.text }],
        encrypted_content: making.encrypt(part.text),
      };
    case 'call':
      return part.custom ? customCall(part, ids) : functionCall(part, ids);
    case 'block':
      return part.block;
  }
}

function functionCall(part: Extract<Part, { kind: 'call' }>, ids: IdMaker): JsonObject {
  const namespace = part.namespace === undefined ? {} : { namespace: part.namespace };
  const callId = part.id ?? ids('call_', 24);
  return {
    id: ids('fc_', 48),
    type: 'function_call',
    status: 'completed',
    arguments: inputText(part.input),
    call_id: callId,
    name: part.name,
    ...namespace,
  };
}

function customCall(part: Extract<Part, { kind: 'call' }>, ids: IdMaker): JsonObject {
  const callId = part.id ?? ids('call_', 24);
  return {
    id: ids('ctc_', 48),
    type: 'custom_tool_call',
    status: 'completed',
    call_id: callId,
    input: inputText(part.input),
    name: part.name,
  };
}

function textPart(text: string): JsonObject {
  return { type: 'output_text', annotations: [], logprobs: [], text };
}

function emitItem(part: Part, item: JsonObject, index: number, draft: ResponseDraft, emit: Emit): void {
  const place = { item_id: item.id, output_index: index };
  const veil = () => (draft.obfuscate ? { obfuscation: draft.ids('', 12) } : {});
  emit('response.output_item.added', { output_index: index, item: startOf(part, item) });
  if (part.kind === 'text') {
    const at = { ...place, content_index: 0 };
    emit('response.content_part.added', { ...at, part: textPart('') });
    for (const delta of part.chunks)
      emit('response.output_text.delta', { ...at, delta, logprobs: [], ...veil() });
    const text = part.chunks.join('');
    emit('response.output_text.done', { ...at, text, logprobs: [] });
    emit('response.content_part.done', { ...at, part: textPart(text) });
  } else if (part.kind === 'thinking' && !part.redacted) {
    const at = { ...place, summary_index: 0 };
    emit('response.reasoning_summary_part.added', { ...at, part: { type: 'summary_text', text: '' } });
    for (const delta of cut(part.text, 24))
      emit('response.reasoning_summary_text.delta', { ...at, delta, ...veil() });
    emit('response.reasoning_summary_text.done', { ...at, text: part.text });
    emit('response.reasoning_summary_part.done', { ...at, part: { type: 'summary_text', text: part.text } });
  } else if (part.kind === 'call') {
    const text = inputText(part.input);
    const name = part.custom ? 'response.custom_tool_call_input' : 'response.function_call_arguments';
    for (const delta of cut(text, INPUT_CHUNK_CODE_POINTS))
      emit(`${name}.delta`, { ...place, delta, ...veil() });
    emit(`${name}.done`, { ...place, [part.custom ? 'input' : 'arguments']: text });
  }
  if (item.type === 'compaction') emit('response.compaction.compacting', place);
  emit('response.output_item.done', { output_index: index, item });
}

function startOf(part: Part, item: JsonObject): JsonObject {
  if (part.kind === 'text') return { ...item, status: 'in_progress', content: [] };
  if (part.kind === 'thinking') return { ...item, summary: [] };
  if (item.type === 'compaction') return { ...item, encrypted_content: '' };
  if (part.kind !== 'call') return item;
  return { ...item, status: 'in_progress', [part.custom ? 'input' : 'arguments']: '' };
}
