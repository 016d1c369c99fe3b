import { describe, expect, test } from 'vitest';
import { manualClock } from '../../kernel/clock.ts';
import { hiddenMessages } from '../anthropic/hidden-stream.ts';
import { wholeMessages } from '../anthropic/hidden-whole.ts';
import { hiddenResponses } from '../openai/hidden-stream.ts';
import { wholeResponses } from '../openai/hidden-whole.ts';
import { manualTimers } from '../testing/timers.ts';
import type { AnswerHandler, UpstreamRequest } from '../upstream.ts';
import { type HiddenLoop, sendHidden } from './hidden-call.ts';
import type { HiddenRound } from './types.ts';

const TOOL = 'context-mode-search';
const STREAM = ['Content-Type', 'text/event-stream', 'Request-Id', 'req_1'];
const JSON_TYPE = ['Content-Type', 'application/json', 'Content-Length', '999'];

const said = (name: string, data: object) =>
  `event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`;
const text = (words: string) => ({ type: 'text', text: words });
const ask = (id: string) => ({ type: 'tool_use', id, name: TOOL, input: { q: id } });

function stream(parts: readonly { type: string }[], stop: string): string {
  return [
    said('message_start', { message: { id: 'msg', usage: { input_tokens: 1 } } }),
    ...parts.flatMap((part, index) => [
      said('content_block_start', { index, content_block: part }),
      said('content_block_stop', { index }),
    ]),
    said('message_delta', { delta: { stop_reason: stop }, usage: { output_tokens: 1 } }),
    said('message_stop', {}),
  ].join('');
}

const whole = (parts: readonly object[], stop: string, id = 'msg_1') =>
  JSON.stringify({
    id,
    type: 'message',
    role: 'assistant',
    content: parts,
    stop_reason: stop,
    usage: { output_tokens: 3 },
  });

const request = (body: string): UpstreamRequest => ({
  door: 'anthropic',
  method: 'POST',
  path: '/v1/messages',
  headers: [],
  body: Buffer.from(body),
});

/** Upstreams that a test answers by hand, and what reached the client and the loop. */
function setUp(
  next: HiddenLoop['next'] = async (round) => request(`after ${round.calls.map((call) => call.id).join()}`),
  more: Partial<HiddenLoop> = {},
) {
  const timers = manualTimers(manualClock(0));
  const sent: { body: string; handler: AnswerHandler; log: string[] }[] = [];
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
  const seen: string[] = [];
  const body: Buffer[] = [];
  const rounds: HiddenRound[] = [];
  const loop: HiddenLoop = {
    stream: hiddenMessages(TOOL),
    whole: wholeMessages(TOOL),
    next,
    ended: (round) => {
      rounds.push(round);
      return null;
    },
    ...more,
  };
  const handler: AnswerHandler = {
    onHead: (status, _reason, headers) => seen.push(`head ${status} ${headers.join(' ')}`),
    onBytes: (bytes) => body.push(bytes),
    onEnd: () => seen.push('end'),
    onFault: ({ code }) => seen.push(`fault ${code}`),
  };
  const call = sendHidden(upstreams, request('first'), loop, handler, timers);
  const answer = (index: number, status: number, headers: string[], content: string) => {
    const handler = sent[index]?.handler;
    handler?.onHead(status, 'OK', headers);
    handler?.onBytes(Buffer.from(content));
    handler?.onEnd();
  };
  return {
    timers,
    sent,
    seen,
    rounds,
    call,
    answer,
    client: () => Buffer.concat(body).toString(),
    settled: () => new Promise(setImmediate),
  };
}

describe('a call with hidden rounds', () => {
  test('is one answer to the client: one head, the visible parts, one end', async () => {
    const { sent, seen, rounds, answer, client, settled } = setUp();
    answer(0, 200, STREAM, stream([text('Looking.'), ask('toolu_1')], 'tool_use'));
    await settled();
    expect(sent.map((one) => one.body)).toEqual(['first', 'after toolu_1']);
    answer(1, 200, STREAM, stream([text('Found.')], 'end_turn'));
    expect(seen).toEqual(['head 200 Content-Type text/event-stream Request-Id req_1', 'end']);
    expect(client()).toContain('Found.');
    expect(client()).not.toContain('toolu_1');
    expect(rounds.map((round) => round.outcome)).toEqual(['whole']);
  });

  test('that does not stream is joined before its head goes out, with the length that it then has', async () => {
    const { seen, answer, client, settled } = setUp();
    answer(0, 200, JSON_TYPE, whole([text('Looking.'), ask('toolu_1')], 'tool_use'));
    await settled();
    expect(seen).toEqual([]);
    answer(1, 200, JSON_TYPE, whole([text('Found.')], 'end_turn', 'msg_2'));
    expect(JSON.parse(client())).toMatchObject({
      id: 'msg_1',
      content: [text('Looking.'), text('Found.')],
      stop_reason: 'end_turn',
    });
    expect(seen).toEqual([`head 200 Content-Type application/json Content-Length ${client().length}`, 'end']);
  });

  test('without a call of ours passes as it came, streaming or not', () => {
    for (const [headers, content] of [
      [STREAM, stream([text('hi')], 'end_turn')],
      [
        [
          'Content-Type',
          'application/json',
          'Content-Length',
          String(whole([text('hi')], 'end_turn').length),
        ],
        whole([text('hi')], 'end_turn'),
      ],
    ] as const) {
      const { seen, answer, client } = setUp();
      answer(0, 200, [...headers], content);
      expect(client()).toBe(content);
      expect(seen).toEqual([`head 200 ${headers.join(' ')}`, 'end']);
    }
  });

  test('that the provider refuses, or encodes, passes as it came', () => {
    const { seen, answer, client } = setUp();
    answer(0, 429, ['Content-Type', 'application/json', 'Retry-After', '2'], '{"type":"error"}');
    expect(seen).toEqual(['head 429 Content-Type application/json Retry-After 2', 'end']);
    expect(client()).toBe('{"type":"error"}');
    const encoded = setUp();
    encoded.answer(0, 200, [...STREAM, 'Content-Encoding', 'gzip'], 'anything');
    expect(encoded.client()).toBe('anything');
  });

  test('gets the refusal of a later round where its head has not gone out, and a fault where it has', async () => {
    const refused = ['Content-Type', 'application/json'];
    const held = setUp();
    held.answer(0, 200, JSON_TYPE, whole([ask('toolu_1')], 'tool_use'));
    await held.settled();
    held.answer(1, 529, refused, '{"type":"error"}');
    expect(held.seen).toEqual(['head 529 Content-Type application/json', 'end']);
    const out = setUp();
    out.answer(0, 200, STREAM, stream([ask('toolu_1')], 'tool_use'));
    await out.settled();
    out.answer(1, 529, refused, '{"type":"error"}');
    expect(out.seen.at(-1)).toBe('fault HIDDEN_ROUND_REFUSED');
  });

  test('breaks off as a fault, never as an end, where a round cannot be kept', async () => {
    for (const next of [async () => null, async () => Promise.reject(new Error('no store'))]) {
      const { seen, answer, settled } = setUp(next);
      answer(0, 200, STREAM, stream([ask('toolu_1')], 'tool_use'));
      await settled();
      expect(seen.at(-1)).toBe('fault HIDDEN_ROUND_FAILED');
    }
  });

  test('that the client leaves is broken off in whatever round it is, and between two', async () => {
    const { sent, call, seen, answer, settled } = setUp();
    answer(0, 200, STREAM, stream([ask('toolu_1')], 'tool_use'));
    call.abort();
    await settled();
    expect(sent).toHaveLength(1);
    expect(seen.filter((one) => one !== 'end')).toHaveLength(1);
    const later = setUp();
    later.answer(0, 200, STREAM, stream([ask('toolu_1')], 'tool_use'));
    await later.settled();
    later.call.abort();
    expect(later.sent[1]?.log).toEqual(['abort']);
  });

  test('keeps a slow reader’s pause in the next round', async () => {
    const { sent, call, answer, settled } = setUp();
    call.pause();
    answer(0, 200, STREAM, stream([ask('toolu_1')], 'tool_use'));
    await settled();
    call.resume();
    expect(sent[1]?.log).toEqual(['pause', 'resume']);
  });

  test('reports the upstream’s fault behind the bytes that came', () => {
    const { sent, seen, client } = setUp();
    const handler = sent[0]?.handler;
    handler?.onHead(200, 'OK', STREAM);
    handler?.onBytes(Buffer.from(`${said('ping', {})}event: content`));
    handler?.onFault({ code: 'ECONNRESET', reset: true });
    expect(client()).toBe(`${said('ping', {})}event: content`);
    expect(seen.at(-1)).toBe('fault ECONNRESET');
  });

  test('tells the loop of the headers of each answer, and what the client has of one that it leaves', async () => {
    const heads: string[] = [];
    const { rounds, sent, call, answer, settled } = setUp(async (_round, headers) => {
      heads.push(headers.join(' '));
      return request('next');
    });
    answer(
      0,
      200,
      [...STREAM, 'x-codex-turn-state', 'one'],
      stream([text('One.'), ask('toolu_1')], 'tool_use'),
    );
    await settled();
    expect(heads).toEqual(['Content-Type text/event-stream Request-Id req_1 x-codex-turn-state one']);
    const handler = sent[1]?.handler;
    handler?.onHead(200, 'OK', STREAM);
    const events = stream([text('Two.'), text('Three.')], 'end_turn').split('\n\n');
    handler?.onBytes(Buffer.from(`${events.slice(0, 4).join('\n\n')}\n\n`));
    call.abort();
    expect(rounds.map(({ outcome, parts }) => [outcome, ...parts])).toEqual([
      ['broken', JSON.stringify(text('Two.'))],
    ]);
  });

  test('holds the end of an answer with calls of the client’s until it is kept, streaming or not', async () => {
    const calls = [ask('toolu_1'), { type: 'tool_use', id: 'toolu_2', name: 'Read', input: {} }];
    for (const [headers, content, before] of [
      [STREAM, stream(calls, 'tool_use'), 'toolu_2'],
      [JSON_TYPE, whole(calls, 'tool_use'), ''],
    ] as const) {
      let keep = () => {};
      const kept = new Promise<void>((resolve) => {
        keep = resolve;
      });
      const { seen, answer, client, settled } = setUp(undefined, { ended: () => kept });
      answer(0, 200, [...headers], content);
      await settled();
      expect(client()).toContain(before);
      expect(client()).not.toContain('"stop_reason":"tool_use"');
      expect(seen).not.toContain('end');
      keep();
      await settled();
      expect(client()).toContain('"stop_reason":"tool_use"');
      expect(client()).toContain('toolu_2');
      expect(client()).not.toContain('toolu_1');
      expect(seen.at(-1)).toBe('end');
    }
  });
});

describe('while a hidden round runs', () => {
  const item = (data: object) => said('response.output_item.done', data);
  const response = { id: 'resp_1', status: 'in_progress', output: [] };
  const first = [
    said('response.created', { sequence_number: 0, response }),
    item({
      sequence_number: 1,
      output_index: 0,
      item: { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: TOOL, arguments: '{}' },
    }),
    said('response.completed', { sequence_number: 2, response }),
  ].join('');
  const openai = { stream: hiddenResponses(TOOL), whole: wholeResponses(TOOL) };
  const running = (body: string) => body.match(/^event: response\.in_progress$/gm)?.length ?? 0;

  test('an agent that counts events is told so every 15 s, for 240 s at most, in numbers that go on', async () => {
    const { timers, answer, client, settled } = setUp(() => new Promise(() => {}), {
      ...openai,
      stream: hiddenResponses(TOOL),
    });
    answer(0, 200, STREAM, first);
    await settled();
    timers.advance(14_999);
    expect(running(client())).toBe(0);
    timers.advance(1);
    expect(client()).toContain(
      `event: response.in_progress\ndata: {"type":"response.in_progress","sequence_number":1,"response":${JSON.stringify(response)}}\n\n`,
    );
    timers.advance(1_000_000);
    expect(running(client())).toBe(16);
    const numbers = [...client().matchAll(/"sequence_number":(\d+)/g)].map((match) => Number(match[1]));
    expect(numbers).toEqual(numbers.map((_, at) => at));
    expect(timers.pending).toBe(0);
  });

  test('it is told no more once the next answer has begun, or it has left, or it does not read', async () => {
    for (const stop of ['goes on', 'leaves', 'pauses'] as const) {
      const { timers, call, sent, answer, client, settled } = setUp(undefined, {
        ...openai,
        stream: hiddenResponses(TOOL),
      });
      answer(0, 200, STREAM, first);
      await settled();
      if (stop === 'leaves') call.abort();
      if (stop === 'pauses') call.pause();
      const second = sent[1]?.handler;
      second?.onHead(200, 'OK', STREAM);
      if (stop === 'goes on')
        second?.onBytes(
          Buffer.from(said('response.output_item.added', { sequence_number: 9, output_index: 0 })),
        );
      timers.advance(100_000);
      expect(running(client())).toBe(0);
    }
  });

  test('agents of the Messages API are told nothing: comments of the transport go on by themselves', async () => {
    const { timers, answer, client, settled } = setUp(() => new Promise(() => {}));
    answer(0, 200, STREAM, stream([text('One.'), ask('toolu_1')], 'tool_use'));
    await settled();
    const before = client();
    timers.advance(1_000_000);
    expect(client()).toBe(before);
  });
});
