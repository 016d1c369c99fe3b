import type { JsonObject } from '../json.ts';
import type { CacheSplit } from './cache.ts';

/** Usage as `message_start` tells it, with the split of cache writes by lifetime. */
export function usageOf(split: CacheSplit, body: JsonObject): JsonObject {
  return {
    ...countsOf(split),
    service_tier: 'standard',
    inference_geo: body.inference_geo ?? 'not_available',
    ...(body.speed === undefined ? {} : { speed: body.speed }),
  };
}

/** An entry of `usage.iterations`: a compaction, or a sampling by a model. */
export function iterationOf(split: CacheSplit, outputTokens: number, model?: string): JsonObject {
  const kind = model === undefined ? { type: 'compaction' } : { type: 'message', model };
  return { ...kind, ...countsOf(split), output_tokens: outputTokens };
}

function countsOf(split: CacheSplit): JsonObject {
  return {
    input_tokens: split.inputTokens,
    cache_creation_input_tokens: split.write5mTokens + split.write1hTokens,
    cache_read_input_tokens: split.readTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: split.write5mTokens,
      ephemeral_1h_input_tokens: split.write1hTokens,
    },
  };
}

/** How often an answer used the provider's web tools; `undefined` when it did not. */
export function serverToolUse(blocks: readonly JsonObject[]): JsonObject | undefined {
  const count = (name: string) =>
    blocks.filter((block) => block.type === 'server_tool_use' && block.name === name).length;
  const searches = count('web_search');
  const fetches = count('web_fetch');
  if (searches + fetches === 0) return undefined;
  return { web_search_requests: searches, web_fetch_requests: fetches };
}
