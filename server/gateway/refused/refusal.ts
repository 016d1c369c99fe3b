/** Why a provider refused a request, as far as it matters to who put the request together. */
export type Refusal =
  /** The prompt does not fit: the largest that would have been taken and this one, in tokens, where the provider says. */
  | { readonly kind: 'too_large'; readonly maximum: number | null; readonly prompt: number | null }
  /** Reasoning is not taken with this conversation: it is bound to another one, or its ciphertext does not verify. */
  | { readonly kind: 'binding' }
  /** Order, pairs or shape of what stands in messages, system prompt or tools: an edit may have caused it. */
  | { readonly kind: 'pairing' }
  /** Anything else: parameters, media, limits of the account. No edit of history mends it. */
  | { readonly kind: 'other' };

export const OTHER: Refusal = { kind: 'other' };

/** A whole number in words of the provider's; null where there is none. */
export function tokensIn(found: string | undefined): number | null {
  const tokens = Number((found ?? '').replaceAll(',', ''));
  return found !== undefined && Number.isSafeInteger(tokens) ? tokens : null;
}
