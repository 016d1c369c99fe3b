import { asObjects, type JsonObject } from '../json.ts';
import type { TokenRule } from '../tokens.ts';
import { placedBlocks } from './blocks.ts';
import { positionsOf } from './cache.ts';
import { withoutCompacted } from './compaction.ts';
import { applyEdits } from './edits.ts';

/** What the model reads of a request, and how it came to be. */
export type ReadPrompt = {
  readonly body: JsonObject;
  /** What the clearing edits report, those that did something. */
  readonly applied: readonly JsonObject[];
  /** Tokens before the clearing edits. */
  readonly originalTokens: number;
};

/**
 * What the model reads of a request: without thinking that was dropped, without what a compaction stands for, without
 * system messages whose time is over, and with the clearing edits applied.
 */
export function readPrompt(whole: JsonObject, dropped: ReadonlySet<string>, rule: TokenRule): ReadPrompt {
  const body = withoutCompacted(withoutEnded(withoutDropped(whole, dropped)));
  const originalTokens = positionsOf(body, '', rule).at(-1)?.tokens ?? 0;
  if (body.context_management === undefined) return { body, applied: [], originalTokens };
  const edited = applyEdits(body, originalTokens, rule);
  return { body: edited.body, applied: edited.applied, originalTokens };
}

function withoutDropped(body: JsonObject, dropped: ReadonlySet<string>): JsonObject {
  if (dropped.size === 0) return body;
  const messages = asObjects(body.messages).map((message, index) => {
    if (typeof message.content === 'string') return message;
    const kept = placedBlocks(message, index).filter(({ path }) => !dropped.has(path));
    return { ...message, content: kept.map(({ block }) => block) };
  });
  return { ...body, messages };
}

/** A system message with `clear_at: next_user_message` is read until a later user message comes. */
function withoutEnded(body: JsonObject): JsonObject {
  const messages = asObjects(body.messages);
  const lastUser = messages.findLastIndex((message) => message.role === 'user');
  const isOver = (message: JsonObject, index: number) =>
    message.clear_at === 'next_user_message' && index < lastUser;
  if (!messages.some(isOver)) return body;
  return { ...body, messages: messages.filter((message, index) => !isOver(message, index)) };
}
