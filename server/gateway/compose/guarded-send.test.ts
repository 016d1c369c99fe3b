import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { manualClock } from '../../kernel/clock.ts';
import { sendHidden } from '../hidden/hidden-call.ts';
import type { Timers } from '../keep-alive.ts';
import { hiddenResponses } from '../openai/hidden-stream.ts';
import { wholeResponses } from '../openai/hidden-whole.ts';
import type { Refusal } from '../refused/index.ts';
import { manualTimers } from '../testing/timers.ts';
import type { AnswerHandler, UpstreamCall, UpstreamRequest } from '../upstream.ts';
import { type Guard, type RefusedAnswer, sendGuarded } from './guarded-send.ts';

const JSON_TYPE = ['Content-Type', 'application/json', 'Request-Id', 'req_1'];
const STREAM = ['Content-Type', 'text/event-stream; charset=utf-8'];
const TOO_LONG = JSON.stringify({
  type: 'error',
  error: { type: 'invalid_request_error', message: 'prompt is too long: 300000 tokens > 200000 maximum' },
});

const said = (type: string, data: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
const BEGIN = said('response.created', { response: { id: 'resp_1' } }) + said('response.in_progress');
const FAILED = said('response.failed', {
  response: { error: { code: 'context_length_exceeded', message: 'x' } },
});
const DELTA = said('response.output_text.delta', { output_index: 0, delta: 'hi' });

const request = (body: string): UpstreamRequest => ({
  door: 'openai',
  method: 'POST',
  path: '/v1/responses',
  headers: [],
  body: Buffer.from(body),
});

type Send = (
  upstreams: Parameters<typeof sendGuarded>[0],
  handler: AnswerHandler,
  guard: Guard,
  timers: Timers,
) => UpstreamCall;

/** Upstreams that a test answers by hand, and what reached the client and the judge. */
function setUp(
  answers: readonly (string | null)[],
  protocol: Guard['protocol'] = 'openai',
  through: Send = (upstreams, handler, guard, timers) =>
    sendGuarded(upstreams, request('first'), guard, handler, timers),
) {
  const clock = manualClock(0);
  const timers = manualTimers(clock);
  const sent: { body: string; handler: AnswerHandler; log: string[] }[] = [];
  const judged: { refusal: Refusal; answer: RefusedAnswer }[] = [];
  const seen: string[] = [];
  const body: Buffer[] = [];
  const guard: Guard = {
    protocol,
    judge: async (refusal, answer) => {
      judged.push({ refusal, answer });
      const next = answers[judged.length - 1];
      if (next === undefined) throw new Error('no more');
      return next === null ? null : request(next);
    },
  };
  const upstreams = {
    send: (one: UpstreamRequest, handler: AnswerHandler) => {
      const log: string[] = [];
      sent.push({ body: one.body.toString(), handler, log });
      return {
        pause: () => void log.push('pause'),
        resume: () => void log.push('resume'),
        abort: () => void log.push('abort'),
      };
    },
  };
  const client: AnswerHandler = {
    onHead: (status, _reason, headers) => seen.push(`head ${status} ${headers.join(' ')}`),
    onBytes: (bytes) => void body.push(bytes),
    onEnd: () => seen.push('end'),
    onFault: ({ code }) => seen.push(`fault ${code}`),
  };
  const call = through(upstreams, client, guard, timers);
  return {
    sent,
    judged,
    seen,
    call,
    timers,
    bytes: () => Buffer.concat(body),
    client: () => Buffer.concat(body).toString(),
    settled: () => new Promise(setImmediate),
    /** Answers a call: head, the pieces of its body, and its end unless told otherwise. */
    answer: (index: number, status: number, headers: string[], pieces: readonly string[], ends = true) => {
      const handler = sent[index]?.handler;
      handler?.onHead(status, 'X', headers);
      for (const piece of pieces) handler?.onBytes(Buffer.from(piece));
      if (ends) handler?.onEnd();
    },
  };
}

describe('an answer that is no refusal', () => {
  test('passes as it comes, whatever its status', () => {
    for (const [status, headers] of [
      [200, JSON_TYPE],
      [429, JSON_TYPE],
      [500, JSON_TYPE],
      [404, JSON_TYPE],
    ] as const) {
      const { seen, client, judged, answer } = setUp([]);
      answer(0, status, [...headers], ['a', 'b'], false);
      expect([client(), seen]).toEqual(['ab', [`head ${status} ${headers.join(' ')}`]]);
      expect(judged).toEqual([]);
    }
  });

  test('on Messages streams from its first byte', () => {
    const { seen, client, answer } = setUp([], 'anthropic');
    answer(0, 200, STREAM, ['event: message'], false);
    expect([client(), seen.length]).toEqual(['event: message', 1]);
  });

  test('is the same bytes on Responses however it is cut, its beginning held until another event comes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.boolean(), (size, ends) => {
        const { seen, client, judged, answer } = setUp([]);
        const whole = `: hello\n\n${BEGIN}${DELTA}${DELTA}event: half`;
        const pieces = whole.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
        answer(0, 200, STREAM, pieces, ends);
        expect(client()).toBe(whole);
        expect(seen).toEqual([`head 200 ${STREAM.join(' ')}`, ...(ends ? ['end'] : [])]);
        expect(judged).toEqual([]);
      }),
    );
    const early = setUp([]);
    early.answer(0, 200, STREAM, [BEGIN], false);
    expect([early.client(), early.seen]).toEqual(['', []]);
  });

  test('is held back for 15 seconds at most, and leaves no timer', () => {
    const { seen, client, timers, answer, sent } = setUp([]);
    answer(0, 200, STREAM, [BEGIN], false);
    timers.advance(14_999);
    expect(seen).toEqual([]);
    timers.advance(1);
    expect([client(), seen.length]).toEqual([BEGIN, 1]);
    sent[0]?.handler.onBytes(Buffer.from(FAILED));
    sent[0]?.handler.onEnd();
    expect([client(), seen.at(-1), timers.pending]).toEqual([BEGIN + FAILED, 'end', 0]);
    const quick = setUp([]);
    quick.answer(0, 200, STREAM, [BEGIN, DELTA]);
    expect(quick.timers.pending).toBe(0);
  });

  test('that ends or breaks off behind its beginning does so for the client', () => {
    const { seen, client, answer } = setUp([]);
    answer(0, 200, STREAM, [BEGIN]);
    expect([client(), seen.at(-1)]).toEqual([BEGIN, 'end']);
    const broken = setUp([]);
    broken.answer(0, 200, STREAM, [BEGIN], false);
    broken.sent[0]?.handler.onFault({ code: 'ECONNRESET', reset: true });
    expect([broken.client(), broken.seen.at(-1), broken.timers.pending]).toEqual([
      BEGIN,
      'fault ECONNRESET',
      0,
    ]);
  });
});

describe('a refusal', () => {
  test('is answered by what the judge says, and the client knows nothing of it', async () => {
    const { sent, judged, seen, client, settled, answer } = setUp(['second'], 'anthropic');
    answer(0, 400, JSON_TYPE, [TOO_LONG.slice(0, 40), TOO_LONG.slice(40)]);
    expect(seen).toEqual([]);
    await settled();
    expect(sent.map((one) => one.body)).toEqual(['first', 'second']);
    expect(judged[0]?.refusal).toEqual({ kind: 'too_large', prompt: 300_000, maximum: 200_000 });
    expect(judged[0]?.answer).toMatchObject({ status: 400, headers: JSON_TYPE });
    expect(judged[0]?.answer.body.toString()).toBe(TOO_LONG);
    answer(1, 200, JSON_TYPE, ['{}']);
    expect([client(), seen]).toEqual(['{}', [`head 200 ${JSON_TYPE.join(' ')}`, 'end']]);
  });

  test('in a stream’s first event is answered the same, its call broken off', async () => {
    for (const pieces of [[BEGIN + FAILED], [BEGIN, FAILED], [...(BEGIN + FAILED)]]) {
      const { sent, judged, seen, client, settled, timers, answer } = setUp(['second']);
      answer(0, 200, STREAM, pieces, false);
      await settled();
      expect(judged.map(({ refusal }) => refusal.kind)).toEqual(['too_large']);
      expect(sent[0]?.log).toEqual(['pause', 'abort']);
      answer(1, 200, STREAM, [BEGIN, DELTA]);
      expect([client(), seen, timers.pending]).toEqual([
        BEGIN + DELTA,
        [`head 200 ${STREAM.join(' ')}`, 'end'],
        0,
      ]);
    }
  });

  test('goes on byte for byte where the judge has nothing better, or fails', async () => {
    for (const answers of [[null], []]) {
      const { sent, seen, client, settled, answer } = setUp(answers, 'anthropic');
      answer(0, 400, JSON_TYPE, [TOO_LONG]);
      await settled();
      expect([client(), seen]).toEqual([TOO_LONG, [`head 400 ${JSON_TYPE.join(' ')}`, 'end']]);
      expect(sent).toHaveLength(1);
      const stream = setUp(answers);
      stream.answer(0, 200, STREAM, [BEGIN, `${FAILED}: more\n`], false);
      stream.sent[0]?.handler.onBytes(Buffer.from('\n'));
      await stream.settled();
      expect([stream.client(), stream.seen.length]).toEqual([`${BEGIN}${FAILED}: more\n\n`, 1]);
      expect(stream.sent[0]?.log).toEqual(['pause', 'resume']);
      stream.sent[0]?.handler.onEnd();
      expect(stream.seen.at(-1)).toBe('end');
    }
  });

  test('may come again: the judge decides each time, and the last one is what the client gets', async () => {
    const { sent, judged, seen, client, settled, answer } = setUp(['second', 'third', null], 'anthropic');
    for (const index of [0, 1, 2]) {
      answer(index, 400, JSON_TYPE, [`${TOO_LONG} ${index}`]);
      await settled();
    }
    expect(sent.map((one) => one.body)).toEqual(['first', 'second', 'third']);
    expect(judged).toHaveLength(3);
    expect([client(), seen]).toEqual([`${TOO_LONG} 2`, [`head 400 ${JSON_TYPE.join(' ')}`, 'end']]);
  });

  test('is judged decoded, and goes on in the provider’s own encoding', async () => {
    const zipped = gzipSync(TOO_LONG);
    const headers = [...JSON_TYPE, 'Content-Encoding', 'gzip'];
    const one = setUp([null], 'anthropic');
    one.sent[0]?.handler.onHead(400, 'X', headers);
    one.sent[0]?.handler.onBytes(zipped);
    one.sent[0]?.handler.onEnd();
    await vi.waitFor(() => expect(one.seen).toEqual([`head 400 ${headers.join(' ')}`, 'end']));
    expect(one.judged.map(({ refusal, answer }) => [refusal.kind, answer.body.toString()])).toEqual([
      ['too_large', TOO_LONG],
    ]);
    expect(one.bytes().equals(zipped)).toBe(true);
    const odd = setUp([null], 'anthropic');
    odd.answer(0, 400, [...JSON_TYPE, 'Content-Encoding', 'odd'], ['??']);
    await odd.settled();
    expect([odd.client(), odd.judged[0]?.refusal, odd.seen.at(-1)]).toEqual(['??', { kind: 'other' }, 'end']);
  });

  test('that is longer than a refusal is, or a stream that is encoded, goes on unjudged', async () => {
    const stream = setUp([]);
    stream.answer(0, 200, [...STREAM, 'Content-Encoding', 'gzip'], [BEGIN, FAILED]);
    const long = setUp([], 'anthropic');
    const page = 'x'.repeat(700_000);
    long.answer(0, 413, JSON_TYPE, [page, page, page]);
    await long.settled();
    expect([stream.client(), stream.judged, stream.seen.at(-1)]).toEqual([BEGIN + FAILED, [], 'end']);
    expect([long.client() === page + page + page, long.judged, long.seen.at(-1)]).toEqual([true, [], 'end']);
  });

  test('that breaks off is a fault to the client behind the bytes that came', async () => {
    const { sent, judged, seen, client, settled, answer } = setUp([null], 'anthropic');
    answer(0, 400, JSON_TYPE, ['{"type'], false);
    sent[0]?.handler.onFault({ code: 'ECONNRESET', reset: true });
    expect([client(), seen.at(-1), judged]).toEqual(['{"type', 'fault ECONNRESET', []]);
    const stream = setUp([null]);
    stream.answer(0, 200, STREAM, [BEGIN + FAILED], false);
    stream.sent[0]?.handler.onFault({ code: 'ECONNRESET', reset: false });
    await settled();
    expect([stream.client(), stream.seen.at(-1)]).toEqual([BEGIN + FAILED, 'fault ECONNRESET']);
  });
});

describe('a client', () => {
  test('that leaves breaks the call off at every stage, and nothing is sent or told afterwards', async () => {
    const stages: ((one: ReturnType<typeof setUp>) => void)[] = [
      () => undefined,
      (one) => one.answer(0, 400, JSON_TYPE, ['{"type'], false),
      (one) => one.answer(0, 200, STREAM, [BEGIN], false),
      (one) => one.answer(0, 200, STREAM, [BEGIN, FAILED], false),
      (one) => one.answer(0, 400, JSON_TYPE, [TOO_LONG]),
    ];
    for (const stage of stages) {
      const one = setUp(['second']);
      stage(one);
      one.call.abort();
      one.answer(0, 400, JSON_TYPE, [TOO_LONG]);
      one.sent[0]?.handler.onFault({ code: 'LATE', reset: false });
      one.timers.advance(60_000);
      await one.settled();
      expect([one.sent.length, one.seen, one.client(), one.timers.pending]).toEqual([1, [], '', 0]);
      expect(one.sent[0]?.log.at(-1)).toBe('abort');
    }
    const later = setUp(['second']);
    later.answer(0, 400, JSON_TYPE, [TOO_LONG]);
    await later.settled();
    later.call.abort();
    expect(later.sent[1]?.log).toEqual(['abort']);
  });

  test('that reads slowly is felt by whichever call is under way', async () => {
    const { sent, call, settled, answer } = setUp(['second']);
    call.pause();
    answer(0, 400, JSON_TYPE, [TOO_LONG]);
    await settled();
    call.resume();
    expect([sent[0]?.log, sent[1]?.log]).toEqual([['pause'], ['pause', 'resume']]);
    const kept = setUp([null]);
    kept.answer(0, 200, STREAM, [BEGIN, FAILED], false);
    kept.call.pause();
    await kept.settled();
    expect(kept.sent[0]?.log).toEqual(['pause', 'pause']);
  });

  test('gets the upstream’s fault before any head as it is', () => {
    const { sent, seen } = setUp([]);
    sent[0]?.handler.onFault({ code: 'ECONNREFUSED', reset: false });
    expect(seen).toEqual(['fault ECONNREFUSED']);
  });
});

test('a guarded call inside a hidden loop is guarded in every round', async () => {
  const TOOL = 'context-mode-search';
  const ask = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: TOOL, arguments: '{}' };
  const asking = (id: string) =>
    said('response.created', { response: { id } }) +
    said('response.output_item.done', { output_index: 0, item: ask }) +
    said('response.completed', { response: { id, status: 'completed', output: [ask] } });
  const done = said('response.completed', { response: { id: 'resp_9', status: 'completed', output: [] } });
  const one = setUp(['second', 'fourth'], 'openai', (upstreams, handler, guard, timers) => {
    const guarded = {
      send: (each: UpstreamRequest, to: AnswerHandler) => sendGuarded(upstreams, each, guard, to, timers),
    };
    const loop = {
      stream: hiddenResponses(TOOL),
      whole: wholeResponses(TOOL),
      next: async () => request('third'),
      ended: () => null,
    };
    return sendHidden(guarded, request('first'), loop, handler, timers);
  });
  one.answer(0, 400, JSON_TYPE, [TOO_LONG]);
  await one.settled();
  one.answer(1, 200, STREAM, [asking('resp_1')]);
  await one.settled();
  one.answer(2, 200, STREAM, [BEGIN, FAILED]);
  await one.settled();
  one.answer(3, 200, STREAM, [said('response.created', { response: { id: 'resp_9' } }), done]);
  await one.settled();
  expect(one.sent.map(({ body }) => body)).toEqual(['first', 'second', 'third', 'fourth']);
  expect(one.seen).toEqual([`head 200 ${STREAM.join(' ')}`, 'end']);
  expect(one.client()).not.toContain('context_length_exceeded');
  expect(one.client()).not.toContain(TOOL);
  expect(one.client().match(/event: response\.completed/g)).toHaveLength(1);
  expect(one.timers.pending).toBe(0);
});
