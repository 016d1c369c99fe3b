import type { MessageHash } from '../../archive/index.ts';
import { hexOf, isTyped, type TurnMessage } from '../../conversation/index.ts';

/** A message of a chain that was not known. */
interface Added {
  readonly hash: MessageHash;
  readonly parent: MessageHash;
  readonly message: TurnMessage;
}

/**
 * The messages of a request that memory looks at: what was typed since the last answer; where nothing was, the newest one,
 * so that it is counted. A history that does not go on from the thread's newest message (it was taken over, compacted,
 * rewound) repeats what was typed before: then only its newest typed message is new.
 * @param head the thread's newest message before the request; null: this is its first
 */
export function turnsToLearn(
  { added }: { readonly added: readonly Added[] },
  head: MessageHash | null,
): readonly MessageHash[] {
  const [first] = added;
  const last = added.at(-1);
  if (first === undefined || last === undefined) return [];
  const isAnswer = ({ message }: Added) => message.role === 'assistant';
  const typed = added.slice(added.findLastIndex(isAnswer) + 1).filter(({ message }) => isTyped(message));
  const newest = typed.at(-1);
  if (newest === undefined) return [last.hash];
  const goesOn = head !== null && hexOf(first.parent) === hexOf(head);
  return (goesOn ? typed : [newest]).map(({ hash }) => hash);
}
