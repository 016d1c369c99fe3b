import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anthropicAdapter } from '../anthropic/index.ts';
import { openaiAdapter } from '../openai/index.ts';
import { type Exchange, exchangesOf } from '../reading/testing/recorded.ts';
import {
  type Calibration,
  calibrated,
  estimateBytes,
  estimateSlices,
  inputTokens,
  type NextPrompt,
  outputTokens,
  promptTokens,
  startingCalibration,
} from './index.ts';

const NONE: NextPrompt = {
  lastInput: null,
  lastOutput: 0,
  newElements: 0,
  leftOut: 0,
  reasoningLeftOut: 0,
  reasoningKept: 0,
};
const plain: Calibration = { factor: 1, weight: 1 };

describe('the next prompt', () => {
  test('is what the provider counted, with the answer, what is new and what is gone', () => {
    const next = {
      ...NONE,
      lastInput: 10_000,
      lastOutput: 900,
      newElements: 400,
      leftOut: 300,
      reasoningLeftOut: 50,
    };
    expect(promptTokens(next, plain)).toBe(10_950);
    expect(promptTokens(next, { ...plain, factor: 0.5 })).toBe(10_900);
  });

  test('is the estimate of the whole where nothing was counted, kept reasoning as reported', () => {
    expect(promptTokens({ ...NONE, newElements: 400, reasoningKept: 90 }, { ...plain, factor: 0.5 })).toBe(
      290,
    );
  });

  test('is never below what is new, and grows with it', () => {
    const tokens = fc.nat({ max: 1_000_000 });
    const any = fc.record({
      lastInput: fc.option(tokens),
      lastOutput: tokens,
      newElements: tokens,
      leftOut: tokens,
      reasoningLeftOut: tokens,
      reasoningKept: tokens,
    });
    fc.assert(
      fc.property(any, tokens, (next, more) => {
        const told = promptTokens(next, plain);
        expect(told).toBeGreaterThanOrEqual(next.newElements);
        expect(promptTokens({ ...next, newElements: next.newElements + more }, plain)).toBe(told + more);
      }),
    );
  });

  test('is read from usage with all buckets of the cache, and reasoning in the output', () => {
    const usage = {
      input: 3,
      cacheRead: 1_000,
      cacheWrite5m: 20,
      cacheWrite1h: 100,
      cacheWriteOther: null,
      output: 40,
      reasoning: 60,
    };
    expect(inputTokens(usage)).toBe(1_123);
    expect(outputTokens(usage)).toBe(100);
    const silent = { ...usage, input: null, cacheRead: null, cacheWrite5m: null, cacheWrite1h: null };
    expect(inputTokens(silent)).toBeNull();
    expect(outputTokens({ ...silent, output: null, reasoning: null })).toBe(0);
    expect([inputTokens(null), outputTokens(null)]).toEqual([null, 0]);
  });
});

/** A generation of one thread and model, and what its prompt was counted as. */
interface Counted {
  readonly thread: string;
  readonly model: string;
  readonly body: Buffer;
  readonly elements: readonly { readonly start: number; readonly end: number }[];
  readonly input: number;
  readonly output: number;
  /** Elements as which the agent sends the answer again. */
  readonly echo: number;
}

function countedOf({ head, body, status, contentType, answer }: Exchange): Counted | null {
  const adapter = head.door === 'anthropic' ? anthropicAdapter : openaiAdapter;
  const request = adapter.routeOf(head) === 'generation' ? adapter.readRequest(head, body) : null;
  const read = adapter.readAnswer(status, contentType, answer);
  const input = inputTokens(read.usage);
  if (request === null || request.model === null || input === null) return null;
  const { kind, clientThreadId } = request.identity;
  return {
    thread: `${kind} ${clientThreadId} ${request.model}`,
    model: request.model,
    body,
    elements: request.elements,
    input,
    output: outputTokens(read.usage),
    echo: head.door === 'anthropic' ? 1 : read.messages.length,
  };
}

const RECORDED = 'e2e/clients/recorded';
/** Without those in which the provider was told to claim a full window, so that the agent compacts. */
const cases = readdirSync(RECORDED, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) => readdirSync(`${RECORDED}/${name}`).map((one) => `${name}/${one}`))
  .filter((name) => !name.endsWith('-compaction'));

describe.each(cases)('the recorded session %s', (name) => {
  const threads = new Map<string, Counted[]>();
  for (const counted of exchangesOf(name).flatMap((exchange) => countedOf(exchange) ?? [])) {
    threads.set(counted.thread, [...(threads.get(counted.thread) ?? []), counted]);
  }

  test('has prompts as large as told before they went out', () => {
    for (const rounds of threads.values()) {
      let state = startingCalibration(rounds[0]?.model ?? '');
      for (const [at, now] of rounds.entries()) {
        const last = rounds[at - 1];
        const estimated = estimateBytes(now.body);
        if (last !== undefined && now.elements.length > last.elements.length) {
          const added = now.elements.slice(last.elements.length + last.echo);
          const newElements = estimateSlices(now.body, added).reduce((sum, one) => sum + one, 0);
          const known = { ...NONE, lastInput: last.input, lastOutput: last.output, newElements };
          expect(promptTokens(known, state) / now.input).toBeGreaterThan(0.95);
          expect(promptTokens(known, state) / now.input).toBeLessThan(1.06);
        }
        const cold = promptTokens({ ...NONE, newElements: estimated }, state) / now.input;
        expect(cold).toBeGreaterThan(0.7);
        expect(cold).toBeLessThan(1.6);
        state = calibrated(state, { estimated, counted: now.input });
      }
    }
  });
});
