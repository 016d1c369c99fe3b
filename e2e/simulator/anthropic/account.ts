import { type LimitHit, type LimitKind, limitOf } from '../limits.ts';
import type { World } from '../world.ts';
import type { AnthropicError } from './errors.ts';

type HeaderPair = readonly [string, string];

/** Limits that the headers show where none are set. */
const SHOWN = { requests: 4_000, 'input-tokens': 2_000_000, 'output-tokens': 400_000 } as const;

/** The headers of every answer that belong to the account: ids, and what is left of the rate limits. */
export function accountHeaders(requestId: string, bucket: string, world: World): HeaderPair[] {
  const nowMs = world.clock.now();
  const { rateLimits } = world.settings;
  const reset = new Date(Math.ceil(nowMs / 60_000) * 60_000).toISOString();
  const limits = (Object.keys(SHOWN) as LimitKind[]).flatMap((kind): HeaderPair[] => {
    const limit = limitOf(rateLimits, kind) ?? SHOWN[kind];
    const left =
      world.rates.left(bucket, rateLimits, kind, nowMs) ?? limit - (kind === 'requests' ? 1 : 1_000);
    // Tokens are told in thousands.
    const shown = kind === 'requests' ? left : Math.floor(left / 1_000) * 1_000;
    return limitHeaders(kind, limit, shown, reset);
  });
  const input = limits.filter(([name]) => name.includes('-input-tokens-'));
  const all = input.map(([name, value]): HeaderPair => [name.replace('-input-tokens-', '-tokens-'), value]);
  return [
    ['request-id', requestId],
    ['anthropic-organization-id', '00000000-0000-4000-8000-000000000001'],
    ['anthropic-workspace-id', 'wrkspc_01Simulator'],
    ...limits,
    ...all,
  ];
}

function limitHeaders(kind: LimitKind, limit: number, left: number, reset: string): HeaderPair[] {
  return [
    [`anthropic-ratelimit-${kind}-limit`, String(limit)],
    [`anthropic-ratelimit-${kind}-remaining`, String(left)],
    [`anthropic-ratelimit-${kind}-reset`, reset],
  ];
}

/** The refusal of a request above a limit, and its headers. */
export function rateRefusal(hit: LimitHit, world: World): { error: AnthropicError; headers: HeaderPair[] } {
  const unit = hit.kind === 'requests' ? 'requests' : hit.kind.replace('-', ' ');
  const message = `This request would exceed your organization's rate limit of ${hit.limit} ${unit} per minute.`;
  const seconds = Math.max(1, Math.ceil(hit.retryMs / 1000));
  return {
    error: { status: 429, type: 'rate_limit_error', message },
    headers: world.settings.rateLimits.withoutRetryAfter === true ? [] : [['retry-after', String(seconds)]],
  };
}
