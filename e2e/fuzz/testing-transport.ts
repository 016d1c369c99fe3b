import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { call } from '../../server/gateway/testing/call.ts';
import { type Face, recordingTap, testGateway } from '../../server/gateway/testing/gateway.ts';
import { rawUpstream, type WireRequest } from '../../server/gateway/testing/raw.ts';
import { zstdOf } from '../../server/gateway/testing/zstd.ts';
import { answerBodies, type FuzzedProtocol, requestBodies } from './bodies.ts';

/** What a run of the fuzzer does. */
export interface FuzzRun {
  readonly protocol: FuzzedProtocol;
  readonly face: Face;
  /** Requests that are sent. */
  readonly count: number;
  readonly seed: number;
}

const PATHS: Readonly<Record<FuzzedProtocol, string>> = {
  anthropic: '/anthropic/v1/messages?beta=true',
  openai: '/openai/v1/responses',
};

type Coding = 'gzip' | 'br' | 'deflate' | 'zstd' | 'identity';
const codings: fc.Arbitrary<Coding> = fc.oneof(
  { weight: 4, arbitrary: fc.constant('identity' as const) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('gzip' as const, 'br' as const, 'deflate' as const, 'zstd' as const),
  },
);

async function encoded(bytes: Buffer, coding: Coding): Promise<Buffer> {
  if (coding === 'gzip') return gzipSync(bytes);
  if (coding === 'br') return brotliCompressSync(bytes);
  if (coding === 'deflate') return deflateSync(bytes);
  return coding === 'zstd' ? await zstdOf(bytes) : bytes;
}

/** How an upstream writes its answer. */
interface Script {
  readonly status: number;
  readonly type: string;
  readonly framing: 'chunks' | 'length' | 'close';
  /** Sizes of the pieces in which the body is written. */
  readonly cuts: readonly number[];
}

const scripts: fc.Arbitrary<Script> = fc.record({
  status: fc.oneof(fc.constant(200), fc.constantFrom(201, 400, 401, 413, 429, 500, 529)),
  type: fc.constantFrom(
    'text/event-stream',
    'text/event-stream; charset=utf-8',
    'application/json',
    'text/html',
  ),
  framing: fc.constantFrom('chunks' as const, 'chunks' as const, 'length' as const, 'close' as const),
  cuts: fc.array(fc.integer({ min: 1, max: 4_000 }), { maxLength: 12 }),
});

function* pieces(body: Buffer, cuts: readonly number[]): Generator<Buffer> {
  let at = 0;
  for (const cut of cuts) {
    if (at >= body.length) return;
    yield body.subarray(at, at + cut);
    at += cut;
  }
  if (at < body.length) yield body.subarray(at);
}

function answer({ socket }: WireRequest, script: Script, coding: Coding, body: Buffer): void {
  const { status, type, framing, cuts } = script;
  const head = [`HTTP/1.1 ${status} Some Reason`, `content-type: ${type}`, `content-encoding: ${coding}`];
  if (framing === 'chunks') head.push('transfer-encoding: chunked');
  else head.push(framing === 'length' ? `content-length: ${body.length}` : 'connection: close');
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const rest = pieces(body, cuts);
  const write = () => {
    const next = rest.next();
    if (next.done) {
      if (framing === 'chunks') socket.write('0\r\n\r\n');
      if (framing === 'close') socket.end();
      return;
    }
    if (framing === 'chunks') socket.write(`${next.value.length.toString(16)}\r\n`);
    socket.write(next.value);
    if (framing === 'chunks') socket.write('\r\n');
    setImmediate(write);
  };
  write();
}

/**
 * Sends made-up requests through a gateway to an upstream that answers with made-up bytes, and demands that both
 * bodies arrive as they left, in their own encoding, and that the recorder saw the same.
 * @throws with the smallest counterexample, its seed and its path, where one byte differs.
 */
export async function fuzzTransport({ protocol, face, count, seed }: FuzzRun): Promise<void> {
  const upstream = await rawUpstream();
  const tap = recordingTap();
  const gateway = await testGateway({ upstream: upstream.url, face, tap });
  const sample = fc.tuple(requestBodies(protocol), codings, scripts, answerBodies, codings);
  const property = fc.asyncProperty(sample, async ([sent, sentCoding, script, given, givenCoding]) => {
    const [request, response] = await Promise.all([encoded(sent, sentCoding), encoded(given, givenCoding)]);
    upstream.requests.length = 0;
    tap.requests.length = 0;
    tap.answers.length = 0;
    upstream.respond = (arrived) => answer(arrived, script, givenCoding, response);
    const headers = ['Content-Type', 'application/json', 'Content-Encoding', sentCoding];
    const got = await call(gateway.url, { path: PATHS[protocol], headers, body: request });
    const [told] = await tap.ended(1);
    const seen = upstream.requests[0]?.body;
    demand(upstream.requests.length === 1 && seen?.equals(request) === true, 'the upstream got other bytes');
    demand(
      got.fault === null && got.status === script.status,
      `the client got ${got.status} ${got.fault?.code}`,
    );
    demand(got.body.equals(response), 'the client got other bytes');
    demand(got.headers['content-type'] === script.type, 'the client got another type');
    demand(got.headers['content-encoding'] === givenCoding, 'the client got another encoding');
    demand(Buffer.from(tap.requests[0]?.body ?? 'none').equals(request), 'the recorder got another request');
    demand(Buffer.concat(told?.chunks ?? []).equals(response), 'the recorder got another answer');
    demand(told?.ending === 'complete', `the recorder was told ${told?.ending}`);
  });
  try {
    await fc.assert(property, { numRuns: count, seed });
  } finally {
    await gateway.close();
    await upstream.close();
  }
}

function demand(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}
