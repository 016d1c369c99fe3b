import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../product/eventually.ts';
import { expectWhole, metric } from './archive.ts';
import { numbers, times } from './counts.ts';
import { exchange } from './exchange.ts';
import { turnLikeDirect } from './likeness.ts';
import type { Product } from './product.ts';
import type { Provider } from './provider.ts';
import { Talk } from './talk.ts';
import { type Stage, startStage } from './testing-stage.ts';

/** Milliseconds that the archive may be behind after all of it. */
const BEHIND_MS = 60_000;
const MB = 1024 * 1024;
/** Two-byte units of text that no UTF-8 can hold: what JSON's escapes can carry. */
const LONE = '\\ud83d';

let stage: Stage;
let provider: Provider;
let product: Product;

beforeAll(async () => {
  stage = await startStage();
  ({ provider, product } = stage);
});
afterAll(() => stage?.end());

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const nestedObjects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const content = (json: string) =>
  `{"model":"m","messages":[{"role":"user","content":${json}}],"input":[{"role":"user","content":${json}}],"stream":true}`;

/** Bodies that are wrong, or right in a way that nobody sends; each is made from a number in [0, 1). */
const KINDS: readonly ((random: () => number) => string | Buffer)[] = [
  (random) => content('"hello"').slice(0, Math.floor(random() * 100)),
  (random) => Buffer.from(Array.from({ length: 200 }, () => Math.floor(random() * 256))),
  () => content('"a\\u0000b"'),
  () => Buffer.from(content('"a\0b"')),
  () => content(`"${LONE} and ${LONE}${LONE}"`),
  () =>
    Buffer.concat([
      Buffer.from('{"messages":[{"role":"user","content":"'),
      Buffer.of(0xff, 0xfe, 0xc0),
      Buffer.from('"}]}'),
    ]),
  (random) => content(nested(Math.floor(random() * 5_000))),
  (random) => content(nestedObjects(Math.floor(random() * 5_000))),
  (random) => nested(Math.floor(random() * 20_000)),
  () => content('[{"type":"text","text":"one","text":"two","type":"nobody-knows"}]'),
  () => '{"messages":[],"messages":[{"role":"user","content":"again"}],"input":[],"input":"x"}',
  () => content('12345678901234567890123456789.5e400'),
  () => content('[{"type":"no_such_block","value":{"deep":[1,2,{"x":null}]}}]'),
  () => content('[null, 1, "two", [], {}, true]'),
  () => '{"messages":{"0":{"role":"user"}},"input":{"0":1},"system":7,"tools":"none"}',
  () => 'null',
  () => '"a string"',
  () => '',
  () => `${content('"bom"').replace(/^/, '\ufeff')}`,
  (random) => content(JSON.stringify('\u202e\u0000\ud800'.repeat(Math.floor(random() * 500)))),
  (random) =>
    content(
      `[${'{"type":"tool_use","id":"x","name":"Read","input":"not an object"},'.repeat(Math.floor(random() * 20))}1]`,
    ),
  (random) =>
    content(`[{"type":"tool_result","tool_use_id":null,"content":${nested(Math.floor(random() * 500))}}]`),
];

/** Where bodies are sent, and with which claims about them. */
const WAYS = [
  { door: '/anthropic', path: '/v1/messages', headers: { 'x-claude-code-session-id': 'bad' } },
  { door: '/anthropic', path: '/v1/messages?beta=true', headers: { 'content-encoding': 'gzip' } },
  { door: '/anthropic', path: '/v1/messages/count_tokens', headers: {} },
  { door: '/openai', path: '/v1/responses', headers: { 'session-id': 'bad', 'thread-id': 'bad' } },
  {
    door: '/openai',
    path: '/v1/responses',
    headers: { 'content-encoding': 'zstd', 'x-codex-turn-metadata': '{"a":' },
  },
  {
    door: '/openai',
    path: '/v1/responses',
    headers: { 'x-codex-turn-metadata': '[]', originator: 'codex-tui' },
  },
] as const;

async function send(body: Buffer, way: (typeof WAYS)[number], echo: boolean): Promise<void> {
  const headers = {
    'content-type': 'application/json',
    ...way.headers,
    ...(echo ? { 'x-fault': 'echo' } : {}),
  };
  const before = provider.arrived.length;
  const { status, body: answer } = await exchange({
    base: product.url + way.door,
    path: way.path,
    headers,
    body,
  });
  expect(status).toBe(200);
  const sha256 = createHash('sha256').update(body).digest('hex');
  expect(provider.arrived.slice(before)).toMatchObject([{ sha256, bytes: body.byteLength }]);
  if (echo) expect(answer.equals(body)).toBe(true);
}

/** Waits until nothing is left to be archived. */
function settled(): Promise<void> {
  return eventually(
    async () => expect(await metric(product.url, 'context_mode_record_queue_bytes')).toBe(0),
    BEHIND_MS,
  );
}

test('whatever stands in a body and an answer passes unchanged, both ways, and nothing ends or fails by it', async () => {
  const random = numbers('bad input');
  for (let n = 0; n < times(440, 4_400); n += 1) {
    const made = KINDS[n % KINDS.length]?.(random) ?? '';
    const way = WAYS[Math.floor(random() * WAYS.length)] ?? WAYS[0];
    await send(Buffer.from(made), way, random() < 0.5);
  }
  await settled();
  const talk = new Talk('after bad input');
  for (let turn = 0; turn < 3; turn += 1) await turnLikeDirect(talk, product, provider);
  await expectWhole(product.url, talk);
  for (const where of ['recorder', 'tap', 'unhandled_rejection', 'uncaught_exception', 'head']) {
    expect(await metric(product.url, `context_mode_faults_total{where="${where}"}`), where).toBe(0);
  }
  for (const reason of ['store_failed', 'recorder_failed', 'queue_full']) {
    expect(await metric(product.url, `context_mode_not_archived_total{reason="${reason}"}`), reason).toBe(0);
  }
});

test('a body of 32 MB passes unchanged; one of 40 MB is refused with the provider’s status; neither ends anything', async () => {
  await send(Buffer.from(content(`"${'word '.repeat((16 * MB) / 5 - 100)}"`)), WAYS[0], false);
  const body = Buffer.alloc(40 * MB, 'x');
  const refused = await exchange({
    base: product.anthropic,
    path: '/v1/messages',
    headers: { 'content-type': 'application/json' },
    body,
  }).then(
    ({ status }) => status,
    // The connection is closed behind the refusal, which a client that still sends may see as a reset.
    () => 413,
  );
  expect(refused).toBe(413);
  expect(await metric(product.url, 'context_mode_refusals_total{door="anthropic",reason="too_large"}')).toBe(
    1,
  );
  const talk = new Talk('after large input');
  await turnLikeDirect(talk, product, provider);
  await settled();
  await expectWhole(product.url, talk);
});
