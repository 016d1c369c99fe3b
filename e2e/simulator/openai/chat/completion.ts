import type { IdMaker } from '../../ids.ts';
import type { Json, JsonObject } from '../../json.ts';
import { cut } from '../../script/model.ts';
import { inputText, type Part, type Plan } from '../../script/types.ts';
import { type Answer, type Frame, jsonAnswer } from '../../wire/answer.ts';

const INPUT_CHUNK_CODE_POINTS = 32;

/** Everything that a chat completion is made of. */
export type CompletionDraft = {
  readonly id: string;
  readonly model: string;
  readonly createdAtMs: number;
  readonly plan: Plan;
  readonly finishReason: string;
  readonly usage: JsonObject;
  /** A last chunk tells the usage. */
  readonly streamsUsage: boolean;
  readonly headers: readonly (readonly [string, string])[];
  readonly ids: IdMaker;
};

/** The answer as one JSON document. */
export function wholeCompletion(draft: CompletionDraft): Answer {
  const calls = callsOf(draft);
  const text = draft.plan.parts.map((part) => (part.kind === 'text' ? part.chunks.join('') : '')).join('');
  const message = {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  const choice = { index: 0, message, logprobs: null, finish_reason: draft.finishReason };
  const body = { ...shell(draft, 'chat.completion'), choices: [choice], usage: draft.usage };
  const answer = jsonAnswer(200, body, draft.headers);
  const waitMs = draft.plan.parts.reduce((sum, part) => (part.kind === 'wait' ? sum + part.ms : sum), 0);
  const gate = draft.plan.parts.find((part) => part.kind === 'gate');
  const pause = { ...(waitMs > 0 ? { waitMs } : {}), ...(gate === undefined ? {} : { gate: gate.name }) };
  return { ...answer, frames: answer.frames.map((frame) => ({ ...frame, ...pause })) };
}

/** The answer as a stream of chunks that ends with `[DONE]`. */
export function streamedCompletion(draft: CompletionDraft): Answer {
  const frames: Frame[] = [];
  let pause: { waitMs?: number; gate?: string } = {};
  const push = (choices: Json, usage: Json = null) => {
    const chunk = { ...shell(draft, 'chat.completion.chunk'), choices };
    const told = draft.streamsUsage ? { ...chunk, usage } : chunk;
    frames.push({ ...dataFrame(JSON.stringify(told)), ...pause });
    pause = {};
  };
  const delta = (value: JsonObject) =>
    push([{ index: 0, delta: value, logprobs: null, finish_reason: null }]);
  delta({ role: 'assistant', content: '', refusal: null });
  const calls = callsOf(draft);
  let at = 0;
  for (const part of draft.plan.parts) {
    if (part.kind === 'wait') pause = { ...pause, waitMs: part.ms };
    else if (part.kind === 'gate') pause = { ...pause, gate: part.name };
    else if (part.kind === 'text') for (const content of part.chunks) delta({ content });
    else if (part.kind === 'call') {
      const call = calls[at] ?? {};
      const { name } = part;
      delta({ tool_calls: [{ ...call, index: at, function: { name, arguments: '' } }] });
      for (const piece of cut(inputText(part.input), INPUT_CHUNK_CODE_POINTS)) {
        delta({ tool_calls: [{ index: at, function: { arguments: piece } }] });
      }
      at += 1;
    }
  }
  push([{ index: 0, delta: {}, logprobs: null, finish_reason: draft.finishReason }]);
  if (draft.streamsUsage) push([], draft.usage);
  frames.push(dataFrame('[DONE]'));
  const type = [
    ['content-type', 'text/event-stream; charset=utf-8'],
    ['cache-control', 'no-cache'],
  ] as const;
  return { status: 200, headers: [...type, ...draft.headers], frames, stream: true };
}

/** An event without a name, as this protocol has them. */
export function dataFrame(data: string): Frame {
  return { bytes: Buffer.from(`data: ${data}\n\n`), event: true };
}

function shell(draft: CompletionDraft, object: string): JsonObject {
  return {
    id: draft.id,
    object,
    created: Math.floor(draft.createdAtMs / 1000),
    model: draft.model,
    service_tier: 'default',
  };
}

function callsOf(draft: CompletionDraft): JsonObject[] {
  const calls = draft.plan.parts.filter(
    (part): part is Extract<Part, { kind: 'call' }> => part.kind === 'call',
  );
  return calls.map((part) => ({
    id: part.id ?? draft.ids('call_', 24),
    type: 'function',
    function: { name: part.name, arguments: inputText(part.input) },
  }));
}
