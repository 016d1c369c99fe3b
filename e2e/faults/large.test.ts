import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { backslashes, claudeTranscript, codexTranscript, type Transcript } from '../bench/transcript.ts';
import { eventually } from '../product/eventually.ts';
import { expectWhole, metric } from './archive.ts';
import { times } from './counts.ts';
import { exchange } from './exchange.ts';
import type { Product } from './product.ts';
import { answerTo, type Provider } from './provider.ts';
import { Talk } from './talk.ts';
import { type Stage, startStage } from './testing-stage.ts';
import type { OperatorStore } from './testing-store.ts';

/** How long a machine with other work may take over a large session. */
const LARGE_MS = 300_000;
const SIZE = { messages: 10_000, bytes: 30_000_000 };
/** Turns by which a session grows after its first request. */
const TURNS = times(2, 8);

let stage: Stage;
let provider: Provider;
let store: OperatorStore;
let product: Product;

beforeAll(async () => {
  stage = await startStage();
  ({ provider, store, product } = stage);
});
afterAll(() => stage?.end());

/** Sends a request, which reaches the provider as it is. @returns what the provider answered */
async function send({ path, headers, body }: Pick<Transcript, 'path' | 'headers' | 'body'>): Promise<string> {
  const bytes = body();
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const before = provider.arrived.length;
  const base = path.includes('responses') ? product.openai : product.anthropic;
  const { status } = await exchange({ base, path, headers, body: bytes });
  expect(status).toBe(200);
  expect(provider.arrived.slice(before).some((one) => one.sha256 === sha256)).toBe(true);
  return answerTo(sha256);
}

function archived(): Promise<void> {
  return eventually(async () => {
    expect(await metric(product.url, 'context_mode_record_queue_bytes')).toBe(0);
  }, LARGE_MS);
}

/** A session's log by its first text; marks have no text. */
async function logFrom(begin: string) {
  const rows = await store.query(
    `SELECT e.seq, e.kind, i.text FROM event e
     JOIN session s ON s.account_id = e.account_id AND s.id = e.session_id
     LEFT JOIN item i ON i.account_id = e.account_id AND i.message_hash = e.message_hash AND i.position = e.position
     WHERE s.title = '${begin}' ORDER BY e.seq`,
  );
  return rows as { seq: number; kind: string; text: string | null }[];
}

test.each([
  ['Claude Code', claudeTranscript],
  ['Codex', codexTranscript],
] as const)(
  'a session of %s of 10,000 messages and 30 MB, and each turn by which it grows, is archived once and in order, while everything else goes on',
  async (_, make) => {
    const transcript = make({ ...SIZE, seed: 1 + (make === codexTranscript ? 1 : 0) });
    const [begin = ''] = transcript.texts;
    const beside = new Talk(`beside a large session, ${begin}`);
    let running = true;
    let health = 0;
    const others = (async () => {
      while (running) {
        const answer = await fetch(`${product.url}/healthz`);
        expect(answer.status).toBe(200);
        health += 1;
        if (beside.lines.length < 100) await beside.ask(product.anthropic);
      }
    })();
    const answers = [await send(transcript)];
    for (let turn = 0; turn < TURNS; turn += 1) {
      transcript.grow();
      answers.push(await send(transcript));
    }
    await archived();
    running = false;
    await others;
    expect(health).toBeGreaterThan(TURNS);
    const log = await logFrom(begin);
    expect(log.map((row) => row.seq)).toEqual(log.map((_row, index) => index + 1));
    const items = log.filter((row) => row.text !== null);
    const said = items.filter((row) => row.kind !== 'answer').map((row) => row.text);
    expect(said.length).toBe(transcript.texts.length);
    expect(said.every((text, index) => text === transcript.texts[index])).toBe(true);
    expect(items.filter((row) => row.kind === 'answer').map((row) => row.text)).toEqual(answers);
    await expectWhole(product.url, beside, LARGE_MS);
  },
  LARGE_MS,
);

test(
  'one text of 30 MB that is nothing but escapes is archived whole, and others beside it',
  async () => {
    const body = backslashes(SIZE.bytes, 3);
    const beside = new Talk('beside a large text');
    await send(body);
    for (let turn = 0; turn < 5; turn += 1) await beside.ask(product.anthropic);
    await archived();
    await expectWhole(product.url, beside, LARGE_MS);
    const [stored] = await store.query(
      `SELECT count(*)::int AS items FROM item WHERE text = repeat('\\', ${Math.floor(SIZE.bytes / 2)})`,
    );
    expect(stored?.items).toBe(1);
  },
  LARGE_MS,
);
