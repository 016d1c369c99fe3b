import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
import { InputCache, inputPositions } from './cache.ts';
import { chargeOfResponse } from './charge.ts';
import { findOpenAiModel, type OpenAiModel, unknownOpenAiModel } from './models.ts';

const RULE = { charactersPerToken: 1 };

function model(name: string): OpenAiModel {
  return findOpenAiModel(name) ?? unknownOpenAiModel(name);
}

function ask(
  cache: InputCache,
  texts: readonly string[],
  nowMs: number,
  name = 'gpt-6.2-sol',
  inSteps = false,
) {
  const input: JsonObject[] = texts.map((content, index) => ({
    id: `msg_${index}_${nowMs}`,
    role: 'user',
    content,
  }));
  const positions = inputPositions({ input }, name, RULE);
  const { split, publish } = cache.use(positions, {
    model: model(name),
    wish: { mode: 'implicit', ttl: '30m', keepsDay: false },
    nowMs,
    inSteps,
    minimumTokens: 1_024,
  });
  publish();
  return split;
}

const LONG = 'x'.repeat(1996);

describe('the prompt cache of the Responses API', () => {
  it('writes the whole input and reads it as the prefix of the next, whatever the items’ ids', () => {
    const cache = new InputCache();
    const first = ask(cache, [LONG], 0);
    expect(first).toMatchObject({ cachedTokens: 0, writtenTokens: first.totalTokens });
    const second = ask(cache, [LONG, 'more'], 1);
    expect(second).toMatchObject({
      cachedTokens: first.totalTokens,
      writtenTokens: second.totalTokens - first.totalTokens,
    });
  });

  it('reads nothing after an edit before it', () => {
    const cache = new InputCache();
    ask(cache, ['a', LONG], 0);
    expect(ask(cache, ['b', LONG], 1).cachedTokens).toBe(0);
  });

  it('caches nothing below the minimum', () => {
    const cache = new InputCache();
    ask(cache, ['short'], 0);
    expect(ask(cache, ['short'], 1)).toMatchObject({
      cachedTokens: 0,
      writtenTokens: 0,
      written12hTokens: 0,
    });
  });

  it('lives thirty minutes after its last use', () => {
    const cache = new InputCache();
    ask(cache, [LONG], 0);
    expect(ask(cache, [LONG], 29 * 60_000).cachedTokens).toBeGreaterThan(0);
    expect(ask(cache, [LONG], 58 * 60_000).cachedTokens).toBeGreaterThan(0);
    expect(ask(cache, [LONG], 90 * 60_000).cachedTokens).toBe(0);
  });

  it('counts no writes on models that do not charge for them', () => {
    expect(ask(new InputCache(), [LONG], 0, 'gpt-5.5').writtenTokens).toBe(0);
  });

  it('rounds down to 128 where the rule is on', () => {
    const cache = new InputCache();
    ask(cache, [LONG], 0);
    const { cachedTokens } = ask(cache, [LONG], 1, 'gpt-6.2-sol', true);
    expect(cachedTokens % 128).toBe(0);
    expect(cachedTokens).toBeGreaterThan(1800);
  });
});

describe('list prices of the Responses API', () => {
  it('add up in whole nano-dollars', () => {
    const split = {
      totalTokens: 1_000_000 / 10,
      cachedTokens: 40_000,
      writtenTokens: 10_000,
      written12hTokens: 0,
    };
    const charge = chargeOfResponse(model('gpt-6.2-sol'), split, 1000, undefined);
    // 50,000 at 2 USD per million, 40,000 at 0.10, 10,000 at 2.50, 1,000 out at 10.
    expect(charge?.nanoDollars).toBe(100_000_000 + 4_000_000 + 25_000_000 + 10_000_000);
  });

  it('double on input and grow by half on output above 272,000 input tokens', () => {
    const split = { totalTokens: 272_001, cachedTokens: 0, writtenTokens: 0, written12hTokens: 0 };
    const charge = chargeOfResponse(model('gpt-6.2-sol'), split, 1000, undefined);
    expect(charge?.nanoDollars).toBe(272_001 * 4000 + 1000 * 15_000);
  });

  it('are unknown for an unknown model, not zero', () => {
    const split = { totalTokens: 10, cachedTokens: 0, writtenTokens: 0, written12hTokens: 0 };
    expect(chargeOfResponse(model('gpt-new'), split, 1, undefined)).toBeUndefined();
  });
});
