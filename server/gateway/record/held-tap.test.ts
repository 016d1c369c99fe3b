import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Millis, manualClock } from '../../kernel/clock.ts';
import { LOCAL_ACCOUNT, newId, type Uuid } from '../../kernel/ids.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import type { TappedAnswer, TappedRequest } from '../tap.ts';
import { holdTap } from './held-tap.ts';

const START = 1_800_000_000_000;

function request(clock: ReturnType<typeof manualClock>, body: Uint8Array): TappedRequest {
  return {
    id: newId(clock),
    accountId: LOCAL_ACCOUNT,
    door: 'anthropic',
    method: 'POST',
    target: '/v1/messages',
    headers: [],
    body,
    receivedAt: clock.now(),
  };
}

function answer(id: Uuid, ...chunks: Uint8Array[]): TappedAnswer {
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
    chunks,
    overflow: false,
    responseBytes: chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0),
    headMs: 1,
    firstByteMs: 1,
    totalMs: 1,
    ownMs: 1,
  };
}

/** A tap with what it has handed to a recorder, and what it has counted as not archived. */
function scene(limitBytes?: number) {
  const clock = manualClock(START);
  const metrics = createMetrics();
  const tap = holdTap({ clock, metrics, ...(limitBytes === undefined ? {} : { limitBytes }) });
  const told: (readonly [kind: 'request' | 'answer', id: Uuid, at: Millis | undefined])[] = [];
  const bodies: Uint8Array[] = [];
  const recorder = {
    requestReceived: ({ id, body, receivedAt }: TappedRequest) => {
      told.push(['request', id, receivedAt]);
      bodies.push(body);
    },
    answerEnded: ({ id, chunks }: TappedAnswer, endedAt?: Millis) => {
      told.push(['answer', id, endedAt]);
      bodies.push(...chunks);
    },
    archiveNow: async () => true,
  };
  const lost = async () => {
    const { values } = await metrics.notArchived.get();
    return Object.fromEntries(values.map((one) => [one.labels.reason, one.value]));
  };
  return { clock, tap, told, bodies, recorder, lost };
}

test('what comes before the recorder reaches it in its order, with its bytes and its times, and what comes later at once', () => {
  const { clock, tap, told, bodies, recorder } = scene();
  const socket = new Uint8Array(65_536).fill(7);
  const first = request(clock, socket.subarray(10, 20));
  tap.requestReceived(first);
  clock.advance(300);
  const second = request(clock, new Uint8Array([1, 2]));
  tap.requestReceived(second);
  tap.answerEnded(answer(first.id, socket.subarray(0, 3), new Uint8Array([4])));
  clock.advance(5_000);
  expect(told).toEqual([]);
  tap.handTo(recorder);
  expect(told).toEqual([
    ['request', first.id, START],
    ['request', second.id, START + 300],
    ['answer', first.id, START + 300],
  ]);
  expect(tap.waitingBytes()).toBe(0);
  tap.answerEnded(answer(second.id));
  expect(told.at(-1)).toEqual(['answer', second.id, undefined]);
  expect(bodies.map((one) => [...one])).toEqual([Array(10).fill(7), [1, 2], [7, 7, 7], [4]]);
  for (const one of bodies) expect(one.buffer.byteLength).toBeLessThanOrEqual(2 * one.byteLength);
});

test('never more waits than the bound, what passes unarchived is counted, and no answer comes without its request', async () => {
  const event = fc.record({ bytes: fc.nat(20_000), answered: fc.boolean(), answerBytes: fc.nat(20_000) });
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (events) => {
      const { clock, tap, told, recorder, lost } = scene(100_000);
      let given = 0;
      for (const { bytes, answered, answerBytes } of events) {
        const one = request(clock, new Uint8Array(bytes));
        tap.requestReceived(one);
        given += 1;
        const waited = tap.waitingBytes();
        if (answered) tap.answerEnded(answer(one.id, new Uint8Array(answerBytes)));
        expect(waited).toBeLessThanOrEqual(100_000);
        expect(tap.waitingBytes()).toBeLessThanOrEqual(100_000);
      }
      tap.handTo(recorder);
      const requests = new Set(told.filter(([kind]) => kind === 'request').map(([, id]) => id));
      for (const [kind, id] of told) expect([kind, requests.has(id)]).toEqual([kind, true]);
      const { queue_full: full = 0 } = await lost();
      expect(full).toBeGreaterThanOrEqual(given - requests.size);
      if (full === 0) expect(requests.size).toBe(given);
    }),
  );
});

test('what came in a pause that could not be known before is handed over with nothing of it, also where its answer comes later', async () => {
  const { clock, tap, told, recorder, lost } = scene();
  const before = request(clock, new Uint8Array(1));
  tap.requestReceived(before);
  clock.advance(100);
  const [paused, open] = [request(clock, new Uint8Array(1)), request(clock, new Uint8Array(1))];
  tap.requestReceived(paused);
  tap.requestReceived(open);
  tap.answerEnded(answer(paused.id));
  tap.answerEnded(answer(before.id));
  tap.handTo(recorder, (at) => at >= START + 100);
  tap.answerEnded(answer(open.id));
  expect(told.map(([kind, id]) => [kind, id])).toEqual([
    ['request', before.id],
    ['answer', before.id],
  ]);
  expect(await lost()).toEqual({ paused: 2 });
});

test('where no recorder comes, all that waited and all that comes is counted, and nothing is kept', async () => {
  const { clock, tap, lost } = scene();
  const one = request(clock, new Uint8Array(5));
  tap.requestReceived(one);
  tap.answerEnded(answer(one.id, new Uint8Array(5)));
  tap.giveUp();
  expect(tap.waitingBytes()).toBe(0);
  tap.requestReceived(request(clock, new Uint8Array(5)));
  expect(await lost()).toEqual({ database_not_open: 3 });
});

test('nothing is archived before it is sent while there is no recorder', async () => {
  const { clock, tap, recorder } = scene();
  const one = request(clock, new Uint8Array(3));
  expect(await tap.archiveNow(one)).toBe(false);
  tap.handTo(recorder);
  expect(await tap.archiveNow(one)).toBe(true);
});
