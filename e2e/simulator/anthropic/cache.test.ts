import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
import { PromptCache, positionsOf } from './cache.ts';

const RULE = { charactersPerToken: 1 };
const MINUTE_MS = 60_000;

type Marked = { readonly text: string; readonly mark?: '5m' | '1h' };

function body(blocks: readonly Marked[], changes: JsonObject = {}): JsonObject {
  const content = blocks.map(({ text, mark }) => ({
    type: 'text',
    text,
    ...(mark === undefined ? {} : { cache_control: { type: 'ephemeral', ttl: mark } }),
  }));
  return { messages: [{ role: 'user', content }], ...changes };
}

function ask(
  cache: PromptCache,
  asked: JsonObject,
  startMs: number,
  options: { minimum?: number; publish?: boolean } = {},
) {
  const positions = positionsOf(asked, 'scope', RULE);
  const total = positions.at(-1)?.tokens ?? 0;
  const { split, publish } = cache.use(positions, total, options.minimum ?? 1, startMs);
  if (options.publish !== false) publish();
  return split;
}

const TEN = 'x'.repeat(10);

describe('the prompt cache of the Messages API', () => {
  it('writes at a mark and reads there in the next request', () => {
    const cache = new PromptCache();
    expect(ask(cache, body([{ text: TEN, mark: '5m' }]), 0)).toEqual({
      inputTokens: 0,
      readTokens: 0,
      write5mTokens: 10,
      write1hTokens: 0,
    });
    const next = ask(cache, body([{ text: TEN }, { text: 'more', mark: '5m' }]), 1000);
    expect(next).toEqual({ inputTokens: 0, readTokens: 10, write5mTokens: 4, write1hTokens: 0 });
  });

  it('takes nothing from the cache and writes nothing without marks', () => {
    const cache = new PromptCache();
    ask(cache, body([{ text: TEN, mark: '5m' }]), 0);
    expect(ask(cache, body([{ text: TEN }]), 0)).toMatchObject({ inputTokens: 10, readTokens: 0 });
  });

  it('reads a string as the single text block that it stands for', () => {
    const cache = new PromptCache();
    ask(cache, body([{ text: TEN, mark: '5m' }]), 0);
    const messages = [
      { role: 'user', content: TEN },
      { role: 'assistant', content: 'yes' },
      { role: 'user', content: [{ type: 'text', text: 'go', cache_control: { type: 'ephemeral' } }] },
    ];
    expect(ask(cache, { messages }, 0).readTokens).toBe(10);
  });

  it('looks back over twenty positions, the mark’s own counted, and no further', () => {
    const filler = (count: number) => Array.from({ length: count }, () => ({ text: 'f' }));
    for (const [added, read] of [
      [19, 10],
      [20, 0],
    ] as const) {
      const cache = new PromptCache();
      ask(cache, body([{ text: TEN, mark: '5m' }]), 0);
      const blocks = [{ text: TEN }, ...filler(added - 1), { text: 'f', mark: '5m' as const }];
      expect(ask(cache, body(blocks), 0).readTokens).toBe(read);
    }
  });

  it('lets an entry live from the start of the request that wrote or read it', () => {
    const cache = new PromptCache();
    const asked = body([{ text: TEN, mark: '5m' }]);
    ask(cache, asked, 0);
    expect(ask(cache, asked, 5 * MINUTE_MS - 1).readTokens).toBe(10);
    expect(ask(cache, asked, 10 * MINUTE_MS - 2).readTokens).toBe(10);
    expect(ask(cache, asked, 15 * MINUTE_MS - 2).readTokens).toBe(0);
  });

  it('keeps an hour’s entry for an hour', () => {
    const cache = new PromptCache();
    const asked = body([{ text: TEN, mark: '1h' }]);
    expect(ask(cache, asked, 0)).toMatchObject({ write1hTokens: 10, write5mTokens: 0 });
    expect(ask(cache, asked, 60 * MINUTE_MS - 1).readTokens).toBe(10);
    expect(ask(cache, asked, 120 * MINUTE_MS).readTokens).toBe(0);
  });

  it('lets nobody read an entry before the answer that wrote it began', () => {
    const cache = new PromptCache();
    const asked = body([{ text: TEN, mark: '5m' }]);
    ask(cache, asked, 0, { publish: false });
    expect(ask(cache, asked, 1)).toMatchObject({ readTokens: 0, write5mTokens: 10 });
    expect(ask(cache, asked, 2).readTokens).toBe(10);
  });

  it('caches nothing below the minimum and says so by zeros', () => {
    const cache = new PromptCache();
    const asked = body([{ text: TEN, mark: '5m' }]);
    const expected = { inputTokens: 10, readTokens: 0, write5mTokens: 0, write1hTokens: 0 };
    expect(ask(cache, asked, 0, { minimum: 11 })).toEqual(expected);
    expect(ask(cache, asked, 1, { minimum: 11 })).toEqual(expected);
  });

  it('bills up to the last hour’s mark as an hour’s write and the rest as five minutes’', () => {
    const cache = new PromptCache();
    ask(cache, body([{ text: TEN, mark: '1h' }]), 0);
    const blocks = [
      { text: TEN, mark: '1h' as const },
      { text: 'abc', mark: '1h' as const },
      { text: 'de', mark: '5m' as const },
      { text: 'tail' },
    ];
    expect(ask(cache, body(blocks), 1)).toEqual({
      readTokens: 10,
      write1hTokens: 3,
      write5mTokens: 2,
      inputTokens: 4,
    });
  });

  it('is split by model, tools, thinking and effort, but not by marks or by the order of a block’s members', () => {
    const asked = body([{ text: TEN, mark: '5m' }], { tools: [{ name: 'a' }] });
    const last = (changed: JsonObject, scope = 'scope') => positionsOf(changed, scope, RULE).at(-1)?.hash;
    expect(last(asked)).not.toBe(last(asked, 'other model'));
    expect(last(asked)).not.toBe(last({ ...asked, tools: [{ name: 'b' }] }));
    expect(last(asked)).not.toBe(last({ ...asked, thinking: { type: 'adaptive' } }));
    expect(last(asked)).not.toBe(last({ ...asked, output_config: { effort: 'low' } }));
    const turned = {
      messages: [{ role: 'user', content: [{ text: TEN, type: 'text' }] }],
      tools: [{ name: 'a' }],
    };
    expect(last(asked)).toBe(last(turned));
  });

  it('is split by the order of members inside a call’s input', () => {
    const call = (input: JsonObject) => ({
      messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'n', input }] }],
    });
    const last = (changed: JsonObject) => positionsOf(changed, '', RULE).at(-1)?.hash;
    expect(last(call({ a: 1, b: 2 }))).not.toBe(last(call({ b: 2, a: 1 })));
  });

  it('leaves the agent’s attribution line out of the prefix', () => {
    const system = (line: string) => [
      { type: 'text', text: `x-anthropic-billing-header: ${line}` },
      { type: 'text', text: 'You are helpful.' },
    ];
    const last = (line: string) =>
      positionsOf({ ...body([{ text: 'a' }]), system: system(line) }, '', RULE).at(-1);
    expect(last('cc_version=1.abc')).toEqual(last('cc_version=1.def'));
  });

  it('always splits the whole prompt without rest, and never reads more than was written before', () => {
    const block = fc.record({
      text: fc.constantFrom('a', 'bb', 'ccc'),
      mark: fc.option(fc.constantFrom('5m', '1h'), { nil: undefined }),
    });
    const request = fc.record({
      blocks: fc.array(block, { minLength: 1, maxLength: 30 }),
      gapMs: fc.nat(20 * MINUTE_MS),
    });
    fc.assert(
      fc.property(fc.array(request, { maxLength: 12 }), (requests) => {
        const cache = new PromptCache();
        let nowMs = 0;
        let longest = 0;
        for (const { blocks, gapMs } of requests) {
          nowMs += gapMs;
          const asked = body(
            blocks.map(({ text, mark }) => (mark === undefined ? { text } : { text, mark })),
          );
          const total = positionsOf(asked, 'scope', RULE).at(-1)?.tokens ?? 0;
          const split = ask(cache, asked, nowMs);
          const parts = Object.values(split);
          expect(parts.reduce((sum, part) => sum + part, 0)).toBe(total);
          expect(parts.every((part) => part >= 0)).toBe(true);
          expect(split.readTokens).toBeLessThanOrEqual(longest);
          longest = Math.max(longest, total);
        }
      }),
    );
  });
});
