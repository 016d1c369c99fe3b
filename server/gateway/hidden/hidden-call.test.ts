import { describe, expect, test } from 'vitest';
import { hiddenMessages } from '../anthropic/hidden-stream.ts';
import { wholeMessages } from '../anthropic/hidden-whole.ts';
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
) {
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
    ended: (round) => rounds.push(round),
  };
  const call = sendHidden(upstreams, request('first'), loop, {
    onHead: (status, _reason, headers) => seen.push(`head ${status} ${headers.join(' ')}`),
    onBytes: (bytes) => body.push(bytes),
    onEnd: () => seen.push('end'),
    onFault: ({ code }) => seen.push(`fault ${code}`),
  });
  const answer = (index: number, status: number, headers: string[], content: string) => {
    const handler = sent[index]?.handler;
    handler?.onHead(status, 'OK', headers);
    handler?.onBytes(Buffer.from(content));
    handler?.onEnd();
  };
  return {
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
});
