import type { Usage } from '../../conversation/index.ts';
import { countOf, recordOf } from '../reading/events.ts';

/** The provider's usage fields as they came, the last value of each. */
export type RawUsage = Readonly<Record<string, unknown>>;

/** Later fields over earlier ones, also inside nested objects; a null does not take away what was said before. */
export function mergeUsage(earlier: RawUsage | null, later: unknown): RawUsage | null {
  const added = recordOf(later);
  if (added === null) return earlier;
  const merged: Record<string, unknown> = { ...earlier };
  for (const [name, value] of Object.entries(added)) {
    if (value === null || value === undefined) continue;
    const nested = recordOf(value);
    Object.defineProperty(merged, name, {
      value: nested === null ? value : mergeUsage(recordOf(merged[name]), nested),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return merged;
}

/**
 * Disjoint buckets: `input_tokens`, cache reads and cache writes are apart already; the split of the writes by
 * lifetime is `cache_creation`; `output_tokens` includes thinking.
 */
export function usageOf(raw: RawUsage | null): Usage | null {
  if (raw === null) return null;
  const split = recordOf(raw.cache_creation);
  const written = countOf(raw.cache_creation_input_tokens);
  const fiveMinutes = countOf(split?.ephemeral_5m_input_tokens);
  const oneHour = countOf(split?.ephemeral_1h_input_tokens);
  const output = countOf(raw.output_tokens);
  const reasoning = countOf(recordOf(raw.output_tokens_details)?.thinking_tokens);
  return {
    input: countOf(raw.input_tokens),
    cacheRead: countOf(raw.cache_read_input_tokens),
    cacheWrite5m: fiveMinutes,
    cacheWrite1h: oneHour,
    cacheWriteOther: written === null ? null : Math.max(0, written - (fiveMinutes ?? 0) - (oneHour ?? 0)),
    output: output === null ? null : Math.max(0, output - (reasoning ?? 0)),
    reasoning,
  };
}
