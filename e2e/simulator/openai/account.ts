import { type LimitHit, limitOf } from '../limits.ts';
import type { World } from '../world.ts';
import type { OpenAiError } from './errors.ts';

type HeaderPair = readonly [string, string];

/** Limits that the headers show where none are set. */
const SHOWN_REQUESTS = 10_000;
const SHOWN_TOKENS = 2_000_000;

/** The headers of every answer that belong to the account, with what is left of the rate limits. */
export function openAiAccountHeaders(bucket: string, world: World): HeaderPair[] {
  const { rateLimits } = world.settings;
  const nowMs = world.clock.now();
  const requests = limitOf(rateLimits, 'requests') ?? SHOWN_REQUESTS;
  const tokens = limitOf(rateLimits, 'input-tokens') ?? SHOWN_TOKENS;
  const leftRequests = world.rates.left(bucket, rateLimits, 'requests', nowMs) ?? requests - 1;
  const leftTokens = world.rates.left(bucket, rateLimits, 'input-tokens', nowMs) ?? tokens - 1_000;
  return [
    ['openai-organization', 'org-simulator'],
    ['openai-processing-ms', '1'],
    ['openai-version', '2020-10-01'],
    ['x-ratelimit-limit-requests', String(requests)],
    ['x-ratelimit-limit-tokens', String(tokens)],
    ['x-ratelimit-remaining-requests', String(leftRequests)],
    ['x-ratelimit-remaining-tokens', String(leftTokens)],
    ['x-ratelimit-reset-requests', '6ms'],
    ['x-ratelimit-reset-tokens', '30ms'],
  ];
}

/** The refusal of a request above a limit, in the words that clients read the waiting time from. */
export function openAiRateRefusal(
  hit: LimitHit,
  model: string,
  world: World,
): { error: OpenAiError; headers: HeaderPair[] } {
  const isRequests = hit.kind === 'requests';
  const unit = isRequests ? 'requests per min (RPM)' : 'tokens per min (TPM)';
  const seconds = hit.retryMs / 1000;
  const message = `Rate limit reached for ${model} in organization org-simulator on ${unit}: Limit ${hit.limit}, Used ${hit.limit}, Requested 1. Please try again in ${seconds}s.`;
  const type = isRequests ? 'requests' : 'tokens';
  return {
    error: { status: 429, type, message, param: null, code: 'rate_limit_exceeded' },
    headers:
      world.settings.rateLimits.withoutRetryAfter === true
        ? []
        : [
            ['retry-after-ms', String(hit.retryMs)],
            ['retry-after', String(Math.max(1, Math.ceil(seconds)))],
          ],
  };
}
