import { messagesRefusal } from './anthropic.ts';
import { responsesRefusal } from './openai.ts';
import type { Refusal } from './refusal.ts';

/**
 * Why a provider refused a request; null where the answer is no refusal of what the request says (a success, no leave, a
 * rate limit, a fault of the provider's). By the vendors' types and codes where there are any, else by their words: these
 * can change, and what is not known is `other`.
 * @param body decoded; a 413 may come from a proxy in front of the provider and need not be JSON
 */
export function classifyRefusal(
  protocol: 'anthropic' | 'openai',
  status: number,
  body: Buffer,
): Refusal | null {
  if (status === 413) return { kind: 'too_large', maximum: null, prompt: null };
  if (status !== 400) return null;
  return protocol === 'anthropic' ? messagesRefusal(body) : responsesRefusal(body);
}
