import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../product/eventually.ts';
import { expectWhole, metric } from './archive.ts';
import { attempt, each } from './attempt.ts';
import { times } from './counts.ts';
import { isLinux, type Product } from './product.ts';
import type { Provider } from './provider.ts';
import { Talk, wire } from './talk.ts';
import { type Stage, startStage } from './testing-stage.ts';
import type { OperatorStore } from './testing-store.ts';

const MB = 1024 * 1024;
/** Kibibytes by which the product's memory may grow whatever is sent, in and around a bomb's own limits. */
const GROWTH_KIB = 500 * 1024;

let stage: Stage;
let provider: Provider;
let store: OperatorStore;
let product: Product;

beforeAll(async () => {
  stage = await startStage();
  ({ provider, store, product } = stage);
});
afterAll(() => stage?.end());

/** A frame of zstd that unfolds to so many megabytes of zeros: blocks of 128 KB, each one byte that is repeated. */
function zstdBomb(megabytes: number): Buffer {
  const head = Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58);
  const count = megabytes * 8;
  const blocks = Buffer.alloc(count * 4);
  for (let n = 0; n < count; n += 1) {
    blocks.writeUIntLE(((128 * 1024) << 3) | (1 << 1) | (n + 1 === count ? 1 : 0), n * 4, 3);
  }
  return Buffer.concat([head, blocks]);
}

const zeros = Buffer.alloc(64 * MB);
const member = gzipSync(zeros, { level: 1 });
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

/** Small bodies that unfold to far more than anybody may send. */
const BOMBS: readonly (readonly [string, string, Buffer])[] = [
  ['gzip to 1 GB', 'gzip', Buffer.concat(Array.from({ length: 16 }, () => member))],
  ['deflate', 'deflate', deflateSync(zeros, { level: 1 })],
  ['bare deflate', 'deflate', deflateRawSync(zeros, { level: 1 })],
  ['br', 'br', brotliCompressSync(zeros, brotli)],
  ['zstd to 4 GB', 'zstd', zstdBomb(4_096)],
  ['zstd with a window of terabytes', 'zstd', Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xff, 1, 0, 0)],
  ['gzip in gzip in gzip', 'gzip, gzip, gzip', gzipSync(gzipSync(member))],
  ['br in gzip', 'br, gzip', gzipSync(brotliCompressSync(zeros, brotli))],
  ['zstd in br', 'zstd, br', brotliCompressSync(zstdBomb(1_024), brotli)],
  ['twenty codings', Array.from({ length: 20 }, () => 'gzip').join(', '), member],
];

function settled(): Promise<void> {
  return eventually(
    async () => expect(await metric(product.url, 'context_mode_record_queue_bytes')).toBe(0),
    60_000,
  );
}

/** Does the work; gives the most that the product held meanwhile above what it held at first, in kibibytes. */
async function growthDuring(work: () => Promise<void>): Promise<number> {
  const before = product.memoryKib();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, product.memoryKib());
  }, 10);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return most - before;
}

describe.skipIf(!isLinux)('bodies that unfold to far more than they are', () => {
  test('pass as they came, both ways and many at once; memory stays bounded and other sessions are archived', async () => {
    const talk = new Talk('beside bombs');
    const sent = Array.from({ length: times(1, 10) }, () => BOMBS).flat();
    const bombs = () =>
      each(sent, 8, async ([name, coding, bomb]) => {
        const session = `bomb-${name}`.replaceAll(' ', '-');
        for (const [base, path, named] of [
          [product.anthropic, '/v1/messages', { 'x-claude-code-session-id': session }],
          [product.openai, '/v1/responses', { 'session-id': session, 'thread-id': session }],
        ] as const) {
          const headers = {
            'content-type': 'application/json',
            'content-encoding': coding,
            'x-fault': 'echo',
            'x-answer-coding': coding,
            ...named,
          };
          const answer = await attempt({ base, path, headers, body: bomb });
          expect(answer, name).toMatchObject({ status: 200, whole: true });
          expect(answer.headers['content-encoding'], name).toBe(coding);
          expect(answer.body.equals(bomb), name).toBe(true);
        }
      });
    const growth = await growthDuring(async () => {
      const sending = bombs();
      for (let turn = 0; turn < 5; turn += 1) await talk.ask(product.anthropic);
      await sending;
      await settled();
    });
    await expectWhole(product.url, talk);
    expect(growth).toBeLessThan(GROWTH_KIB);
    for (const where of ['recorder', 'tap', 'unhandled_rejection', 'uncaught_exception'])
      expect(await metric(product.url, `context_mode_faults_total{where="${where}"}`), where).toBe(0);
  });
});

describe.skipIf(!isLinux)('floods', () => {
  async function bare(): Promise<Socket> {
    const { hostname, port } = new URL(product.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  }

  test('many clients that never end their headers, or send them byte by byte, hold nobody else', async () => {
    const slow = await Promise.all(Array.from({ length: times(300, 1_500) }, bare));
    for (const [n, socket] of slow.entries()) {
      socket.write('POST /anthropic/v1/messages HTTP/1.1\r\nhost: 127.0.0.1\r\n');
      if (n % 2 === 0) socket.write('content-type: application/json\r\ncontent-length: 5000000\r\n\r\n{');
    }
    const talk = new Talk('beside slow clients');
    const growth = await growthDuring(async () => {
      for (let turn = 0; turn < 5; turn += 1) {
        for (const socket of slow) socket.write('x');
        await talk.ask(product.anthropic);
      }
    });
    expect((await fetch(`${product.url}/healthz`)).status).toBe(200);
    for (const socket of slow) socket.destroy();
    await expectWhole(product.url, talk);
    expect(growth).toBeLessThan(GROWTH_KIB);
  });

  test('clients that do not read, many at once, hold their providers back and not the memory', async () => {
    const talk = new Talk('a flood');
    talk.type();
    const before = provider.arrived.length;
    const readers = await Promise.all(Array.from({ length: times(16, 64) }, bare));
    const other = new Talk('beside a flood');
    const growth = await growthDuring(async () => {
      for (const socket of readers) {
        socket.pause();
        socket.write(wire(talk, 'flood:60'));
      }
      await eventually(async () => expect(provider.arrived.length).toBe(before + readers.length));
      for (let turn = 0; turn < 5; turn += 1) await other.ask(product.anthropic);
    });
    const floods = provider.arrived.slice(before, before + readers.length);
    expect(floods.every((flood) => !flood.answered && !flood.left)).toBe(true);
    expect(growth).toBeLessThan(GROWTH_KIB);
    for (const socket of readers) socket.destroy();
    await eventually(async () => expect(floods.every((flood) => flood.left)).toBe(true));
    await settled();
    await expectWhole(product.url, other);
  });

  test('hundreds of small requests at once are each answered and each recorded', async () => {
    const count = times(300, 10_000);
    const before = await metric(product.url, 'context_mode_requests_total{door="anthropic",status="2xx"}');
    await each(
      Array.from({ length: count }, (_, n) => n),
      16,
      async (n) => {
        const talk = new Talk(`flood ${n}`);
        await talk.ask(product.anthropic);
      },
    );
    await settled();
    const after = await metric(product.url, 'context_mode_requests_total{door="anthropic",status="2xx"}');
    expect(after - before).toBe(count);
    const [stored] = await store.query(
      "SELECT count(*)::int AS sessions FROM session WHERE title LIKE 'Question 0 of flood %'",
    );
    expect(stored?.sessions).toBe(count);
  });
});
