import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PromptCache, positionsOf } from '../../../e2e/simulator/anthropic/cache.ts';
import { findAnthropicModel } from '../../../e2e/simulator/anthropic/models.ts';
import type { Json, JsonObject } from '../../../e2e/simulator/json.ts';
import { cacheWishOf } from '../../../e2e/simulator/openai/breakpoints.ts';
import { InputCache, inputPositions } from '../../../e2e/simulator/openai/cache.ts';
import { findOpenAiModel } from '../../../e2e/simulator/openai/models.ts';
import { tokensOfLength, unitsOf } from '../../../e2e/simulator/tokens.ts';
import { type CacheEntry, placesLookedAt, takePrompt } from '../../ledger/index.ts';
import { createPromptReader } from './bodies.ts';

const RULE = { charactersPerToken: 4 };
const KEY = Buffer.alloc(32, 1);
const reader = createPromptReader((block) => tokensOfLength(unitsOf(block as Json), RULE));

/** One cache of ours and what it was asked, request by request; only the places that it says it looks at are given. */
class OurCache {
  readonly #entries = new Map<string, CacheEntry>();

  split(protocol: 'anthropic' | 'openai', body: JsonObject, at: number, answeredAt: number) {
    const model = String(body.model);
    const prompt = reader.read(protocol, model, KEY, Buffer.from(JSON.stringify(body)));
    if (prompt === null) throw new Error('A body of the test could not be read.');
    const looked = new Map(
      placesLookedAt(prompt).flatMap((place) => {
        const entry = this.#entries.get(place);
        return entry === undefined ? [] : [[place, entry] as const];
      }),
    );
    const used = takePrompt(prompt, { entries: looked, at, answeredAt });
    for (const [place, entry] of used.entries) this.#entries.set(place, entry);
    return used.split;
  }
}

const size = fc.integer({ min: 1, max: 9_000 });
/** A step of a conversation: how much is said, where marks stand, how long it takes. */
const step = fc.record({
  said: fc.array(size, { minLength: 1, maxLength: 14 }),
  answer: size,
  long: fc.boolean(),
  markLast: fc.boolean(),
  markFirst: fc.boolean(),
  rewinds: fc.constantFrom(0, 0, 0, 2),
  changes: fc.constantFrom('none', 'none', 'none', 'none', 'effort', 'tools', 'image'),
  waitMs: fc.constantFrom(1_000, 60_000, 240_000, 301_000, 1_801_000, 3_700_000),
});

const text = (index: number, length: number) => `${index} `.repeat(length).slice(0, length);
const mark = (long: boolean) => ({ cache_control: { type: 'ephemeral', ...(long ? { ttl: '1h' } : {}) } });

test('prompts of the Messages API are split as the simulated provider splits them, whatever marks, waits and rewinds', () => {
  const models = [
    'claude-opus-5',
    'claude-sonnet-5',
    'claude-opus-4-6',
    'claude-haiku-5-5',
    'claude-sonnet-4-5',
    'claude-haiku-4-5',
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...models),
      size,
      fc.array(step, { minLength: 2, maxLength: 9 }),
      (model, tools, steps) => {
        const theirs = new PromptCache();
        const ours = new OurCache();
        const minimum = findAnthropicModel(model)?.cacheMinimumTokens ?? 0;
        let now = 1_000_000;
        let effort = 'low';
        let extra = 0;
        let messages: JsonObject[] = [];
        for (const [index, one] of steps.entries()) {
          now += one.waitMs;
          messages = messages.slice(0, messages.length - one.rewinds);
          if (messages.at(-1)?.role === 'user') messages = messages.slice(0, -1);
          if (one.changes === 'effort') effort = effort === 'low' ? 'high' : 'low';
          if (one.changes === 'tools') extra += 1;
          const blocks: JsonObject[] = one.said.map((length, at) => ({
            type: 'text',
            text: text(index * 20 + at, length),
          }));
          if (one.changes === 'image')
            blocks.push({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } });
          messages = [...messages, { role: 'user', content: blocks }];
          const marked = messages.map((message, at): JsonObject => {
            const content = message.content as JsonObject[];
            const isMarked =
              (one.markLast && at === messages.length - 1) ||
              (one.markFirst && at === 0 && messages.length > 1);
            if (!isMarked) return message;
            const last = content.at(-1) ?? {};
            return { ...message, content: [...content.slice(0, -1), { ...last, ...mark(one.long) }] };
          });
          const body: JsonObject = {
            model,
            tools: [
              { name: 'Read', description: text(0, tools), input_schema: { type: 'object' } },
              ...Array.from({ length: extra }, (_none, n) => ({ name: `Tool${n}`, input_schema: {} })),
            ],
            system: [{ type: 'text', text: text(1, 4_000), ...mark(true) }],
            output_config: { effort },
            messages: marked,
          };
          const positions = positionsOf(body, model, RULE);
          const used = theirs.use(positions, positions.at(-1)?.tokens ?? 0, minimum, now);
          used.publish();
          expect(ours.split('anthropic', body, now, now)).toEqual({
            input: used.split.inputTokens,
            read: used.split.readTokens,
            write: used.split.write5mTokens,
            writeLong: used.split.write1hTokens,
          });
          messages = [
            ...messages,
            { role: 'assistant', content: [{ type: 'text', text: text(index, one.answer) }] },
          ];
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('prompts of the Responses API are split as the simulated provider splits them, of models that charge for writes and others', () => {
  const models = ['gpt-6-sol', 'gpt-6.2-sol', 'gpt-5.6-luna', 'gpt-5.4', 'gpt-5.2'];
  fc.assert(
    fc.property(
      fc.constantFrom(...models),
      size,
      fc.array(step, { minLength: 2, maxLength: 9 }),
      (name, instructions, steps) => {
        const theirs = new InputCache();
        const ours = new OurCache();
        const model = findOpenAiModel(name);
        if (model === undefined) throw new Error(`${name} is not simulated.`);
        const charges = model.price?.write !== undefined;
        let now = 1_000_000;
        let effort = 'low';
        let extra = 0;
        let input: JsonObject[] = [];
        for (const [index, one] of steps.entries()) {
          now += one.waitMs;
          input = input.slice(0, input.length - one.rewinds);
          if (one.changes === 'effort') effort = effort === 'low' ? 'high' : 'low';
          if (one.changes === 'tools') extra += 1;
          const parts = one.said.map((length, at): JsonObject => {
            const marks =
              charges && ((one.markFirst && at === 0) || (one.markLast && at === one.said.length - 1));
            const point = marks
              ? { prompt_cache_breakpoint: { mode: 'explicit', ttl: one.long ? '12h' : '30m' } }
              : {};
            return { type: 'input_text', text: text(index * 20 + at, length), ...point };
          });
          input = [...input, { type: 'message', role: 'user', content: parts }];
          const body: JsonObject = {
            model: name,
            instructions: text(1, instructions),
            tools: Array.from({ length: 1 + extra }, (_none, n) => ({
              type: 'function',
              name: `tool${n}`,
              parameters: {},
            })),
            reasoning: { effort },
            input,
            prompt_cache_key: 'key',
            ...(charges && one.changes === 'image' ? { prompt_cache_options: { mode: 'explicit' } } : {}),
          };
          const positions = inputPositions(body, name, RULE, { instructionsLast: model.instructionsLast });
          const used = theirs.use(positions, {
            model,
            wish: cacheWishOf(body),
            nowMs: now,
            inSteps: true,
            minimumTokens: model.cacheMinimumTokens,
          });
          used.publish();
          const { totalTokens, cachedTokens, writtenTokens, written12hTokens } = used.split;
          expect(ours.split('openai', body, now, now)).toEqual({
            read: cachedTokens,
            writeLong: written12hTokens,
            write: writtenTokens - written12hTokens,
            input: totalTokens - cachedTokens - writtenTokens,
          });
          input = [
            ...input,
            {
              type: 'message',
              role: 'assistant',
              content: [{ type: 'output_text', text: text(index, one.answer) }],
            },
          ];
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('what is being written can be read once the answer has begun, and not before', () => {
  const ours = new OurCache();
  const body: JsonObject = {
    model: 'claude-opus-5',
    messages: [{ role: 'user', content: [{ type: 'text', text: text(1, 8_000), ...mark(false) }] }],
  };
  const all = { input: 0, writeLong: 0 };
  expect(ours.split('anthropic', body, 1_000, 3_000)).toEqual({ ...all, read: 0, write: 2_000 });
  expect(ours.split('anthropic', body, 2_999, 4_000)).toEqual({ ...all, read: 0, write: 2_000 });
  expect(ours.split('anthropic', body, 3_000, 4_000)).toEqual({ ...all, read: 2_000, write: 0 });
});
