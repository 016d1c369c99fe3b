import type { Skim, SkimNode } from '../skim.ts';
import { type Finding, finding } from '../verdict.ts';

/** One entry of `input`. */
export interface Item {
  readonly index: number;
  readonly node: SkimNode;
  /** Its type; an entry with a role and no type is a message. */
  readonly type: string;
  /** The role of a message; null for every other item. */
  readonly role: string | null;
}

/** A body of the Responses API, read as far as the rules look. */
export interface Conversation {
  readonly doc: Skim;
  /** None where the input is a bare string. */
  readonly items: readonly Item[];
  readonly tools: readonly SkimNode[];
}

const ROLES: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'developer']);

/** The pointer of an item. */
export function whereIs(item: Item): string {
  return `/input/${item.index}`;
}

/** What an item is to a reasoning group: reasoning, what a model made with it, or neither. */
export function shareOf(item: Item): 'reasoning' | 'made' | 'none' {
  if (item.type === 'reasoning') return 'reasoning';
  if (item.type === 'message') return item.role === 'assistant' ? 'made' : 'none';
  return item.type.endsWith('_call') || MADE.has(item.type) ? 'made' : 'none';
}

const MADE: ReadonlySet<string> = new Set(['program', 'mcp_list_tools', 'mcp_approval_request']);

/** Reads a body; a finding where it has not the shape of a request of the Responses API. */
export function readConversation(doc: Skim): Conversation | Finding {
  const input = doc.member(0, 'input');
  const kind = doc.kind(input);
  if (kind !== 'array' && kind !== 'string')
    return finding('shape', '/input', 'A body needs an input: a text or a list of items.');
  const items: Item[] = [];
  for (const [index, node] of doc.entries(input).entries()) {
    const item = readItem(doc, node, index);
    if ('rule' in item) return item;
    items.push(item);
  }
  if (kind === 'array' && items.length === 0) return finding('shape', '/input', 'The input is empty.');
  const tools = doc.member(0, 'tools');
  return { doc, items, tools: doc.entries(tools) };
}

/** Reads one item; a finding where it is none. */
export function readItem(doc: Skim, node: SkimNode, index: number): Item | Finding {
  const where = `/input/${index}`;
  if (doc.kind(node) !== 'object') return finding('shape', where, 'An item is an object.');
  const role = doc.stringMember(node, 'role');
  const type = doc.stringMember(node, 'type') ?? (role === null ? null : 'message');
  if (type === null) return finding('shape', where, 'The item has no type.');
  if (type !== 'message') return { index, node, type, role: null };
  if (role === null || !ROLES.has(role))
    return finding('role', where, 'The role of a message is user, assistant, system or developer.');
  const content = doc.kind(doc.member(node, 'content'));
  if (content !== 'string' && content !== 'array')
    return finding('no-content', where, 'The message has no content.');
  return { index, node, type, role };
}
