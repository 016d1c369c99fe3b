import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RawUpstream, rawUpstream, type WireRequest } from '../../server/gateway/testing/raw.ts';
import { eventually } from '../product/eventually.ts';
import { PROTOCOLS, type Protocol, SAID, streamedAnswer } from './answers.ts';
import { logOf, metric, read } from './archive.ts';
import { attempt, each } from './attempt.ts';
import { times } from './counts.ts';
import type { Call } from './exchange.ts';
import { type Product, removeHome, scratchHome, startProduct } from './product.ts';
import { type OperatorStore, operatorStore } from './testing-store.ts';

/** Requests on their way at once. */
const AT_ONCE = 8;

let provider: RawUpstream;
let elsewhere: RawUpstream;
let store: OperatorStore;
let product: Product;
let home: string;

/** What the provider does with a request, by the number in its header `x-case`. */
const cases = new Map<string, (request: WireRequest) => void>();

beforeAll(async () => {
  provider = await rawUpstream((request) => {
    const name = request.headers.map((line) => /^x-case: *(.*)$/i.exec(line)?.[1]).find(Boolean) ?? '';
    cases.get(name)?.(request);
  });
  [elsewhere, store, home] = await Promise.all([rawUpstream(), operatorStore(), scratchHome()]);
  product = await startProduct({ home, provider: provider.url, databaseUrl: store.url });
});
afterAll(async () => {
  await provider?.close();
  await product?.end('SIGTERM');
  await elsewhere?.close();
  await store?.stop();
  await removeHome(home);
});

/** A request of a session whose answer the provider gives as `respond` says. */
function callOf(protocol: Protocol, session: string, respond: (request: WireRequest) => void): Call {
  const name = randomUUID();
  cases.set(name, (request) => {
    cases.delete(name);
    respond(request);
  });
  const headers = { 'content-type': 'application/json', 'x-case': name, 'x-api-key': 'sk-faults' };
  if (protocol === 'anthropic') {
    return {
      base: product.anthropic,
      path: '/v1/messages',
      headers: {
        ...headers,
        'user-agent': 'claude-cli/2.1.197 (external, cli)',
        'x-claude-code-session-id': session,
      },
      body: Buffer.from(
        '{"model":"m","messages":[{"role":"user","content":"Is it done?"}],"max_tokens":9,"stream":true}',
      ),
    };
  }
  return {
    base: product.openai,
    path: '/v1/responses',
    headers: {
      ...headers,
      'user-agent': 'codex_cli_rs/0.142.5',
      'session-id': session,
      'thread-id': session,
    },
    body: Buffer.from(
      '{"model":"m","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Is it done?"}]}],"stream":true}',
    ),
  };
}

/** Closes a connection by a reset alone, without the orderly end that Node says first. */
function reset(socket: Socket): void {
  Object.assign(socket, { resetAndClosing: true });
  socket.destroy();
}

/** Every request is archived, the streams are ended, and nothing failed inside by what the provider did. */
async function expectCalm(): Promise<void> {
  await eventually(
    async () => expect(await metric(product.url, 'context_mode_record_queue_bytes')).toBe(0),
    60_000,
  );
  for (const door of PROTOCOLS)
    expect(await metric(product.url, `context_mode_streams{door="${door}"}`)).toBe(0);
  for (const where of ['recorder', 'tap', 'unhandled_rejection', 'uncaught_exception', 'head'])
    expect(await metric(product.url, `context_mode_faults_total{where="${where}"}`), where).toBe(0);
  for (const reason of ['store_failed', 'recorder_failed', 'queue_full'])
    expect(await metric(product.url, `context_mode_not_archived_total{reason="${reason}"}`), reason).toBe(0);
}

/** A usual turn, which must be whole. */
async function expectUsual(protocol: Protocol = 'anthropic'): Promise<void> {
  const { wire, body } = streamedAnswer(protocol, 'identity');
  const answer = await attempt(callOf(protocol, randomUUID(), ({ socket }) => socket.write(wire)));
  expect(answer).toMatchObject({ status: 200, whole: true });
  expect(answer.body.equals(body)).toBe(true);
}

/** The archive's rows of a session, by the client's name of it. */
async function rowsOf(session: string) {
  const { items } = await read<{ items: { id: string; clientSessionId: string }[] }>(
    product.url,
    '/sessions?limit=500',
  );
  return logOf(product.url, items.find((item) => item.clientSessionId === session)?.id ?? '');
}

interface RequestView {
  readonly ending: string | null;
}

describe.each(PROTOCOLS)('a stream of %s', (protocol) => {
  test.each(['identity', 'gzip'] as const)(
    '(%s) that breaks at any byte: the agent gets exactly what came, sees a fault, and the archive keeps it as broken off',
    async (coding) => {
      const { wire, head, body, bodyIn } = streamedAnswer(protocol, coding);
      const session = randomUUID();
      const cuts = Array.from({ length: wire.length }, (_, at) => at);
      const plan = [
        ...cuts.map((at) => ({ at, end: reset })),
        ...cuts
          .filter((at) => at % times(7, 1) === 0)
          .map((at) => ({ at, end: (socket: Socket) => void socket.end() })),
      ];
      await each(plan, AT_ONCE, async ({ at, end }) => {
        const answer = await attempt(
          callOf(protocol, session, ({ socket }) => {
            if (at === 0) end(socket);
            else socket.write(wire.subarray(0, at), () => end(socket));
          }),
        );
        const cut = `${at} of ${wire.length} bytes`;
        expect(answer.status, cut).toBe(at < head ? 502 : 200);
        expect(answer.whole, cut).toBe(at < head);
        if (at >= head) expect(answer.body.equals(body.subarray(0, bodyIn(at))), cut).toBe(true);
      });
      const answer = await attempt(callOf(protocol, session, ({ socket }) => socket.write(wire)));
      expect(answer).toMatchObject({ status: 200, whole: true });
      expect(answer.body.equals(body)).toBe(true);
      await expectCalm();
      const rows = await rowsOf(session);
      expect(rows.map((row) => row.seq)).toEqual(rows.map((_, index) => index + 1));
      const answers = rows.filter((row) => row.kind === 'answer').map((row) => row.body);
      expect(answers).toContain(SAID);
      expect(answers.every((text) => SAID.startsWith(text))).toBe(true);
      expect(rows.filter((row) => row.kind === 'input').map((row) => row.body)).toEqual(['Is it done?']);
    },
    240_000,
  );
});

test('the books of broken answers are closed: each request has an ending', async () => {
  const { items } = await read<{ items: readonly RequestView[] }>(product.url, '/requests?limit=500');
  expect(items.length).toBeGreaterThan(100);
  const endings = new Set(items.map((item) => item.ending));
  expect([...endings].sort()).toEqual(['complete', 'upstream_fault', 'upstream_unreachable']);
});

test('a provider that is silent for ever holds nobody else, and is let go when its agents leave', async () => {
  const silent: Socket[] = [];
  const { wire, head } = streamedAnswer('anthropic', 'identity');
  const leaving = new AbortController();
  const waiting = Array.from({ length: 40 }, (_, n) => {
    const call = callOf('anthropic', randomUUID(), ({ socket }) => {
      silent.push(socket);
      // Half of them say a head and the beginning of an event before they fall silent.
      if (n % 2 === 0) socket.write(wire.subarray(0, head + 40));
    });
    return fetch(call.base + call.path, {
      method: 'POST',
      headers: call.headers,
      body: Buffer.from(call.body),
      signal: leaving.signal,
    }).then(
      (answer) => answer.text(),
      () => 'left',
    );
  });
  await eventually(async () => expect(silent).toHaveLength(40));
  expect(await metric(product.url, 'context_mode_streams{door="anthropic"}')).toBe(40);
  for (let turn = 0; turn < 5; turn += 1) await expectUsual(turn % 2 === 0 ? 'anthropic' : 'openai');
  expect((await fetch(`${product.url}/healthz`)).status).toBe(200);
  leaving.abort();
  await Promise.allSettled(waiting);
  await eventually(async () => expect(silent.every((socket) => socket.destroyed)).toBe(true));
  await expectCalm();
});

test('a half-open connection is no answer: a provider that ends its side without a word gives a fault', async () => {
  const answer = await attempt(callOf('anthropic', randomUUID(), ({ socket }) => void socket.end()));
  expect(answer).toMatchObject({ status: 502, whole: true });
  expect(JSON.parse(answer.body.toString())).toMatchObject({ type: 'error' });
  await expectUsual();
});

const CHUNKED = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
const noise = Buffer.from(Array.from({ length: 5_000 }, (_, n) => (n * 7_919) % 256));
const sized = (type: string, body: Buffer, more = '') =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\n${more}content-length: ${body.length}\r\n\r\n`),
    body,
  ]);

/** What a provider may say that is no answer (`refused`), half of one (`broken`), or an odd one (the body that it has). */
const GARBAGE: readonly (readonly [string, Buffer | string, 'refused' | 'broken' | Buffer])[] = [
  ['bytes that are no HTTP', noise, 'refused'],
  ['an alert of TLS', Buffer.of(0x15, 3, 3, 0, 2, 2, 0x28), 'refused'],
  ['a header section without end', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(400_000)}`, 'refused'],
  ['a NUL in a header', 'HTTP/1.1 200 OK\r\nx: a\0b\r\ncontent-length: 0\r\n\r\n', 'refused'],
  ['two different lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab', 'refused'],
  [
    'an upgrade that nobody asked for',
    'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    'refused',
  ],
  ['a chunk without a size', `${CHUNKED}zz\r\nabc`, 'broken'],
  ['a chunk that is longer than it says', `${CHUNKED}3\r\nabcdef\r\n`, 'broken'],
  ['less than the length', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort', 'broken'],
  ['a stream of noise', sized('text/event-stream', noise), noise],
  ['noise that claims to be gzip', sized('application/json', noise, 'content-encoding: gzip\r\n'), noise],
  ['noise that claims to be zstd', sized('text/event-stream', noise, 'content-encoding: zstd\r\n'), noise],
  ['JSON of another kind', sized('application/json', Buffer.from('[[[null]]]')), Buffer.from('[[[null]]]')],
  [
    'a thousand informational heads',
    `${'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(1_000)}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`,
    Buffer.from('ok'),
  ],
];

test.each(GARBAGE)(
  '%s: the agent gets what HTTP allows or a fault, and the next turn is whole',
  async (_, said, expected) => {
    for (const protocol of PROTOCOLS) {
      const answer = await attempt(
        callOf(protocol, randomUUID(), ({ socket }) => {
          socket.write(said, () => {
            if (!Buffer.isBuffer(expected)) socket.end();
          });
        }),
      );
      if (expected === 'refused') expect(answer).toMatchObject({ status: 502, whole: true });
      else if (expected === 'broken') expect(answer).toMatchObject({ status: 200, whole: false });
      else {
        expect(answer).toMatchObject({ status: 200, whole: true });
        expect(answer.body.equals(expected)).toBe(true);
      }
      await expectUsual(protocol);
    }
  },
);

test('what a provider says unasked, behind an answer, is never taken for the answer to the next request', async () => {
  for (let round = 0; round < 20; round += 1) {
    const stray = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\nstray';
    const honest = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 6\r\n\r\nhonest';
    let said: Promise<unknown> = Promise.resolve();
    const first = await attempt(
      callOf('anthropic', randomUUID(), ({ socket }) => {
        socket.write(round % 2 === 0 ? honest + stray : honest);
        said = new Promise((resolve) => {
          if (round % 2 === 0) resolve(null);
          else setImmediate(() => setImmediate(() => socket.write(stray, resolve)));
        });
      }),
    );
    expect(first.body.toString()).toBe('honest');
    await said;
    await expectUsual();
  }
  await expectCalm();
});

test('redirects are handed to the agent as they came, and nobody goes where they lead, with credentials or without', async () => {
  for (const status of [300, 301, 302, 303, 305, 307, 308]) {
    for (const target of [elsewhere.url, `${elsewhere.url}/v1/messages`, '//127.0.0.1:1/x', '/v1/other']) {
      const said = `HTTP/1.1 ${status} Elsewhere\r\nlocation: ${target}\r\ncontent-length: 4\r\n\r\nmove`;
      const answer = await attempt(callOf('anthropic', randomUUID(), ({ socket }) => socket.write(said)));
      expect(answer).toMatchObject({ status, whole: true, headers: { location: target } });
      expect(answer.body.toString()).toBe('move');
    }
  }
  expect(elsewhere.requests).toHaveLength(0);
  expect(elsewhere.sockets.size).toBe(0);
  expect(provider.requests.some(({ line }) => line.includes('/v1/other'))).toBe(false);
  await expectCalm();
});
