import type { Skim, SkimNode } from '../skim.ts';
import { type Finding, finding } from '../verdict.ts';

/** One part of a message's content; a bare string is one text part. */
export interface Part {
  readonly node: SkimNode;
  readonly type: string;
  /** Position in the content; null: the content is a bare string. */
  readonly index: number | null;
}

/** One entry of `messages`. */
export interface Message {
  readonly index: number;
  readonly node: SkimNode;
  readonly role: 'user' | 'assistant' | 'system';
  readonly parts: readonly Part[];
}

/** A body of the Messages API, read as far as the rules look. */
export interface Conversation {
  readonly doc: Skim;
  readonly messages: readonly Message[];
  readonly tools: readonly SkimNode[];
  readonly system: readonly SkimNode[];
}

/** The pointer of a message, or of one of its parts. */
export function whereIs(message: Message, part: Part | null = null): string {
  if (part === null) return `/messages/${message.index}`;
  return `/messages/${message.index}/content${part.index === null ? '' : `/${part.index}`}`;
}

/** True for a part that holds signed reasoning. */
export function isThinking(part: Part): boolean {
  return part.type === 'thinking' || part.type === 'redacted_thinking';
}

/** True for a result of a tool that the provider or a server ran. */
export function isServerResult(part: Part): boolean {
  return part.type !== 'tool_result' && part.type.endsWith('_tool_result');
}

/** True for a call of a tool that the provider or a server runs. */
export function isServerCall(part: Part): boolean {
  return part.type !== 'tool_use' && part.type.endsWith('_tool_use');
}

/** True for a user message that a person or an agent wrote: it brings no tool results. */
export function opensTurn(message: Message): boolean {
  return message.role === 'user' && message.parts.every((part) => part.type !== 'tool_result');
}

/** Reads a body; a finding where it has not the shape of a request of the Messages API. */
export function readConversation(doc: Skim): Conversation | Finding {
  const list = doc.member(0, 'messages');
  if (doc.kind(list) !== 'array') return finding('shape', '/messages', 'A body needs a list of messages.');
  const nodes = doc.entries(list);
  if (nodes.length === 0) return finding('shape', '/messages', 'The list of messages is empty.');
  const messages: Message[] = [];
  for (const [index, node] of nodes.entries()) {
    const message = readMessage(doc, node, index);
    if ('rule' in message) return message;
    messages.push(message);
  }
  const tools = doc.member(0, 'tools');
  if (tools !== null && !isListOfObjects(doc, tools))
    return finding('shape', '/tools', 'The tools are no list of objects.');
  const system = doc.member(0, 'system');
  if (system !== null && doc.kind(system) !== 'string' && !isListOfObjects(doc, system))
    return finding('shape', '/system', 'The system prompt is neither a text nor a list of objects.');
  return { doc, messages, tools: doc.entries(tools), system: doc.entries(system) };
}

/** Reads one message; a finding where it is none. */
export function readMessage(doc: Skim, node: SkimNode, index: number): Message | Finding {
  const where = `/messages/${index}`;
  const role = doc.stringMember(node, 'role');
  if (role !== 'user' && role !== 'assistant' && role !== 'system')
    return finding('role', where, 'The role of a message is user, assistant or system.');
  const content = doc.member(node, 'content');
  const kind = doc.kind(content);
  if (content !== null && kind === 'string') {
    const parts =
      doc.end(content) - doc.start(content) > 2 ? [{ node: content, type: 'text', index: null }] : [];
    return { index, node, role, parts };
  }
  if (content === null && role === 'system') return { index, node, role, parts: [] };
  if (kind !== 'array') return finding('no-content', where, 'The message has no content.');
  const parts: Part[] = [];
  for (const [place, part] of doc.entries(content).entries()) {
    const type = doc.stringMember(part, 'type');
    if (type === null) return finding('shape', `${where}/content/${place}`, 'The part has no type.');
    parts.push({ node: part, type, index: place });
  }
  return { index, node, role, parts };
}

function isListOfObjects(doc: Skim, list: SkimNode): boolean {
  return doc.kind(list) === 'array' && doc.children(list).every((node) => doc.kind(node) === 'object');
}
