import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bookCall } from '../../ledger/index.ts';
import { readAnswer as readMessage } from '../anthropic/answer.ts';
import { billedUsage } from '../anthropic/billed.ts';
import { readAnswer as readResponse } from '../openai/answer.ts';
import { billedResponse } from '../openai/billed.ts';

const count = fc.nat(1_000_000);
const event = (type: string, data: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
const read = (text: string) => readMessage(200, 'text/event-stream', Buffer.from(text));

describe('the Messages API', () => {
  test('is billed in buckets that are disjoint: together they are the prompt and the output that it told', () => {
    const told = fc.record({
      input: count,
      read: count,
      short: count,
      long: count,
      other: count,
      output: count,
      share: fc.nat(100),
    });
    fc.assert(
      fc.property(told, (one) => {
        const thinking = Math.floor((one.output * one.share) / 100);
        const billed = billedUsage({
          input_tokens: one.input,
          cache_read_input_tokens: one.read,
          cache_creation_input_tokens: one.short + one.long + one.other,
          cache_creation: { ephemeral_5m_input_tokens: one.short, ephemeral_1h_input_tokens: one.long },
          output_tokens: one.output,
          output_tokens_details: { thinking_tokens: thinking },
        });
        expect(billed?.samplings).toEqual([
          {
            model: null,
            input: one.input,
            read: one.read,
            write: one.short + one.other,
            writeLong: one.long,
            output: one.output - thinking,
            reasoning: thinking,
          },
        ]);
      }),
    );
  });

  test('counts the last cumulative numbers of a stream, and of a broken one what was told', () => {
    const start = event('message_start', {
      message: { id: 'm', usage: { input_tokens: 9, cache_read_input_tokens: 70, output_tokens: 1 } },
    });
    const delta = (output: number) =>
      event('message_delta', {
        delta: {},
        usage: { output_tokens: output, server_tool_use: { web_search_requests: 2 } },
      });
    expect(read(start).billed).toMatchObject({ samplings: [{ input: 9, read: 70, output: 1 }], searches: 0 });
    expect(read(start + delta(5) + delta(42)).billed).toMatchObject({
      samplings: [{ input: 9, read: 70, output: 42 }],
      searches: 2,
    });
    expect(read('').billed).toBeNull();
  });

  test('takes compactions, advisors and fallbacks by their own numbers and models', () => {
    const billed = billedUsage({
      input_tokens: 10,
      output_tokens: 20,
      output_tokens_details: { thinking_tokens: 4 },
      iterations: [
        { type: 'compaction', input_tokens: 150_000, output_tokens: 900 },
        { type: 'advisor_message', model: 'claude-opus-5', input_tokens: 50, output_tokens: 7 },
        { type: 'message', input_tokens: 10, output_tokens: 20 },
      ],
    });
    expect(
      billed?.samplings.map(({ model, input, output, reasoning }) => [model, input, output, reasoning]),
    ).toEqual([
      [null, 150_000, 900, 0],
      ['claude-opus-5', 50, 7, 0],
      [null, 10, 16, 4],
    ]);
  });

  test('names speed, region and batch', () => {
    const usage = { input_tokens: 1, output_tokens: 1 };
    expect(
      billedUsage({ ...usage, speed: 'fast', inference_geo: 'us', service_tier: 'batch' }),
    ).toMatchObject({
      speed: 'fast',
      regional: true,
      batch: true,
    });
    expect(
      billedUsage({ ...usage, speed: 'standard', inference_geo: 'not_available', service_tier: 'standard' }),
    ).toMatchObject({
      speed: null,
      regional: false,
      batch: false,
    });
  });
});

describe('the Responses API', () => {
  test('is billed in buckets that are disjoint, though it counts the cached ones into its input', () => {
    const told = fc.record({
      ordinary: count,
      read: count,
      short: count,
      long: count,
      output: count,
      share: fc.nat(100),
    });
    fc.assert(
      fc.property(told, (one) => {
        const reasoning = Math.floor((one.output * one.share) / 100);
        const billed = billedResponse({
          service_tier: 'default',
          usage: {
            input_tokens: one.ordinary + one.read + one.short + one.long,
            input_tokens_details: {
              cached_tokens: one.read,
              cache_write_tokens: one.short + one.long,
              cache_write_tokens_details: { ttl_30m_tokens: one.short, ttl_12h_tokens: one.long },
            },
            output_tokens: one.output,
            output_tokens_details: { reasoning_tokens: reasoning },
          },
        });
        expect(billed?.samplings).toEqual([
          {
            model: null,
            input: one.ordinary,
            read: one.read,
            write: one.short,
            writeLong: one.long,
            output: one.output - reasoning,
            reasoning,
          },
        ]);
      }),
    );
  });

  test('is priced at the tier that served it; without usage there is nothing to bill', () => {
    const usage = { input_tokens: 1_000_000, output_tokens: 0 };
    const amount = (tier: string) => {
      const billed = billedResponse({ service_tier: tier, usage });
      return billed === null
        ? null
        : bookCall({ model: 'gpt-5-mini', at: Date.UTC(2026, 10, 30), usage: billed, state: 'reported' })
            .amount;
    };
    expect([amount('default'), amount('flex'), amount('priority')]).toEqual([
      250_000_000n,
      125_000_000n,
      500_000_000n,
    ]);
    expect(amount('a-tier-of-theirs')).toBeNull();
    expect(billedResponse({})).toBeNull();
    expect(readResponse(200, 'text/event-stream', Buffer.from('')).billed).toBeNull();
  });
});
