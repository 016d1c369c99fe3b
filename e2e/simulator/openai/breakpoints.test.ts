import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
import { asObject } from '../json.ts';
import { judgeOpenai } from '../judge.ts';
import { startSimulator } from '../simulator.ts';
import { postResponses, responsesBody, userItem } from '../testing.ts';
import { cacheWishOf } from './breakpoints.ts';
import { InputCache, inputPositions } from './cache.ts';
import { findOpenAiModel, type OpenAiModel, unknownOpenAiModel } from './models.ts';

const RULE = { charactersPerToken: 1 };
const HOUR_MS = 3_600_000;
const LONG = 'x'.repeat(1_500);

const part = (text: string, ttl?: string): JsonObject => ({
  type: 'input_text',
  text,
  ...(ttl === undefined
    ? {}
    : { prompt_cache_breakpoint: { mode: 'explicit', ...(ttl === '' ? {} : { ttl }) } }),
});
const user = (...content: JsonObject[]): JsonObject => ({ role: 'user', content });

function model(name: string): OpenAiModel {
  return findOpenAiModel(name) ?? unknownOpenAiModel(name);
}

function ask(cache: InputCache, body: JsonObject, nowMs: number, name = 'gpt-6.2-sol') {
  const { split, publish } = cache.use(inputPositions(body, name, RULE), {
    model: model(name),
    wish: cacheWishOf(body),
    nowMs,
    inSteps: false,
    minimumTokens: 1_024,
  });
  publish();
  return split;
}

const explicit = { prompt_cache_options: { mode: 'explicit' } };

describe('explicit breakpoints of the Responses API', () => {
  it('write inside an item, and are found when what follows them changes', () => {
    const cache = new InputCache();
    ask(cache, { input: [user(part(LONG, ''), part('one'))], ...explicit }, 0);
    const next = ask(cache, { input: [user(part(LONG, ''), part('two'))], ...explicit }, 1);
    expect(next.cachedTokens).toBeGreaterThan(1_500);
    expect(next.writtenTokens).toBe(0);
  });

  it('are found without their mark at an item’s end', () => {
    const cache = new InputCache();
    ask(cache, { input: [user(part(LONG, ''))], ...explicit }, 0);
    expect(ask(cache, { input: [user(part(LONG)), user(part('b'))] }, 1).cachedTokens).toBeGreaterThan(1_500);
  });

  it('alone use no cache when there are none', () => {
    const cache = new InputCache();
    ask(cache, { input: [user(part(LONG))] }, 0);
    expect(ask(cache, { input: [user(part(LONG))], ...explicit }, 1)).toMatchObject({
      cachedTokens: 0,
      writtenTokens: 0,
    });
  });

  it('are written at the latest four, or the latest three beside the implicit one', () => {
    const parts = Array.from({ length: 5 }, (_none, at) => part(`${at}${LONG}`, ''));
    const found = (options: JsonObject, count: number) => {
      const cache = new InputCache();
      ask(cache, { input: [user(...parts), user(part('end'))], ...options }, 0);
      const head = { input: [user(...parts.slice(0, count))], ...options };
      return ask(cache, head, 1).cachedTokens > 0;
    };
    expect([1, 2, 3].map((count) => found(explicit, count))).toEqual([false, true, true]);
    expect([1, 2, 3].map((count) => found({}, count))).toEqual([false, false, true]);
  });

  it('live for half an hour or twelve, each by its own mark or the request’s', () => {
    const cache = new InputCache();
    const options = { prompt_cache_options: { mode: 'explicit', ttl: '12h' } };
    const body = { input: [user(part(LONG, ''), part(LONG, '30m'))], ...options };
    const split = ask(cache, body, 0);
    expect(split.written12hTokens).toBeGreaterThan(1_500);
    expect(split.writtenTokens - split.written12hTokens).toBeGreaterThan(1_400);
    const later = ask(cache, body, 2 * HOUR_MS);
    expect(later.cachedTokens).toBe(split.written12hTokens);
    expect(ask(cache, body, 15 * HOUR_MS).cachedTokens).toBe(0);
  });

  it('cost two and a half times the input for twelve hours, and usage tells both', async () => {
    const simulator = await startSimulator();
    const body = responsesBody({
      model: 'gpt-6.2-sol',
      input: [user(part('x'.repeat(8_000)))],
      prompt_cache_options: { ttl: '12h' },
    });
    const { json } = await postResponses(simulator, body);
    const details = asObject(asObject(json.usage)?.input_tokens_details);
    expect(details?.cache_write_tokens_details).toEqual({
      ttl_30m_tokens: 0,
      ttl_12h_tokens: details?.cache_write_tokens,
    });
    const line = simulator.requests.entries
      .at(-1)
      ?.charge?.lines.find((one) => one.part === 'cache_write_12h');
    expect(line?.nanoDollars).toBe(Number(details?.cache_write_tokens) * 5_000);
    await simulator.stop();
  });

  it('are refused on older models, on other blocks, and with other words', () => {
    const marked = (type: string, role: string) => [
      { role, content: [{ type, text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } }] },
    ];
    const old = responsesBody({ model: 'gpt-5.5', input: marked('input_text', 'user') });
    expect(judgeOpenai(old)).toMatchObject({
      param: 'input[0].content[0].prompt_cache_breakpoint',
      code: 'unsupported_parameter',
    });
    const answer = responsesBody({ model: 'gpt-6.2-sol', input: marked('output_text', 'assistant') });
    expect(judgeOpenai(answer)?.message).toContain("not supported on 'output_text' blocks");
    const model = 'gpt-6.2-sol';
    expect(judgeOpenai(responsesBody({ model, input: marked('input_text', 'user') }))).toBeNull();
    expect(judgeOpenai(responsesBody({ model, prompt_cache_options: { ttl: '1h' } }))).toMatchObject({
      param: 'prompt_cache_options.ttl',
    });
    const options = responsesBody({ model: 'gpt-5.5', prompt_cache_options: {} });
    expect(judgeOpenai(options)).toMatchObject({ param: 'prompt_cache_options' });
  });
});

describe('the implicit cache', () => {
  it('keeps a day on older models that ask for it', () => {
    const cache = new InputCache();
    const body = { input: [user(part(LONG))], prompt_cache_retention: '24h' };
    ask(cache, body, 0, 'gpt-5.1');
    expect(ask(cache, body, 23 * HOUR_MS, 'gpt-5.1').cachedTokens).toBeGreaterThan(0);
  });

  it('holds instructions before the input, and behind it on GPT-6.2', async () => {
    const simulator = await startSimulator();
    const cached = async (name: string) => {
      const input = [userItem('x'.repeat(8_000))];
      const send = (instructions: string) =>
        postResponses(simulator, responsesBody({ model: name, input, instructions, prompt_cache_key: name }));
      await send('one');
      const { json } = await send('two');
      return Number(asObject(asObject(json.usage)?.input_tokens_details)?.cached_tokens);
    };
    expect(await cached('gpt-6-sol')).toBe(0);
    // The breakpoint is the request's end, which the instructions are part of.
    expect(await cached('gpt-6.2-sol')).toBe(0);
    const items = (name: string) =>
      inputPositions({ input: [user(part('a'))], instructions: 'i' }, name, RULE, {
        instructionsLast: model(name).instructionsLast,
      }).map((position) => position.tokens);
    expect(items('gpt-6.2-sol')[0]).not.toBe(items('gpt-6-sol')[0]);
    await simulator.stop();
  });

  it('needs its key, and on older models 2,048 tokens, where the switches say so', async () => {
    const simulator = await startSimulator();
    const cached = async (changes: JsonObject) => {
      const body = responsesBody({ input: [userItem('x'.repeat(6_000))], ...changes });
      await postResponses(simulator, body);
      const { json } = await postResponses(simulator, body);
      return Number(asObject(asObject(json.usage)?.input_tokens_details)?.cached_tokens) > 0;
    };
    expect(await cached({})).toBe(true);
    simulator.reset();
    simulator.settings.rules = {
      ...simulator.settings.rules,
      'openai.cache-needs-key': true,
      'openai.old-cache-minimum-2048': true,
    };
    expect(await cached({ model: 'gpt-6.2-sol' })).toBe(false);
    expect(await cached({ model: 'gpt-6.2-sol', prompt_cache_key: 'k' })).toBe(true);
    expect(await cached({ model: 'gpt-5.5', prompt_cache_key: 'k' })).toBe(false);
    await simulator.stop();
  });
});
