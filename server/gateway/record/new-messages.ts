import type { MaskedItem, NewMessage } from '../../archive/index.ts';
import type { ChainedMessage } from '../../conversation/index.ts';
import { maskItems } from './mask-items.ts';

/**
 * Messages of a chain as the archive takes them, masked by the account's key. Reasoning that stood before a message is
 * kept as the first items of that message.
 */
export async function messagesOf(
  chained: readonly ChainedMessage<MaskedItem>[] | readonly ChainedMessage[],
  origin: NewMessage['origin'],
  key: Uint8Array,
): Promise<readonly NewMessage[]> {
  const messages: NewMessage[] = [];
  for (const { hash, parent, message, masked, reasoning } of chained) {
    const own = (masked as readonly MaskedItem[] | null) ?? (await maskItems(message.items, key));
    const before = await maskItems(
      reasoning.flatMap((one) => one.items),
      key,
    );
    messages.push({ hash, parent, role: message.role, origin, items: [...before, ...own] });
  }
  return messages;
}
