import type { IdMaker } from '../ids.ts';
import { asObjects, type JsonObject } from '../json.ts';
import { cut } from '../script/model.ts';
import { inputText, type Part, type Plan } from '../script/types.ts';
import { type Answer, eventFrame, type Frame, jsonAnswer } from '../wire/answer.ts';
import { isSummary } from './compaction.ts';

const INPUT_CHUNK_CODE_POINTS = 32;

/** Everything that a Messages answer is made of. */
export type MessageDraft = {
  readonly id: string;
  readonly model: string;
  readonly plan: Plan;
  readonly stopReason: string;
  readonly stopSequence: string | null;
  /** Usage as in `message_start`, with the split of cache writes by lifetime. */
  readonly usage: JsonObject;
  /** Members that the last `message_delta` adds to the usage (server_tool_use, iterations). */
  readonly closingUsage: JsonObject;
  readonly outputTokens: number;
  readonly thinkingTokens: number;
  /** The content blocks of the plan's parts, pauses left out: see `messageBlocks`. */
  readonly blocks: readonly JsonObject[];
  readonly omitThinking: boolean;
  /** Members of the message beside the usual (container, diagnostics, input_transformations). */
  readonly extra: JsonObject;
  /** Members of the last `message_delta` beside the usual (context_management). */
  readonly ending: JsonObject;
  readonly headers: readonly (readonly [string, string])[];
};

/** What content blocks are made with. */
export type BlockMaking = {
  readonly ids: IdMaker;
  /** Signs a thinking text, for the block's `signature`; redacted thinking carries it in `data`. */
  readonly sign: (text: string) => string;
  readonly omitThinking: boolean;
};

/** The content blocks of a plan, in order, pauses left out. */
export function messageBlocks(plan: Plan, making: BlockMaking): JsonObject[] {
  return plan.parts.flatMap((part) =>
    part.kind === 'wait' || part.kind === 'gate' ? [] : [blockOf(part, making)],
  );
}

/** The answer as an event stream. */
export function streamedMessage(draft: MessageDraft): Answer {
  const frames: Frame[] = [];
  let pause: { waitMs?: number; gate?: string } = {};
  const push = (name: string, data: JsonObject) => {
    frames.push(eventFrame(name, { type: name, ...data }, pause));
    pause = {};
  };
  push('message_start', {
    message: {
      ...shell(draft),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...draft.usage, output_tokens: 1 },
    },
  });
  let index = 0;
  for (const part of draft.plan.parts) {
    if (part.kind === 'wait') pause = { ...pause, waitMs: part.ms };
    else if (part.kind === 'gate') pause = { ...pause, gate: part.name };
    else {
      const block = draft.blocks[index] ?? {};
      push('content_block_start', { index, content_block: startOf(part, block) });
      if (index === 0) push('ping', {});
      for (const delta of deltasOf(part, block, draft)) push('content_block_delta', { index, delta });
      push('content_block_stop', { index });
      index += 1;
    }
  }
  push('message_delta', {
    delta: {
      stop_reason: draft.stopReason,
      stop_sequence: draft.stopSequence,
      stop_details: stopDetails(draft),
      container: null,
    },
    usage: finalUsage(draft),
    ...draft.ending,
  });
  push('message_stop', {});
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

/** The answer as one JSON document. Pauses of the plan come before its only piece. */
export function wholeMessage(draft: MessageDraft): Answer {
  const body = {
    ...shell(draft),
    content: [...draft.blocks],
    stop_reason: draft.stopReason,
    stop_sequence: draft.stopSequence,
    stop_details: stopDetails(draft),
    container: null,
    usage: { ...draft.usage, ...finalUsage(draft) },
    ...draft.ending,
  };
  const answer = jsonAnswer(200, body, draft.headers);
  const waitMs = draft.plan.parts.reduce((sum, part) => (part.kind === 'wait' ? sum + part.ms : sum), 0);
  const gate = draft.plan.parts.find((part) => part.kind === 'gate');
  const pause = { ...(waitMs > 0 ? { waitMs } : {}), ...(gate === undefined ? {} : { gate: gate.name }) };
  return { ...answer, frames: answer.frames.map((frame) => ({ ...frame, ...pause })) };
}

/** A refusal is an ordinary answer that says in its details why. */
function stopDetails(draft: MessageDraft): JsonObject | null {
  if (draft.stopReason !== 'refusal') return null;
  return { type: 'refusal', category: null, explanation: 'The scripted model declined.' };
}

function shell(draft: MessageDraft): JsonObject {
  return { id: draft.id, type: 'message', role: 'assistant', model: draft.model, ...draft.extra };
}

/** Cumulative usage of the last `message_delta`: without the split of cache writes, which only the start has. */
function finalUsage(draft: MessageDraft): JsonObject {
  const {
    cache_creation: _split,
    service_tier: _tier,
    inference_geo: _geo,
    speed: _speed,
    ...counts
  } = draft.usage;
  const thinking =
    draft.thinkingTokens > 0 ? { output_tokens_details: { thinking_tokens: draft.thinkingTokens } } : {};
  return {
    ...counts,
    output_tokens: draft.outputTokens,
    ...thinking,
    ...draft.closingUsage,
    ...(draft.plan.usage ?? {}),
  };
}

function blockOf(part: Exclude<Part, { kind: 'wait' | 'gate' }>, making: BlockMaking): JsonObject {
  switch (part.kind) {
    case 'text':
      return { type: 'text', text: part.chunks.join('') };
    case 'thinking':
      if (part.redacted) return { type: 'redacted_thinking', data: making.sign(part.text) };
      return {
        type: 'thinking',
        thinking: making.omitThinking ? '' : part.text,
        signature: making.sign(part.text),
      };
    case 'call':
      return {
        type: 'tool_use',
        id: part.id ?? making.ids('toolu_', 24),
        name: part.name,
        input: typeof part.input === 'string' ? {} : part.input,
      };
    case 'block':
      return part.block;
  }
}

function startOf(part: Part, block: JsonObject): JsonObject {
  if (part.kind === 'text') return { type: 'text', text: '' };
  if (part.kind === 'call') return { ...block, input: {} };
  if (part.kind === 'thinking' && !part.redacted) return { type: 'thinking', thinking: '', signature: '' };
  if (isCited(block)) return { ...block, text: '', citations: [] };
  return isSummary(block) ? { ...block, content: null, encrypted_content: null } : block;
}

function deltasOf(part: Part, block: JsonObject, draft: MessageDraft): JsonObject[] {
  if (part.kind === 'text') return part.chunks.map((text) => ({ type: 'text_delta', text }));
  if (part.kind === 'call') {
    const pieces = cut(inputText(part.input), INPUT_CHUNK_CODE_POINTS);
    return ['', ...pieces].map((piece) => ({ type: 'input_json_delta', partial_json: piece }));
  }
  if (isCited(block)) {
    const cited = asObjects(block.citations).map((citation) => ({ type: 'citations_delta', citation }));
    return [...cited, { type: 'text_delta', text: block.text }];
  }
  if (isSummary(block)) {
    // The whole summary comes in one piece.
    const { content, encrypted_content } = block;
    return [{ type: 'compaction_delta', content, encrypted_content }];
  }
  if (part.kind !== 'thinking' || part.redacted) return [];
  const signature: JsonObject = { type: 'signature_delta', signature: block.signature };
  if (draft.omitThinking) return [signature];
  return [...cut(part.text, 24).map((thinking) => ({ type: 'thinking_delta', thinking })), signature];
}

/** A text block with citations, as a script gives it with `block`. */
function isCited(block: JsonObject): boolean {
  return block.type === 'text' && Array.isArray(block.citations);
}
