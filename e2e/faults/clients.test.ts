import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../product/eventually.ts';
import { expectWhole, logOf, metric, read, sessionOf } from './archive.ts';
import { times } from './counts.ts';
import { turnLikeDirect } from './likeness.ts';
import { isLinux, type Product } from './product.ts';
import type { Provider } from './provider.ts';
import { Talk, wire } from './talk.ts';
import { type Stage, startStage } from './testing-stage.ts';

let stage: Stage;
let provider: Provider;
let product: Product;

beforeAll(async () => {
  stage = await startStage();
  ({ provider, product } = stage);
});
afterAll(() => stage?.end());

/** A bare connection to the gateway, on which a request may be left at any byte. */
async function bare(): Promise<Socket> {
  const { hostname, port } = new URL(product.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/**
 * A bare connection that has asked once, and was recorded: whose it is, which the gateway looks up at a connection's
 * first request, is known then, so that what comes next is recorded however soon its client leaves.
 */
async function known(): Promise<Socket> {
  const socket = await bare();
  const path = `/v1/models/${randomUUID()}`;
  const asked = [`GET /anthropic${path} HTTP/1.1`, 'host: 127.0.0.1', 'x-fault: echo', '', ''];
  socket.write(asked.join('\r\n'));
  let answer = '';
  while (!answer.endsWith('0\r\n\r\n')) {
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    answer += bytes.toString('latin1');
  }
  await eventually(async () => {
    const { items } = await read<{ items: readonly RequestView[] }>(product.url, '/requests?limit=20');
    expect(items.map((item) => item.path)).toContain(path);
  });
  return socket;
}

interface RequestView {
  readonly path: string;
  readonly sessionId: string | null;
  readonly ending: string | null;
  readonly status: number | null;
}

/** The newest request of a talk, once its books are closed. */
function lastRequest(talk: Talk): Promise<RequestView> {
  return eventually(async () => {
    const session = await sessionOf(product.url, talk);
    if (session === null) throw new Error(`no session of ${talk.name}`);
    const { items } = await read<{ items: readonly RequestView[] }>(
      product.url,
      `/requests?session=${session}&limit=1`,
    );
    const [newest] = items;
    if (newest === undefined || newest.ending === null) throw new Error('the books are not closed');
    return newest;
  });
}

test('a client that leaves in the middle of its request leaves nothing behind, at any byte of it', async () => {
  const talk = new Talk('left early');
  const bytes = wire(talk, '');
  const before = provider.arrived.length;
  for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / times(25, 200))) {
    const socket = await bare();
    socket.write(bytes.subarray(0, at));
    socket.destroy();
  }
  await turnLikeDirect(talk, product, provider);
  expect(provider.arrived.length - before).toBe(2);
  expect(await metric(product.url, 'context_mode_streams{door="anthropic"}')).toBe(0);
  await expectWhole(product.url, talk);
});

test('a client that leaves before the answer begins: the call upstream is broken off, the books are closed', async () => {
  const talk = new Talk('left before the answer');
  const socket = await known();
  const before = provider.arrived.length;
  socket.write(wire(talk, 'silent'));
  await eventually(async () => expect(provider.arrived.length).toBe(before + 1));
  socket.destroy();
  await eventually(async () => expect(provider.arrived.at(-1)?.left).toBe(true));
  expect(await lastRequest(talk)).toMatchObject({ ending: 'client_gone', status: null });
  await turnLikeDirect(talk, product, provider);
  await expectWhole(product.url, talk);
});

test('a client that leaves in the middle of an answer: what came is kept as broken off, and the retry is whole', async () => {
  const talk = new Talk('left in the answer');
  const socket = await known();
  socket.write(wire(talk, 'held'));
  await once(socket, 'data');
  socket.resetAndDestroy();
  await eventually(async () => expect(provider.arrived.at(-1)?.left).toBe(true));
  expect(await lastRequest(talk)).toMatchObject({ ending: 'client_gone', status: 200 });
  await turnLikeDirect(talk, product, provider);
  await eventually(async () => {
    const rows = await logOf(product.url, (await sessionOf(product.url, talk)) ?? '');
    const marks = rows.filter((row) => row.kind === 'partial_answer');
    const answers = rows.filter((row) => row.kind === 'answer').map((row) => row.body);
    const answer = talk.lines.at(-1)?.text ?? '';
    expect(marks).toHaveLength(1);
    expect(answers.at(-1)).toBe(answer);
    expect(answers.slice(0, -1).every((text) => answer.startsWith(text))).toBe(true);
    expect(rows.map((row) => row.seq)).toEqual(rows.map((_, index) => index + 1));
  });
});

test('a client that connects and leaves, or leaves at any byte of its headers, is nobody: nothing goes upstream', async () => {
  const talk = new Talk('left in the headers');
  const bytes = wire(talk, '');
  const head = bytes.indexOf('\r\n\r\n') + 4;
  const before = provider.arrived.length;
  for (let at = 0; at < head; at += times(9, 1)) {
    const socket = await bare();
    if (at > 0) socket.write(bytes.subarray(0, at));
    if (at % 2 === 0) socket.destroy();
    else socket.resetAndDestroy();
  }
  await turnLikeDirect(talk, product, provider);
  expect(provider.arrived.length - before).toBe(2);
  expect(await metric(product.url, 'context_mode_streams{door="anthropic"}')).toBe(0);
});

/** Events of the provider's answer to the Messages API. */
const EVENTS = 7;

test.each(Array.from({ length: EVENTS }, (_, n) => n))(
  'a client that leaves behind event %i: the call upstream ends, the books say so, what came is kept, the retry is whole',
  async (events) => {
    const talk = new Talk(`left behind event ${events}`);
    const socket = await known();
    let came = '';
    socket.on('data', (bytes: Buffer) => {
      came += bytes.toString('latin1');
    });
    const arrived = provider.arrived.length;
    socket.write(wire(talk, `events:${events}`));
    await eventually(async () => {
      expect(provider.arrived.length).toBe(arrived + 1);
      expect(came).toContain('200 OK');
      expect(came.split('event: ').length - 1).toBe(events);
    });
    socket.destroy();
    await eventually(async () => expect(provider.arrived.at(-1)?.left).toBe(true));
    expect(await lastRequest(talk)).toMatchObject({ ending: 'client_gone', status: 200 });
    await turnLikeDirect(talk, product, provider);
    await eventually(async () => {
      const rows = await logOf(product.url, (await sessionOf(product.url, talk)) ?? '');
      const answers = rows.filter((row) => row.kind === 'answer').map((row) => row.body);
      const answer = talk.lines.at(-1)?.text ?? '';
      expect(answers.at(-1)).toBe(answer);
      expect(answers.slice(0, -1).every((text) => answer.startsWith(text))).toBe(true);
      expect(rows.map((row) => row.seq)).toEqual(rows.map((_, index) => index + 1));
    });
  },
);

test('a client that ends its side of the connection while it waits has left, and the call upstream ends', async () => {
  const talk = new Talk('half-open');
  const socket = await known();
  const arrived = provider.arrived.length;
  socket.write(wire(talk, 'silent'));
  await eventually(async () => expect(provider.arrived.length).toBe(arrived + 1));
  socket.end();
  await eventually(async () => expect(provider.arrived.at(-1)?.left).toBe(true));
  expect(await lastRequest(talk)).toMatchObject({ ending: 'client_gone', status: null });
  await turnLikeDirect(talk, product, provider);
  await expectWhole(product.url, talk);
});

test.skipIf(!isLinux)(
  'a client that does not read holds the provider back, not the gateway’s memory',
  async () => {
    const megabytes = times(400, 2_000);
    const talk = new Talk('slow reader');
    const socket = await known();
    const arrived = provider.arrived.length;
    const before = product.memoryKib();
    socket.pause();
    socket.write(wire(talk, `flood:${megabytes}`));
    await eventually(async () => expect(provider.arrived.length).toBe(arrived + 1));
    const flood = provider.arrived.at(-1);
    const other = new Talk('beside the slow reader');
    for (let turn = 0; turn < 5; turn += 1) await turnLikeDirect(other, product, provider);
    expect(flood, 'the flood waits').toMatchObject({ answered: false, left: false });
    expect(product.memoryKib() - before).toBeLessThan(150 * 1024);
    socket.destroy();
    await eventually(async () => expect(flood?.left).toBe(true));
    await expectWhole(product.url, other);
  },
);
