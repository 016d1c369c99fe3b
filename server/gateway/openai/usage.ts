import type { Usage } from '../../conversation/index.ts';
import { countOf, recordOf } from '../reading/events.ts';

/** Disjoint buckets: `input_tokens` includes what was read from and written to the cache, `output_tokens` reasoning. */
export function usageOf(raw: unknown): Usage | null {
  const usage = recordOf(raw);
  if (usage === null) return null;
  const input = countOf(usage.input_tokens);
  const details = recordOf(usage.input_tokens_details);
  const cached = countOf(details?.cached_tokens);
  const written = countOf(details?.cache_write_tokens);
  const output = countOf(usage.output_tokens);
  const reasoning = countOf(recordOf(usage.output_tokens_details)?.reasoning_tokens);
  return {
    input: input === null ? null : Math.max(0, input - (cached ?? 0) - (written ?? 0)),
    cacheRead: cached,
    cacheWrite5m: null,
    cacheWrite1h: null,
    cacheWriteOther: written,
    output: output === null ? null : Math.max(0, output - (reasoning ?? 0)),
    reasoning,
  };
}
