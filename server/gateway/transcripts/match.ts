import type { StoredMessage } from '../../archive/index.ts';
import {
  type AgentForms,
  type ComparableItem,
  type ComparableMessage,
  matchForm,
} from '../../conversation/index.ts';
import { withoutReminders } from './said.ts';

/**
 * True where a stored message says what a message of an agent's files says: it may have had reminders beside it when it
 * was sent. Images are compared by what stands around them.
 */
export function saysTheSame(stored: StoredMessage, read: ComparableMessage, forms: AgentForms): boolean {
  if (stored.role !== read.role) return false;
  if (stored.role === 'developer' || stored.role === 'system') return sameItems(stored.items, read.items);
  if (stored.role === 'assistant') {
    const question = { known: stored, knownNext: null, incoming: read, incomingNext: null };
    return matchForm(question, forms).verdict === 'same';
  }
  const [known, given] = [stored, read].map((message) => withoutReminders(message).items);
  if (known === undefined || given === undefined) return false;
  return known.length > 0 && sameItems(known, given);
}

function sameItems(known: readonly ComparableItem[], given: readonly ComparableItem[]): boolean {
  if (known.length !== given.length) return false;
  return known.every((item, index) => {
    const other = given[index];
    return (
      other !== undefined &&
      kindOf(item.kind) === kindOf(other.kind) &&
      item.text === other.text &&
      item.tool?.callId === other.tool?.callId &&
      item.tool?.isError === other.tool?.isError
    );
  });
}

/** Whose words a text is may be told by what stands beside it. */
function kindOf(kind: string): string {
  return kind === 'injected' ? 'input' : kind;
}

/** True for a message in which nothing is said: it stands between others where the files of its agent have none. */
export function saysNothing(message: ComparableMessage): boolean {
  return message.role !== 'assistant' && withoutReminders(message).items.length === 0;
}
