import { asArray, asNumber, asObject, asObjects, asString, type JsonObject } from '../json.ts';
import { type TokenRule, tokensOfLength, unitsOf } from '../tokens.ts';
import { isThinking } from './blocks.ts';

/** What stands in place of a cleared result; the provider's own words are not known. */
const CLEARED = '[tool result cleared]';

/** Defaults of `clear_tool_uses_20250919`. */
const DEFAULT_TRIGGER_TOKENS = 100_000;
const DEFAULT_KEPT_USES = 3;

/** A body after its context edits, and what each edit that did something reports. */
export type EditedBody = { readonly body: JsonObject; readonly applied: readonly JsonObject[] };

/** Applies the clearing edits of `context_management` in their order. `totalTokens` is the prompt before them. */
export function applyEdits(body: JsonObject, totalTokens: number, rule: TokenRule): EditedBody {
  let edited = body;
  let left = totalTokens;
  const applied: JsonObject[] = [];
  for (const edit of asObjects(asObject(body.context_management)?.edits)) {
    const result =
      edit.type === 'clear_thinking_20251015'
        ? clearThinking(edited, edit, rule)
        : edit.type === 'clear_tool_uses_20250919'
          ? clearToolUses(edited, edit, left, rule)
          : undefined;
    if (result === undefined) continue;
    edited = result.body;
    left -= asNumber(result.report.cleared_input_tokens) ?? 0;
    applied.push(result.report);
  }
  return { body: edited, applied };
}

type Cleared = { readonly body: JsonObject; readonly report: JsonObject };

/** A turn begins at each user message that is not made of results only. */
function turnsOf(messages: readonly JsonObject[]): number[] {
  let turn = 0;
  return messages.map((message) => {
    const blocks = asObjects(message.content);
    const isTyped = message.role === 'user' && !blocks.some((block) => block.type === 'tool_result');
    if (isTyped) turn += 1;
    return turn;
  });
}

function clearThinking(body: JsonObject, edit: JsonObject, rule: TokenRule): Cleared | undefined {
  const keep = asObject(edit.keep);
  if (edit.keep === 'all' || keep?.type === 'all') return undefined;
  const kept = asNumber(keep?.value) ?? 1;
  const messages = asObjects(body.messages);
  const turns = turnsOf(messages);
  const thought = [
    ...new Set(
      messages.flatMap((message, index) =>
        asObjects(message.content).some(isThinking) ? [turns[index] ?? 0] : [],
      ),
    ),
  ];
  const cleared = new Set(kept === 0 ? thought : thought.slice(0, -kept));
  if (cleared.size === 0) return undefined;
  let tokens = 0;
  const changed = messages.map((message, index) => {
    if (!cleared.has(turns[index] ?? -1) || typeof message.content === 'string') return message;
    const content = asObjects(message.content).filter((block) => {
      if (isThinking(block)) tokens += tokensOfLength(unitsOf(block), rule);
      return !isThinking(block);
    });
    return { ...message, content };
  });
  return {
    body: { ...body, messages: changed },
    report: {
      type: 'clear_thinking_20251015',
      cleared_thinking_turns: cleared.size,
      cleared_input_tokens: tokens,
    },
  };
}

function clearToolUses(
  body: JsonObject,
  edit: JsonObject,
  totalTokens: number,
  rule: TokenRule,
): Cleared | undefined {
  const messages = asObjects(body.messages);
  const uses = messages.flatMap((message) =>
    asObjects(message.content).filter((block) => block.type === 'tool_use'),
  );
  const trigger = asObject(edit.trigger);
  const value = asNumber(trigger?.value) ?? DEFAULT_TRIGGER_TOKENS;
  const reached = trigger?.type === 'tool_uses' ? uses.length : totalTokens;
  if (reached < value) return undefined;
  const excluded = new Set(asArray(edit.exclude_tools).map(String));
  const keep = asNumber(asObject(edit.keep)?.value) ?? DEFAULT_KEPT_USES;
  const open = keep === 0 ? uses : uses.slice(0, -keep);
  const ids = new Set(
    open.filter((use) => !excluded.has(asString(use.name) ?? '')).map((use) => asString(use.id) ?? ''),
  );
  const clearsInput = inputClearer(edit);
  let tokens = 0;
  let count = 0;
  const clear = (block: JsonObject): JsonObject => {
    const isResult = block.type === 'tool_result' && ids.has(asString(block.tool_use_id) ?? '');
    const isInput = block.type === 'tool_use' && ids.has(asString(block.id) ?? '') && clearsInput(block);
    if ((!isResult && !isInput) || block.content === CLEARED) return block;
    const short = isResult ? { ...block, content: CLEARED } : { ...block, input: {} };
    const saved = tokensOfLength(unitsOf(block), rule) - tokensOfLength(unitsOf(short), rule);
    if (saved <= 0) return block;
    tokens += saved;
    if (isResult) count += 1;
    return short;
  };
  const changed = messages.map((message) =>
    typeof message.content === 'string'
      ? message
      : { ...message, content: asObjects(message.content).map(clear) },
  );
  const least = asNumber(asObject(edit.clear_at_least)?.value) ?? 1;
  if (tokens < least) return undefined;
  return {
    body: { ...body, messages: changed },
    report: { type: 'clear_tool_uses_20250919', cleared_tool_uses: count, cleared_input_tokens: tokens },
  };
}

function inputClearer(edit: JsonObject): (use: JsonObject) => boolean {
  if (edit.clear_tool_inputs === true) return () => true;
  const names = new Set(asArray(edit.clear_tool_inputs).map(String));
  return (use) => names.has(asString(use.name) ?? '');
}
