import { sha256 } from '../ids.ts';
import { asArray, asObject, asObjects, asString, type Json, type JsonObject } from '../json.ts';
import { seal, unseal } from '../seal.ts';
import { type PlacedBlock, placedBlocks } from './blocks.ts';
import { type AnthropicError, codedError } from './errors.ts';

/** True for a compaction block that holds a summary; a failed compaction has null in its place. */
export function isSummary(block: JsonObject | undefined): boolean {
  return block?.type === 'compaction' && typeof block.content === 'string';
}

/**
 * Rules of signed compaction blocks, those that a `compaction` request gave out: one only, first in the conversation,
 * not in a system message, unchanged. Unsigned blocks come from the `compact_20260112` edit and may stand anywhere.
 */
export function compactionBlockError(body: JsonObject, secret: string): AnthropicError | undefined {
  const placed = asObjects(body.messages).flatMap((message, index) =>
    placedBlocks(message, index).map((block) => ({ ...block, role: asString(message.role) ?? '' })),
  );
  const misplaced = placed.find(({ block, role }) => block.type === 'compaction' && role === 'system');
  if (misplaced !== undefined) return misplacedError(misplaced);
  const signed = placed.filter(({ block }) => isSummary(block) && asString(block.signature) !== undefined);
  if (signed.length > 1) {
    return codedError(
      'compaction_block_ambiguous',
      'messages: more than one `compaction` block with content. Send only the block that was returned last.',
    );
  }
  const only = signed[0];
  if (only === undefined) return undefined;
  if (only.path !== placed[0]?.path) return misplacedError(only);
  const held = unseal(asString(only.block.signature) ?? '', secret);
  if (held?.kind !== 'compaction') {
    return codedError(
      'compaction_signature_invalid',
      `${only.path}.compaction.signature: the signature of the \`compaction\` block does not verify`,
    );
  }
  if (held.content !== sha256(asString(only.block.content) ?? '')) {
    return codedError(
      'compaction_content_mismatch',
      `${only.path}.compaction.content: differs from the text that the block's signature recorded`,
    );
  }
  if (held.changes !== changesHash(only.block.tool_changes)) {
    return codedError(
      'compaction_tool_changes_mismatch',
      `${only.path}.compaction.tool_changes: differs from what was returned with the block`,
    );
  }
  return undefined;
}

function misplacedError({ path }: PlacedBlock): AnthropicError {
  return codedError(
    'compaction_block_misplaced',
    `${path}: a \`compaction\` block must be the first block of the conversation and not in a system message`,
  );
}

/** What a request to compact needs: something to summarize, and no unfinished turn at its end. */
export function compactionRequestError(body: JsonObject): AnthropicError | undefined {
  if ((body.compaction ?? null) === null) return undefined;
  const messages = asObjects(body.messages);
  const spoken = messages.filter((message) => message.role !== 'system');
  const isEmpty = (message: JsonObject) => message.content === '' || asArray(message.content).length === 0;
  if (spoken.every((message) => typeof message.content !== 'string' && isEmpty(message))) {
    return codedError('compaction_nothing_to_summarize', 'messages: there is no content to summarize');
  }
  const last = messages.at(-1);
  const blocks = asObjects(last?.content);
  const done = new Set(blocks.map((block) => block.tool_use_id));
  const isOpen = blocks.some(
    (block) => (block.type === 'tool_use' || block.type === 'server_tool_use') && !done.has(block.id),
  );
  if (last?.role !== 'assistant' || !isOpen) return undefined;
  return codedError(
    'compaction_incomplete_turn',
    `messages.${messages.length - 1}: the conversation ends on an assistant turn that is not finished`,
  );
}

/** The body without what stands before its last compaction block, which the model does not read. */
export function withoutCompacted(body: JsonObject): JsonObject {
  const messages = asObjects(body.messages);
  const index = messages.findLastIndex((message) => asObjects(message.content).some(isSummary));
  const message = messages[index];
  if (message === undefined) return body;
  const content = asObjects(message.content);
  const kept = content.slice(content.findLastIndex(isSummary));
  return { ...body, messages: [{ ...message, content: kept }, ...messages.slice(index + 1)] };
}

/** A compaction block with that summary; signed for requests with `compaction`, unsigned for the edit. */
export function compactionBlock(summary: string, secret: string, isSigned: boolean): JsonObject {
  const encrypted = seal({ kind: 'compacted', content: sha256(summary) }, secret);
  const block = { type: 'compaction', content: summary, encrypted_content: encrypted };
  if (!isSigned) return block;
  const changes: Json[] = [];
  const signature = seal(
    { kind: 'compaction', content: sha256(summary), changes: changesHash(changes) },
    secret,
  );
  return { ...block, signature, tool_changes: changes };
}

function changesHash(changes: Json | undefined): string {
  return sha256(JSON.stringify(changes ?? []));
}

/** Settings of the `compact_20260112` edit; `undefined` when the request has none. */
export function compactEdit(
  body: JsonObject,
): { readonly triggerTokens: number; readonly pauses: boolean } | undefined {
  const edits = asObjects(asObject(body.context_management)?.edits);
  const edit = edits.find((other) => other.type === 'compact_20260112');
  if (edit === undefined) return undefined;
  const value = asObject(edit.trigger)?.value;
  return {
    triggerTokens: typeof value === 'number' ? value : 150_000,
    pauses: edit.pause_after_compaction === true,
  };
}
