import type { CallUsage } from '../../ledger/index.ts';
import { countOf, recordOf, textOf } from '../reading/events.ts';
import { usageOf } from './usage.ts';

/**
 * What the Responses API billed for a call; null: it said nothing of it.
 * @param response the response object: beside `usage` it names the tier that served it
 */
export function billedResponse(response: Readonly<Record<string, unknown>> | null): CallUsage | null {
  const usage = usageOf(response?.usage);
  if (usage === null) return null;
  const details = recordOf(recordOf(response?.usage)?.input_tokens_details);
  const written = usage.cacheWriteOther ?? 0;
  const long = Math.min(written, longWrites(details));
  const tier = textOf(response?.service_tier);
  return {
    samplings: [
      {
        model: null,
        input: usage.input ?? 0,
        write: written - long,
        writeLong: long,
        read: usage.cacheRead ?? 0,
        output: usage.output ?? 0,
        reasoning: usage.reasoning ?? 0,
      },
    ],
    searches: 0,
    speed: tier === null || tier === 'default' || tier === 'auto' ? null : tier,
    regional: false,
    batch: false,
  };
}

/** Tokens of the writes that are kept for twelve hours. */
function longWrites(details: Readonly<Record<string, unknown>> | null): number {
  return countOf(recordOf(details?.cache_write_tokens_details)?.ttl_12h_tokens) ?? 0;
}
