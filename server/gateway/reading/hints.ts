import type { ProtocolAdapter, ReadRequest } from '../adapter.ts';
import type { ElementHints } from './injected.ts';

/** What is known of an element beside its bytes; on Responses the system prompt is the first entry of `input`. */
export function hintsFor(
  { protocol }: Pick<ProtocolAdapter, 'protocol'>,
  { identity, elements }: Pick<ReadRequest, 'identity' | 'elements'>,
  start: number,
): ElementHints {
  const first = elements[protocol === 'openai' ? 1 : 0];
  return { agent: identity.agent, first: first !== undefined && start === first.start };
}
