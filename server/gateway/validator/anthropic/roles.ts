import type { Skim, SkimNode } from '../skim.ts';
import { type Finding, finding, firstAmong } from '../verdict.ts';
import { type Conversation, isServerResult, type Message, type Part, whereIs } from './read.ts';

/** Parts that only one role may have. Kinds that are not listed pass, since new ones appear every month. */
const ROLE_OF: Readonly<Record<string, Message['role']>> = {
  thinking: 'assistant',
  redacted_thinking: 'assistant',
  tool_use: 'assistant',
  server_tool_use: 'assistant',
  mcp_tool_use: 'assistant',
  tool_result: 'user',
};

/** The conversation begins with a user message, every message has content, and parts stand under their roles. */
export function checkRoles({ messages }: Conversation): Finding | null {
  if (messages[0]?.role !== 'user')
    return finding('first-message', '/messages/0', 'The first message must be a user message.');
  return firstAmong(messages, (message) => {
    if (message.parts.length === 0)
      return finding('no-content', whereIs(message), 'The message has no content.');
    return firstAmong(message.parts, (part) => {
      const role = ROLE_OF[part.type];
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

/** No text is empty: of messages, of tool results, of the system prompt. */
export function checkTexts({ doc, messages, system }: Conversation): Finding | null {
  const empty = (node: SkimNode, where: string) =>
    isEmptyText(doc, node) ? finding('empty-text', where, 'A text must not be empty.') : null;
  return (
    firstAmong(system, (node, index) => empty(node, `/system/${index}`)) ??
    firstAmong(messages, (message) =>
      firstAmong(message.parts, (part) => {
        if (part.index === null) return null;
        const where = whereIs(message, part);
        if (part.type === 'text') return empty(part.node, where);
        if (part.type !== 'tool_result') return null;
        return firstAmong(doc.entries(doc.member(part.node, 'content')), (node, index) =>
          empty(node, `${where}/content/${index}`),
        );
      }),
    )
  );
}

/** True for a text part with nothing in it. */
export function isEmptyText(doc: Skim, node: SkimNode): boolean {
  if (doc.stringMember(node, 'type') !== 'text') return false;
  const text = doc.member(node, 'text');
  return text === null || doc.kind(text) !== 'string' || doc.end(text) - doc.start(text) <= 2;
}

/** A signed compaction part is the first part of the conversation; so there is only one. */
export function checkCompactions({ doc, messages }: Conversation): Finding | null {
  return firstAmong(messages, (message, at) =>
    firstAmong(message.parts, (part, place) => {
      if (part.type !== 'compaction' || !isSigned(doc, part) || (at === 0 && place === 0)) return null;
      return finding(
        'compaction',
        whereIs(message, part),
        'A signed compaction part must be the first part of the conversation.',
      );
    }),
  );
}

function isSigned(doc: Skim, part: Part): boolean {
  return doc.kind(doc.member(part.node, 'signature')) === 'string';
}
