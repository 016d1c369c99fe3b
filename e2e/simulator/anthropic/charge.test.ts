import { describe, expect, it } from 'vitest';
import { chargeOf } from './charge.ts';
import { type AnthropicModel, findAnthropicModel, unknownAnthropicModel } from './models.ts';

const NOW_MS = Date.parse('2026-11-30T12:00:00Z');

function model(name: string): AnthropicModel {
  return findAnthropicModel(name) ?? unknownAnthropicModel(name);
}

const SPLIT = { inputTokens: 1000, readTokens: 10_000, write5mTokens: 100, write1hTokens: 10 };

describe('list prices of the Messages API', () => {
  it('are billed part by part in whole nano-dollars', () => {
    const charge = chargeOf(model('claude-opus-4-8'), [SPLIT], 50, {}, NOW_MS);
    expect(charge?.lines).toEqual([
      { part: 'input', tokens: 1000, nanoDollars: 1000 * 5000 },
      { part: 'cache_write_5m', tokens: 100, nanoDollars: 100 * 6250 },
      { part: 'cache_write_1h', tokens: 10, nanoDollars: 10 * 10_000 },
      { part: 'cache_read', tokens: 10_000, nanoDollars: 10_000 * 500 },
      { part: 'output', tokens: 50, nanoDollars: 50 * 25_000 },
    ]);
    expect(charge?.nanoDollars).toBe(5_000_000 + 625_000 + 100_000 + 5_000_000 + 1_250_000);
  });

  it('follow the day: Sonnet 5.5 reads cost half since 2026-10-07', () => {
    const read = (day: string) =>
      chargeOf(model('claude-sonnet-5-5'), [SPLIT], 0, {}, Date.parse(day))?.lines.find(
        (line) => line.part === 'cache_read',
      )?.nanoDollars;
    expect(read('2026-10-06T23:59:59Z')).toBe(10_000 * 200);
    expect(read('2026-10-07T00:00:00Z')).toBe(10_000 * 100);
  });

  it('step up for the whole request above 100,000 prompt tokens of Haiku 5.5, cache tokens counted', () => {
    const at = (readTokens: number) =>
      chargeOf(
        model('claude-haiku-5-5'),
        [{ inputTokens: 0, readTokens, write5mTokens: 0, write1hTokens: 0 }],
        10,
        {},
        NOW_MS,
      );
    expect(at(100_000)?.nanoDollars).toBe(100_000 * 10 + 10 * 500);
    expect(at(100_001)?.nanoDollars).toBe(100_001 * 50 + 10 * 2500);
  });

  it('are a tenth more for regional inference', () => {
    const plain = chargeOf(model('claude-opus-4-8'), [SPLIT], 50, {}, NOW_MS)?.nanoDollars ?? 0;
    const regional = chargeOf(
      model('claude-opus-4-8'),
      [SPLIT],
      50,
      { inference_geo: 'us' },
      NOW_MS,
    )?.nanoDollars;
    expect(regional).toBe((plain * 11) / 10);
  });

  it('are unknown for an unknown model, not zero', () => {
    expect(chargeOf(model('claude-next'), [SPLIT], 1, {}, NOW_MS)).toBeUndefined();
  });
});
