import { fieldNamed, fieldsOf, type Scan, stringIn } from '../../conversation/index.ts';
import { messagesLifetime } from './cache-marks.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * How long the provider keeps the prompt of a request that was just read or written, in milliseconds: what the client's own
 * markers and settings ask for, else what the vendor documents (providers.md 2.1 and 3.6).
 */
export function cacheLifetimeOf(
  protocol: 'anthropic' | 'openai',
  body: Uint8Array,
  scan: Scan,
  model: string | null,
): number {
  return protocol === 'anthropic' ? messagesLifetime(body, scan) : responsesLifetime(body, scan, model);
}

/** By what a request asks for. */
const ASKED: ReadonlyMap<string | null, number> = new Map([
  ['30m', 30 * MINUTE_MS],
  ['12h', 12 * HOUR_MS],
  ['24h', 24 * HOUR_MS],
  ['in_memory', 10 * MINUTE_MS],
]);

/**
 * From GPT-5.6 on prompts are kept for at least 30 minutes; earlier models keep them for five to ten minutes without use.
 * A model whose version is not in its name is taken for a new one.
 */
function responsesLifetime(body: Uint8Array, scan: Scan, model: string | null): number {
  const asked = (name: string, member: string | null): number | undefined => {
    const field = fieldNamed(scan, name);
    if (field === null) return undefined;
    const value = body.subarray(field.value.start, field.value.end);
    const slice = member === null ? { start: 0, end: value.length } : fieldsOf(value).get(member);
    return ASKED.get(stringIn(value, slice));
  };
  const version = /^gpt-(\d+)(?:\.(\d+))?(?:-|$)/.exec(model ?? '');
  const [major, minor] = [Number(version?.[1] ?? Number.POSITIVE_INFINITY), Number(version?.[2] ?? 0)];
  const documented = (major > 5 || (major === 5 && minor >= 6) ? 30 : 10) * MINUTE_MS;
  return asked('prompt_cache_options', 'ttl') ?? asked('prompt_cache_retention', null) ?? documented;
}
