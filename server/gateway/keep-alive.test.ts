import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { manualClock } from '../kernel/clock.ts';
import { COMMENT, EventBoundary, KeepAlive, SILENCE_MS } from './keep-alive.ts';
import { recordingTap, type TestGateway, testGateway } from './testing/gateway.ts';
import { type RawUpstream, rawClient, rawUpstream, resetNow, type WireRequest } from './testing/raw.ts';
import { manualTimers } from './testing/timers.ts';

describe('EventBoundary', () => {
  test('is the same however the stream is cut, and true only behind an empty line', () => {
    const piece = fc.constantFrom('\n', '\r\n', 'data: x', ':', 'é');
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat(20)), (pieces, cuts) => {
        const bytes = Buffer.from(pieces.join(''));
        const boundary = new EventBoundary();
        let at = 0;
        for (const cut of [...cuts, bytes.length]) {
          boundary.saw(bytes.subarray(at, Math.min(at + cut, bytes.length)));
          at = Math.min(at + cut, bytes.length);
        }
        const text = bytes.toString();
        expect(boundary.between).toBe(text === '' || /\n\r?\n$/.test(text));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('KeepAlive', () => {
  test('speaks after each 15 s of silence between events, and never inside one', () => {
    const clock = manualClock(0);
    const timers = manualTimers(clock);
    const sent: number[] = [];
    const alive = new KeepAlive(timers, clock, () => sent.push(clock.monotonic()));
    timers.advance(SILENCE_MS);
    expect(sent).toEqual([15_000]);
    timers.advance(10_000);
    alive.saw(Buffer.from('data: 1\n\n'));
    timers.advance(14_000);
    expect(sent).toEqual([15_000]);
    timers.advance(1_000);
    expect(sent).toEqual([15_000, 40_000]);
    alive.saw(Buffer.from('data: half'));
    timers.advance(60_000);
    expect(sent).toEqual([15_000, 40_000]);
    alive.saw(Buffer.from('\n\n'));
    timers.advance(30_000);
    expect(sent).toHaveLength(4);
    alive.stop();
    timers.advance(60_000);
    expect(sent).toHaveLength(4);
    expect(timers.pending).toBe(0);
  });
});

describe('a silent stream through the gateway', () => {
  const clock = manualClock(0);
  const timers = manualTimers(clock);
  const tap = recordingTap();
  let upstream: RawUpstream;
  let gateway: TestGateway;
  let request: WireRequest;

  beforeEach(async () => {
    upstream = await rawUpstream();
    gateway = await testGateway({ upstream: upstream.url, clock, timers, tap });
  });

  afterEach(async () => {
    await gateway.close();
    await upstream.close();
  });

  async function open(head: string, first: string) {
    upstream.respond = (arrived) => {
      request = arrived;
      arrived.socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n${first}`);
    };
    const client = rawClient(
      gateway.port,
      'POST /anthropic/v1/messages HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n',
    );
    await client.until(first === '' ? 'x-context-mode: pass' : first.slice(-6));
    return client;
  }

  const STREAM = 'content-type: text/event-stream\r\ntransfer-encoding: chunked';
  const comments = (bytes: Buffer) => bytes.toString('latin1').split(COMMENT.toString()).length - 1;

  test('gets a comment between events, and the recorder gets none', async () => {
    const before = tap.answers.length;
    const client = await open(STREAM, '9\r\ndata: 1\n\n\r\n');
    timers.advance(SILENCE_MS);
    await client.until(COMMENT.toString());
    request.socket.write('9\r\ndata: 2\n\n\r\n0\r\n\r\n');
    await client.until('\r\n0\r\n\r\n');
    client.socket.destroy();
    const answers = await tap.ended(before + 1);
    expect(Buffer.concat(answers.at(-1)?.chunks ?? []).toString()).toBe('data: 1\n\ndata: 2\n\n');
    expect(comments(client.bytes())).toBe(1);
    expect(timers.pending).toBe(0);
  });

  test.each([
    ['inside an event', STREAM, '7\r\ndata: 1\r\n'],
    ['in an encoded stream', `${STREAM}\r\ncontent-encoding: gzip`, '2\r\n\n\n\r\n'],
    ['in a stream of known length', 'content-type: text/event-stream\r\ncontent-length: 99', 'data: 1\n\n'],
    [
      'in what is no event stream',
      'content-type: application/json\r\ntransfer-encoding: chunked',
      '2\r\n\n\n\r\n',
    ],
  ])('gets no comment %s', async (_where, head, first) => {
    const client = await open(head, first);
    timers.advance(SILENCE_MS * 4);
    request.socket.write(first);
    await client.until(first.slice(-3));
    client.socket.destroy();
    expect(comments(client.bytes())).toBe(0);
  });

  test('gets nothing more once the upstream is gone', async () => {
    const client = await open(STREAM, '9\r\ndata: 1\n\n\r\n');
    resetNow(request.socket);
    await client.ended;
    timers.advance(SILENCE_MS * 4);
    expect(timers.pending).toBe(0);
    expect(comments(client.bytes())).toBe(0);
  });
});
