import { afterEach, expect, test } from 'vitest';
import { type Millis, manualClock } from '../../kernel/clock.ts';
import { LOCAL_ACCOUNT, newId, type Uuid } from '../../kernel/ids.ts';
import { createLogger } from '../../kernel/log.ts';
import { createMetrics, type Metrics } from '../../kernel/metrics.ts';
import type { TappedAnswer, TappedRequest } from '../tap.ts';
import { type Recorder, startRecorder } from './recorder.ts';

const clock = manualClock(1_800_000_000_000);
const settings = { connection: {}, home: '', logLevel: 'silent', disk: { folder: '', leastBytes: 0 } };

let recorder: Recorder | undefined;
afterEach(() => recorder?.close(0));

/** A recorder over a thread with this code, in which `port` is the gateway's end. */
function recorderOver(code: string, metrics: Metrics, limitBytes?: number): Recorder {
  const text = `import { parentPort as port } from 'node:worker_threads';\n${code}`;
  recorder = startRecorder(new URL(`data:text/javascript,${encodeURIComponent(text)}`), settings, {
    clock,
    log: createLogger('silent', 'test'),
    metrics,
    ...(limitBytes === undefined ? {} : { limitBytes }),
  });
  return recorder;
}

const SILENT = `port.on('message', () => {});`;
const PROMPT = `port.on('message', ({ job }) => port.postMessage({ type: 'done', job, notArchived: null }));`;
const DYING = `port.on('message', () => { throw new Error('on purpose'); });`;

function request(bytes: number): TappedRequest {
  return {
    id: newId(clock),
    accountId: LOCAL_ACCOUNT,
    door: 'anthropic',
    method: 'POST',
    target: '/v1/messages',
    headers: [],
    body: new Uint8Array(bytes),
    receivedAt: clock.now() as Millis,
  };
}

function answer(id: Uuid, bytes: number): TappedAnswer {
  return {
    id,
    accountId: LOCAL_ACCOUNT,
    door: 'anthropic',
    status: 200,
    ending: 'complete',
    headers: [],
    contentType: 'text/plain',
    contentEncoding: '',
    providerRequestId: null,
    chunks: [new Uint8Array(bytes)],
    overflow: false,
    responseBytes: bytes,
    headMs: 1,
    firstByteMs: 1,
    totalMs: 1,
    ownMs: 1,
  };
}

async function notArchived(metrics: Metrics, reason: string): Promise<number> {
  const { values } = await metrics.notArchived.get();
  return values.find((one) => one.labels.reason === reason)?.value ?? 0;
}

async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await check())) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('what waits never exceeds the bound; what would is counted, and the gateway is never told of a fault', async () => {
  const metrics = createMetrics();
  const over = recorderOver(SILENT, metrics, 100_000);
  for (let n = 0; n < 50; n += 1) {
    const one = request(5_000);
    over.requestReceived(one);
    over.answerEnded(answer(one.id, 5_000));
    expect(over.state().waitingBytes).toBeLessThanOrEqual(100_000);
  }
  expect(over.state().waitingEvents).toBeGreaterThan(10);
  expect(await notArchived(metrics, 'queue_full')).toBe(100 - over.state().waitingEvents);
});

test('what is archived makes room again', async () => {
  const metrics = createMetrics();
  const over = recorderOver(PROMPT, metrics, 8_000);
  for (let n = 0; n < 20; n += 1) {
    over.requestReceived(request(5_000));
    await until(() => over.state().waitingBytes === 0);
  }
  expect(await notArchived(metrics, 'queue_full')).toBe(0);
});

test('a body is copied: the gateway may still send what it handed over', async () => {
  const one = request(1_000);
  recorderOver(PROMPT, createMetrics()).requestReceived(one);
  expect(one.body.byteLength).toBe(1_000);
});

test('a thread that dies is started again; what it held is counted as not archived and its room is free', async () => {
  const metrics = createMetrics();
  const over = recorderOver(DYING, metrics);
  const deaths = async () => (await metrics.faults.get()).values[0]?.value ?? 0;
  for (let death = 1; death <= 2; death += 1) {
    await until(async () => {
      over.requestReceived(request(10));
      return (await deaths()) >= death;
    });
  }
  await until(() => over.state().waitingEvents === 0);
  expect(over.state().waitingBytes).toBe(0);
  expect(await notArchived(metrics, 'recorder_failed')).toBeGreaterThan(1);
});

test('a request is handed on by itself where its answer takes long, and before its answer where that is there', async () => {
  const over = recorderOver(SILENT, createMetrics());
  over.requestReceived(request(10));
  await until(() => over.state().waitingBytes > 0);
  expect(over.state().waitingEvents).toBe(1);
});

test('a stop does not wait longer than it is told for what cannot be archived', async () => {
  const over = recorderOver(SILENT, createMetrics());
  over.requestReceived(request(10));
  await over.close(20);
  expect(over.state().waitingEvents).toBe(0);
});

const READING = `port.on('message', ({ job, early }) =>
  port.postMessage(early ? { type: 'early', job, confirmed: true } : { type: 'done', job, notArchived: null }));`;

test('a request is archived before it is sent where that is asked, and is told of once more', async () => {
  const metrics = createMetrics();
  const over = recorderOver(READING, metrics);
  const one = request(1_000);
  expect(await over.archiveNow(one)).toBe(true);
  expect(over.state().waitingBytes).toBe(0);
  expect(one.body.byteLength).toBe(1_000);
  over.requestReceived(one);
  over.answerEnded(answer(one.id, 10));
  await until(() => over.state().waitingEvents === 0);
  expect((await metrics.notArchived.get()).values).toEqual([]);
});

test('who waits for a request to be archived is told when it cannot be, and it is not counted: it comes once more', async () => {
  const metrics = createMetrics();
  expect(await recorderOver(DYING, metrics).archiveNow(request(10))).toBe(false);
  expect(await recorderOver(SILENT, metrics, 100).archiveNow(request(1_000))).toBe(false);
  expect(await notArchived(metrics, 'recorder_failed')).toBe(0);
  expect(await notArchived(metrics, 'queue_full')).toBe(0);
});
