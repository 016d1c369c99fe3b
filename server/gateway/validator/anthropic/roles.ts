import type { Skim, SkimNode } from '../skim.ts';
import { type Finding, finding, firstAmong } from '../verdict.ts';
import { type Conversation, isServerResult, type Message, whereIs } from './read.ts';

/** Parts that only one role may have. Kinds that are not listed pass, since new ones appear every month. */
const ROLE_OF: ReadonlyMap<string, Message['role']> = new Map([
  ...(
    [
      ...['thinking', 'redacted_thinking', 'tool_use', 'server_tool_use', 'mcp_tool_use', 'mcp_tool_result'],
      ...['web_search_tool_result', 'web_fetch_tool_result', 'code_execution_tool_result'],
      ...['bash_code_execution_tool_result', 'text_editor_code_execution_tool_result'],
      ...['tool_search_tool_result', 'fallback'],
    ] as const
  ).map((type) => [type, 'assistant'] as const),
  ...(['tool_result', 'image', 'document', 'search_result'] as const).map((type) => [type, 'user'] as const),
  ...(['tool_addition', 'tool_removal'] as const).map((type) => [type, 'system'] as const),
]);

/** The conversation begins with a user message, every message has content, and parts stand under their roles. */
export function checkRoles({ doc, messages }: Conversation): Finding | null {
  const [first] = messages;
  const beginsCompacted = first?.role === 'assistant' && first.parts[0]?.type === 'compaction';
  if (first?.role !== 'user' && !beginsCompacted)
    return finding('first-message', '/messages/0', 'The first message must be a user message.');
  return firstAmong(messages, (message) => {
    const configures = message.role === 'system' && doc.member(message.node, 'output_config') !== null;
    if (message.parts.length === 0 && !configures)
      return finding('no-content', whereIs(message), 'The message has no content.');
    return firstAmong(message.parts, (part) => {
      const role = ROLE_OF.get(part.type);
      if (role === undefined || role === message.role) return null;
      return finding(
        'role',
        whereIs(message, part),
        `A ${part.type} part stands only in a message of the role ${role}.`,
      );
    });
  });
}

/** A system message follows a user message (or a server tool's result) and is followed by an answer or by nothing. */
export function checkSystemMessages({ messages }: Conversation): Finding | null {
  return firstAmong(messages, (message, index) => {
    if (message.role !== 'system') return null;
    const before = messages[index - 1];
    const after = messages[index + 1];
    const last = before?.parts.at(-1);
    const follows =
      before?.role === 'user' || (before?.role === 'assistant' && last !== undefined && isServerResult(last));
    if (!follows)
      return finding('system-message', whereIs(message), 'A system message must follow a user message.');
    if (after === undefined || after.role === 'assistant') return null;
    return finding(
      'system-message',
      whereIs(message),
      'A system message must be the last message or be followed by an assistant message.',
    );
  });
}

/**
 * No text is empty, of messages and of the system prompt. A blank one is the client's own matter (agents send what a
 * model wrote), and what is ours is judged by itself.
 */
export function checkTexts({ doc, messages, system }: Conversation): Finding | null {
  const empty = (node: SkimNode, where: string) =>
    isEmptyText(doc, node) ? finding('empty-text', where, 'A text must not be empty.') : null;
  return (
    firstAmong(system, (node, index) => empty(node, `/system/${index}`)) ??
    firstAmong(messages, (message) =>
      firstAmong(message.parts, (part) =>
        part.index === null || part.type !== 'text' ? null : empty(part.node, whereIs(message, part)),
      ),
    )
  );
}

/** True for a text part with nothing in it. */
export function isEmptyText(doc: Skim, node: SkimNode): boolean {
  if (doc.stringMember(node, 'type') !== 'text') return false;
  const text = doc.member(node, 'text');
  return text === null || doc.kind(text) !== 'string' || doc.end(text) - doc.start(text) <= 2;
}

/**
 * A signed compaction part with content is the first part of the conversation (so there is only one), and none stands
 * in a system message.
 */
export function checkCompactions({ doc, messages }: Conversation): Finding | null {
  return firstAmong(messages, (message, at) =>
    firstAmong(message.parts, (part, place) => {
      if (part.type !== 'compaction') return null;
      const isSigned =
        doc.stringMember(part.node, 'signature') !== null && doc.stringMember(part.node, 'content') !== null;
      if (message.role !== 'system' && (!isSigned || (at === 0 && place === 0))) return null;
      return finding(
        'compaction',
        whereIs(message, part),
        'A compaction part must be the first part of the conversation, and not in a system message.',
      );
    }),
  );
}
