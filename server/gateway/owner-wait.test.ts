import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Guard } from './guard.ts';
import { openGuard } from './guard.ts';
import { call } from './testing/call.ts';
import { type RecordingTap, recordingTap, type TestGateway, testGateway } from './testing/gateway.ts';
import { portOf } from './testing/raw.ts';

let upstream: Server;
let answered: Promise<void>;
let gateway: TestGateway;
let tap: RecordingTap;
let tellOwner: (owned: boolean) => void;

beforeEach(async () => {
  let done: () => void = () => undefined;
  answered = new Promise((resolve) => {
    done = resolve;
  });
  upstream = createServer((_request, response) => response.end('whole answer', done)).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  tap = recordingTap();
  const owned = new Promise<boolean>((resolve) => {
    tellOwner = resolve;
  });
  const guard: Guard = { ...openGuard, owned: () => owned };
  gateway = await testGateway({ upstream: `http://127.0.0.1:${portOf(upstream)}`, tap, guard });
});

afterEach(async () => {
  await gateway.close();
  upstream.close();
});

test('a client has its answer only once it is known whose it is, so that none that may be kept is lost', async () => {
  let got = false;
  const answer = call(gateway.url, { path: '/openai/v1/responses', body: Buffer.from('{}') }).finally(() => {
    got = true;
  });
  await answered;
  await new Promise((resolve) => setImmediate(resolve));
  expect(got).toBe(false);
  tellOwner(true);
  expect((await answer).body.toString()).toBe('whole answer');
  expect((await tap.ended(1)).length).toBe(1);
});

test('an owner that is never found out holds an answer back for a moment only', async () => {
  const answer = await call(gateway.url, { path: '/openai/v1/responses', body: Buffer.from('{}') });
  expect(answer.body.toString()).toBe('whole answer');
  expect(tap.requests).toEqual([]);
  tellOwner(false);
});

test('what is not kept because its sender is somebody else is counted', async () => {
  tellOwner(false);
  await call(gateway.url, { path: '/openai/v1/responses', body: Buffer.from('{}') });
  const { values } = await gateway.metrics.notArchived.get();
  expect(values).toEqual([{ labels: { reason: 'not_owner' }, value: 1 }]);
});
