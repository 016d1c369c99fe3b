import { asObject, asObjects, asString, type JsonObject } from '../json.ts';
import { invalidInput, type OpenAiError } from './errors.ts';
import type { OpenAiModel } from './models.ts';

/** Lifetime of a cached prefix. */
export type CacheTtl = '30m' | '12h';

/** Content parts that may carry a breakpoint. */
const MARKED_PARTS: ReadonlySet<string> = new Set(['input_text', 'input_image', 'input_file']);

/** What a request wants of the prompt cache. */
export type CacheWish = {
  /** `implicit` writes at the request's end too. */
  readonly mode: 'implicit' | 'explicit';
  readonly ttl: CacheTtl;
  /** The older models' longest retention. */
  readonly keepsDay: boolean;
};

/** Reads `prompt_cache_options` and `prompt_cache_retention`. */
export function cacheWishOf(body: JsonObject): CacheWish {
  const options = asObject(body.prompt_cache_options);
  return {
    mode: options?.mode === 'explicit' ? 'explicit' : 'implicit',
    ttl: options?.ttl === '12h' ? '12h' : '30m',
    keepsDay: body.prompt_cache_retention === '24h',
  };
}

/** The lifetime that a content part's breakpoint asks for; `undefined` where it has none. */
export function breakpointOf(part: JsonObject, wish: CacheWish): CacheTtl | undefined {
  const mark = asObject(part.prompt_cache_breakpoint);
  if (mark === undefined) return undefined;
  return mark.ttl === '12h' ? '12h' : mark.ttl === '30m' ? '30m' : wish.ttl;
}

/** Breakpoints and cache options that a model or a block does not take. */
export function breakpointError(
  body: JsonObject,
  items: readonly JsonObject[],
  model: OpenAiModel,
): OpenAiError | undefined {
  const takes = model.price === undefined || model.price.write !== undefined;
  if ((body.prompt_cache_options ?? null) !== null && !takes) {
    return unsupported('prompt_cache_options', 'with this model');
  }
  const { mode, ttl } = asObject(body.prompt_cache_options) ?? {};
  const wrong =
    (mode ?? 'implicit') !== 'implicit' && mode !== 'explicit'
      ? 'mode'
      : (ttl ?? '30m') !== '30m' && ttl !== '12h'
        ? 'ttl'
        : undefined;
  if (wrong !== undefined) {
    const words = wrong === 'mode' ? "'implicit' and 'explicit'" : "'30m' and '12h'";
    const value = asString(asObject(body.prompt_cache_options)?.[wrong]) ?? '';
    return invalidInput(
      `Invalid value: '${value}'. Supported values are: ${words}.`,
      `prompt_cache_options.${wrong}`,
      'invalid_value',
    );
  }
  for (const [index, item] of items.entries()) {
    for (const [at, part] of [...asObjects(item.content), ...asObjects(item.output)].entries()) {
      if ((part.prompt_cache_breakpoint ?? null) === null) continue;
      const param = `input[${index}].content[${at}].prompt_cache_breakpoint`;
      if (!takes) return unsupported(param, 'with this model');
      if (!MARKED_PARTS.has(asString(part.type) ?? ''))
        return unsupported(param, `on '${asString(part.type) ?? ''}' blocks`);
    }
  }
  return undefined;
}

function unsupported(param: string, where: string): OpenAiError {
  return invalidInput(
    `Unsupported parameter: '${param}' is not supported ${where}.`,
    param,
    'unsupported_parameter',
  );
}
