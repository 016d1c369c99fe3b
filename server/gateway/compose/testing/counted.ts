import type { Simulator } from '../../../../e2e/simulator/index.ts';

/** Tokens of a request's prompt, and those of them that were read from the cache. */
export interface Counted {
  readonly prompt: number;
  readonly cached: number;
}

/** What the provider counted of each request. */
export function countedBy(simulator: Simulator): readonly Counted[] {
  return simulator.requests.entries.map(({ usage = {} }) => {
    const number = (value: unknown) => (typeof value === 'number' ? value : 0);
    const details = (usage.input_tokens_details ?? {}) as Record<string, unknown>;
    const read = number(usage.cache_read_input_tokens);
    const written = number(usage.cache_creation_input_tokens);
    return {
      prompt: number(usage.input_tokens) + read + written,
      cached: read + number(details.cached_tokens),
    };
  });
}
