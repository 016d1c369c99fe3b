import { createHash } from 'node:crypto';
import { isTyped, type Message } from '../../conversation/index.ts';

/** What the gateway remembers of an element of a request (an entry of `messages` or `input`). */
export interface ElementFacts {
  /** Whose it is. On Responses a call and reasoning are the assistant's. */
  readonly side: 'user' | 'assistant' | 'system';
  /** A person typed something in it. */
  readonly typed: boolean;
  /** It holds results of tool calls. */
  readonly results: boolean;
  /** Ids of the calls that it makes, and of those that it answers. */
  readonly opens: readonly string[];
  readonly closes: readonly string[];
  /** It holds reasoning; `only`: nothing else. */
  readonly reasoning: 'none' | 'some' | 'only';
  /** What tells an answer again: a hash of its texts and call ids, reasoning and blank texts left out; null: it is none. */
  readonly print: string | null;
  /** A hash of what a person typed in it; null: nothing. */
  readonly words: string | null;
  /** Estimated tokens of its bytes. */
  readonly tokens: number;
}

/** The facts of an element that holds results alone, by the ids of the calls that it answers. */
export function factsOfResults(ids: readonly string[], tokens: number): ElementFacts {
  return {
    side: 'user',
    typed: false,
    results: true,
    opens: [],
    closes: ids,
    reasoning: 'none',
    print: null,
    words: null,
    tokens,
  };
}

/** The facts of an element. @param tokens estimated tokens of its bytes */
export function factsOf(message: Message, tokens: number): ElementFacts {
  const { role, items } = message;
  const ids = (kind: 'tool_call' | 'tool_result') =>
    items.flatMap((item) => (item.kind === kind && item.tool !== null ? [item.tool.callId] : []));
  const results = role !== 'assistant' && items.some((item) => item.kind === 'tool_result');
  const reasoning = items.filter((item) => item.kind === 'reasoning').length;
  const isAssistants =
    role === 'assistant' || (role !== 'user' && items.some((item) => item.kind === 'tool_call'));
  const side =
    isAssistants || message.transparent ? 'assistant' : role === 'user' || results ? 'user' : 'system';
  const typed = isTyped(message);
  return {
    side,
    typed,
    results,
    opens: ids('tool_call'),
    closes: ids('tool_result'),
    reasoning: reasoning === 0 ? 'none' : reasoning === items.length ? 'only' : 'some',
    print: side === 'assistant' && !message.transparent ? printOf(message) : null,
    words: typed ? wordsOf(message) : null,
    tokens,
  };
}

function printOf({ items }: Message): string {
  const hash = createHash('sha256');
  for (const item of items) {
    if (item.kind === 'tool_call' && item.tool !== null) hash.update(`call\0${item.tool.callId}\0`);
    else if (item.kind !== 'reasoning' && item.text.trim() !== '')
      hash.update(`${item.kind}\0`).update(item.text, 'utf16le');
  }
  return hash.digest('base64url');
}

function wordsOf({ items }: Message): string {
  const hash = createHash('sha256');
  for (const item of items) if (item.kind === 'input') hash.update(item.text, 'utf16le').update('\0');
  return hash.digest('base64url');
}
