import { createHash } from 'node:crypto';
import {
  type AgentName,
  type ComparableItem,
  type Item,
  type Message,
  type SaidPart,
  type Slice,
  viewOf,
} from '../../conversation/index.ts';
import { itemOf } from '../reading/parts.ts';

/** A reminder that Claude Code puts beside what is said; its files keep none. */
const REMINDER = /^\s*<system-reminder>[\s\S]*<\/system-reminder>\s*$/;
/** Where reminders begin that were folded into a tool result; blanks at the result's end are lost then. */
const FOLDED = '\n\n<system-reminder>\n';

/**
 * How messages of an agent are taken apart into what its own files keep and what they lack; null for agents whose files
 * are not read.
 */
export function saidOfAgent(agent: AgentName): ((message: Message) => SaidPart) | null {
  if (agent === 'claude-code') return saidOfClaude;
  return agent === 'codex' ? saidOfCodex : null;
}

/** Whether a request has a history, which its agent's own files may have brought in under the name of another session. */
export function mayGoOnFromFiles(body: Uint8Array, elements: readonly Slice[]): boolean {
  const bytes = viewOf(body);
  return elements.some(({ start, end }) => bytes.subarray(start, end).includes('"assistant"'));
}

/** Files of Claude Code (2.1.197) lack reminders, and the system messages that stand for them with newer models. */
function saidOfClaude(message: Message): SaidPart {
  if (message.role === 'assistant') return { said: message.canonical, beside: null, mayLack: false };
  const { items, reminders } = withoutReminders(message);
  if (items.length === 0) return { said: null, beside: message, mayLack: true };
  return { said: bytesOf(items), beside: besideOf(message, reminders), mayLack: false };
}

/** Files of Codex (0.171) hold what is sent, less a first message of instructions with some models. */
function saidOfCodex(message: Message): SaidPart {
  const mayLack = message.role === 'developer' || message.role === 'system';
  return { said: message.canonical, beside: mayLack ? message : null, mayLack };
}

/**
 * What of a message is said, item by item, as far as it is compared: without reminders, which an agent's files do not
 * keep, and with blanks at the end of tool results left away.
 */
export function withoutReminders<Kind extends ComparableItem>(message: {
  readonly role: Message['role'];
  readonly items: readonly Kind[];
}): { readonly items: readonly Kind[]; readonly reminders: readonly string[] } {
  if (message.role === 'system' || message.role === 'developer') return { items: [], reminders: [] };
  const items: Kind[] = [];
  const reminders: string[] = [];
  for (const item of message.items) {
    if (item.kind === 'reasoning') continue;
    if (item.kind === 'injected' && REMINDER.test(item.text)) reminders.push(item.text);
    else if (item.kind !== 'tool_result') items.push(item);
    else {
      const folded = foldedAt(item.text);
      if (folded < item.text.length) reminders.push(item.text.slice(folded).trimStart());
      items.push({ ...item, text: item.text.slice(0, folded).trimEnd() });
    }
  }
  return { items, reminders };
}

/** Where the reminders begin that a tool result's text ends in; its length where it does not. */
function foldedAt(text: string): number {
  if (!text.trimEnd().endsWith('</system-reminder>')) return text.length;
  const at = text.indexOf(FOLDED);
  return at === -1 ? text.length : at;
}

function bytesOf(items: readonly Item[]): Uint8Array {
  const parts = items.map((item) => [
    // Whose words a text is may be told by what stands beside it.
    item.kind === 'injected' ? 'input' : item.kind,
    item.text,
    item.tool?.callId ?? null,
    item.tool?.isError ?? false,
    item.media.map((media) => createHash('sha256').update(media.bytes).digest('hex')),
  ]);
  return Buffer.from(JSON.stringify(parts), 'utf8');
}

function besideOf(message: Message, reminders: readonly string[]): Message | null {
  if (reminders.length === 0) return null;
  return {
    role: message.role,
    items: reminders.map((text) => itemOf('injected', text)),
    canonical: Buffer.from(JSON.stringify(['beside', ...reminders]), 'utf8'),
    transparent: false,
  };
}
