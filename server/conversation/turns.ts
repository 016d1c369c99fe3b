import type { Message } from './model.ts';

/** One assistant message (or several in a row) and the results of its tool calls. Indices into the list of messages. */
export interface Round {
  readonly start: number;
  readonly end: number;
}

/** From a typed message to the last message before the next typed one: `[start, end)` of the list of messages. */
export interface Turn {
  readonly start: number;
  readonly end: number;
  /** False for what stands before the first typed message. */
  readonly typed: boolean;
  readonly rounds: readonly Round[];
}

/** What turns are told by. */
export type TurnMessage = Pick<Message, 'role'> & {
  readonly items: readonly { readonly kind: Message['items'][number]['kind'] }[];
};

/** True if a person typed something in it. */
export function isTyped(message: TurnMessage): boolean {
  return message.role === 'user' && message.items.some((item) => item.kind === 'input');
}

/**
 * The turns of a conversation, in order, without gaps. What an agent injects directly before a typed message (whole
 * messages of injected text, behind the last answer or result) belongs to the turn that the message begins.
 */
export function turnsOf(messages: readonly TurnMessage[]): readonly Turn[] {
  const starts: number[] = [];
  for (const [index, message] of messages.entries()) {
    if (!isTyped(message)) continue;
    let start = index;
    while (start > (starts.at(-1) ?? -1) + 1 && isLeadIn(messages[start - 1])) start--;
    starts.push(start);
  }
  const bounds = starts[0] === 0 || messages.length === 0 ? starts : [0, ...starts];
  return bounds.map((start, index) => {
    const end = bounds[index + 1] ?? messages.length;
    return { start, end, typed: starts.includes(start), rounds: roundsOf(messages, start, end) };
  });
}

/** A user's message of injected text alone: it leads in what comes behind it. */
function isLeadIn(message: TurnMessage | undefined): boolean {
  return (
    message !== undefined &&
    message.role === 'user' &&
    message.items.every((item) => item.kind === 'injected')
  );
}

/** The rounds between two indices: each begins with the first assistant message after something else. */
function roundsOf(messages: readonly TurnMessage[], start: number, end: number): readonly Round[] {
  const begins: number[] = [];
  for (let index = start; index < end; index++) {
    const isAssistant = messages[index]?.role === 'assistant';
    const wasAssistant = index > start && messages[index - 1]?.role === 'assistant';
    if (isAssistant && !wasAssistant) begins.push(index);
  }
  return begins.map((begin, index) => ({ start: begin, end: begins[index + 1] ?? end }));
}
