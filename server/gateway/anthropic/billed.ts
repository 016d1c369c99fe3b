import type { CallUsage, Sampling } from '../../ledger/index.ts';
import { countOf, recordOf, textOf } from '../reading/events.ts';
import { type RawUsage, usageOf } from './usage.ts';

/**
 * What the Messages API billed for a call; null: it said nothing of it. Where it lists iterations these are the samplings:
 * a compaction's tokens are in no other number, and an advisor or a fallback has a model of its own.
 */
export function billedUsage(raw: RawUsage | null): CallUsage | null {
  if (raw === null) return null;
  const listed = Array.isArray(raw.iterations) ? raw.iterations.map(recordOf) : [];
  const iterations = listed.filter((one) => one !== null);
  const whole = samplingOf(raw);
  const samplings = iterations.length === 0 ? [whole] : withReasoning(iterations.map(samplingOf), whole);
  const tools = recordOf(raw.server_tool_use);
  const speed = textOf(raw.speed) ?? 'standard';
  return {
    samplings,
    searches: countOf(tools?.web_search_requests) ?? 0,
    speed: speed === 'standard' ? null : speed,
    regional: raw.inference_geo === 'us',
    batch: raw.service_tier === 'batch',
  };
}

function samplingOf(raw: RawUsage): Sampling {
  const usage = usageOf(raw);
  return {
    model: textOf(raw.model),
    input: usage?.input ?? 0,
    write: (usage?.cacheWrite5m ?? 0) + (usage?.cacheWriteOther ?? 0),
    writeLong: usage?.cacheWrite1h ?? 0,
    read: usage?.cacheRead ?? 0,
    output: usage?.output ?? 0,
    reasoning: usage?.reasoning ?? 0,
  };
}

/** Iterations tell output as one number: the reasoning in it is told for the answer, which the last one gave. */
function withReasoning(samplings: readonly Sampling[], { reasoning }: Sampling): readonly Sampling[] {
  const last = samplings.at(-1);
  if (last === undefined || last.reasoning > 0) return samplings;
  const part = Math.min(reasoning, last.output);
  return [...samplings.slice(0, -1), { ...last, output: last.output - part, reasoning: part }];
}
