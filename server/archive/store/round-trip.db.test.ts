import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DOC_ID_PREFIX, docIdOf, hexOf } from '../../conversation/index.ts';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import { encodeText, textOf } from '../text.ts';
import type { ArchiveReader, Document, MaskedItem, NewMessage } from '../types.ts';
import { createArchiveReader } from './reader.ts';
import { item, messageOf, type Scene, scene } from './testing.ts';

let database: Database;
let pool: pg.Pool;
let stage: Scene;
let reader: ArchiveReader;
let accounts = 0;
let stored = 0;

beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool;
});
afterAll(() => database.stop());
beforeEach(async () => {
  accounts += 1;
  stage = await scene(pool, `account ${accounts}`);
  reader = createArchiveReader(pool, { clock: stage.clock });
});

const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit)),
      fc.constantFrom('\0', '\\', '"', '{}', '\r\n', '\ufeff', '\u{10ffff}', '\uffff', 'NULL', '\\x00'),
    ),
  )
  .map((pieces) => pieces.join(''));

/** Stores a message with these items behind a message that no other one stands behind. */
function store(...items: MaskedItem[]): Promise<NewMessage> {
  stored += 1;
  return messageOf(stage, `before ${stored}`, ...items);
}

function idOf(message: NewMessage, position: number): string {
  return docIdOf(stage.key, message.hash, position);
}

async function read(docid: string, part: { offset?: number; length?: number } = {}): Promise<Document> {
  const answer = await reader.readDocument(stage.accountId, docid, part);
  if (!('found' in answer)) throw new Error(`no document ${docid}: ${JSON.stringify(answer)}`);
  return answer.found;
}

describe('a text', () => {
  test('comes back as it went in: any string, by document, bytes, log and comparison', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyText, { minLength: 1, maxLength: 6 }),
        fc.uint8Array(),
        async (texts, body) => {
          const message = await store(...texts.map((text) => item({ kind: 'answer', text, body })));
          for (const [position, text] of texts.entries()) {
            const document = await read(idOf(message, position));
            const bytes = encodeText(text);
            expect(document.text).toBe(text);
            expect(document.length).toBe([...text].length);
            expect(document.bytes).toBe(bytes.length);
            expect(document.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
            expect(await reader.readRaw(stage.accountId, idOf(message, position))).toEqual(bytes);
            expect((await reader.readEvent(stage.accountId, document.sessionId, document.seq))?.body).toBe(
              text,
            );
          }
          const [child] = await stage.writer.childrenOf(stage.accountId, message.parent);
          expect(child?.items.map((one) => one.text)).toEqual(texts);
          const bodies = await pool.query<{ body: Buffer }>('SELECT body FROM item WHERE message_hash = $1', [
            message.hash,
          ]);
          for (const row of bodies.rows) expect(row.body).toEqual(Buffer.from(body));
        },
      ),
      { numRuns: 60 },
    );
  });

  test('of 10 MB comes back whole, with and without what PostgreSQL refuses', async () => {
    const line = 'Ä line of some length, 日本語, \u{1f600}\n';
    const long = line.repeat(Math.ceil((10 * 1024 * 1024) / Buffer.byteLength(line)));
    const message = await store(item({ text: long }), item({ text: `${long}\ud800\0` }));
    expect((await read(idOf(message, 0))).text === long).toBe(true);
    expect((await read(idOf(message, 1))).text === `${long}\ud800\0`).toBe(true);
    expect(await stage.writer.confirm(stage.accountId, 100)).toBe(3);
  });

  test('is read in parts that put together give the whole', async () => {
    const text = `${'ab\u{1f600}\ud800\0é'.repeat(50)}end`;
    const message = await store(
      item({ text }),
      item({ text: text.replaceAll('\0', '').replaceAll('\ud800', '') }),
    );
    for (const position of [0, 1]) {
      const { length, text: whole } = await read(idOf(message, position));
      let together = '';
      for (let offset = 0; offset < length; offset += 37) {
        const part = await read(idOf(message, position), { offset, length: 37 });
        expect(part).toMatchObject({ offset, length });
        together += part.text;
      }
      expect(together).toBe(whole);
      expect((await read(idOf(message, position), { offset: length + 5 })).text).toBe('');
    }
  });

  test('in the log is clipped by characters', async () => {
    const message = await store(item({ text: '\u{1f600}\ud800x\0y' }), item({ text: '\u{1f600}abc' }));
    const { sessionId } = await read(idOf(message, 0));
    const { rows } = await reader.readLog(stage.accountId, sessionId, { limit: 10, clip: 2 });
    expect(rows.slice(1).map((row) => [row.body, row.length])).toEqual([
      ['\u{1f600}\ud800', 5],
      ['\u{1f600}a', 4],
    ]);
  });
});

describe('binary content', () => {
  test('is stored once and comes back byte for byte', async () => {
    const bytes = Uint8Array.from({ length: 70_000 }, (_, n) => (n * 31) % 256);
    const media = { mime: 'image/png', bytes };
    const message = await store(
      item({ kind: 'image', text: '', media: [media] }),
      item({
        kind: 'image',
        text: '',
        media: [media, { mime: 'application/pdf', bytes: Buffer.from('%PDF') }],
      }),
    );
    const document = await read(idOf(message, 1));
    expect(document.media.map(({ mime, bytes: size }) => [mime, size])).toEqual([
      ['image/png', 70_000],
      ['application/pdf', 4],
    ]);
    const blob = await reader.readBlob(stage.accountId, document.media[0]?.hash ?? '');
    expect(blob?.mime).toBe('image/png');
    expect(Buffer.compare(blob?.bytes ?? Buffer.alloc(0), bytes)).toBe(0);
    const { rows } = await pool.query('SELECT 1 FROM blob WHERE account_id = $1', [stage.accountId]);
    expect(rows).toHaveLength(2);
    expect(await reader.readBlob(stage.accountId, '..')).toBeNull();
  });
});

describe('a message', () => {
  test('keeps the items that it was first stored with', async () => {
    const [first] = stage.chain(stage.root, ['assistant', item({ kind: 'answer', text: 'said' })]);
    if (!first) throw new Error('no message');
    const thread = await stage.open('s');
    await stage.writer.append(stage.batch(thread, [first]));
    const more = { ...first, items: [item({ kind: 'reasoning', text: 'thought' }), ...first.items] };
    await stage.writer.append(stage.batch(thread, [more]));
    const children = await stage.writer.childrenOf(stage.accountId, stage.root);
    expect(children.map((child) => child.items.map((one) => one.text))).toEqual([['said']]);
  });

  test('without items takes a position of its own and keeps its place in the chain', async () => {
    const messages = stage.chain(stage.root, ['user'], ['assistant', item({ kind: 'answer', text: 'a' })]);
    const thread = await stage.open('s');
    await stage.writer.append(stage.batch(thread, messages));
    expect(await stage.writer.append(stage.batch(thread, messages))).toEqual({ appended: 0 });
    const { rows } = await reader.readLog(stage.accountId, thread.sessionId, { limit: 9, clip: 9 });
    expect(rows.map((row) => [row.seq, row.kind, row.docid === null, row.body])).toEqual([
      [1, 'unknown', true, ''],
      [2, 'answer', false, 'a'],
    ]);
  });

  test('whose document id is taken gets a longer one, and both can be read', async () => {
    const [first, second] = stage.chain(
      stage.root,
      ['user', item({ text: 'first' })],
      ['user', item({ text: 'second' })],
    );
    if (!first || !second) throw new Error('no messages');
    const thread = await stage.open('s');
    await stage.writer.append(stage.batch(thread, [first]));
    const taken = idOf(second, 0).slice(DOC_ID_PREFIX.length);
    await pool.query('UPDATE item SET docid = $2 WHERE account_id = $1', [stage.accountId, taken]);
    await stage.writer.append(stage.batch(thread, [second]));
    const longer = `${DOC_ID_PREFIX}${taken}${hexOf(second.hash.subarray(0, 8))}`;
    expect((await read(idOf(second, 0))).text).toBe('first');
    expect(await read(longer)).toMatchObject({ docid: longer, text: 'second' });
    expect(await reader.readDocument(stage.accountId, longer.slice(0, 30), {})).toEqual({
      ambiguous: [`${DOC_ID_PREFIX}${taken}`, longer],
    });
  });
});

describe('confirmation', () => {
  test('marks what reads back the same, once, and never what does not', async () => {
    const message = await store(
      item({ text: 'good' }),
      item({ text: 'ba\0d' }),
      item({ text: 'body', body: Buffer.of(1) }),
    );
    await pool.query('UPDATE item SET exact = $2 WHERE account_id = $1 AND position = 1', [
      stage.accountId,
      Buffer.from('bad'),
    ]);
    expect((await read(idOf(message, 0))).confirmed).toBe(false);
    expect(await stage.writer.confirm(stage.accountId, 1000)).toBe(3);
    expect(await stage.writer.confirm(stage.accountId, 1000)).toBe(0);
    const confirmed = await Promise.all(
      [0, 1, 2].map(async (at) => (await read(idOf(message, at))).confirmed),
    );
    expect(confirmed).toEqual([true, false, true]);
  });

  test('takes no more than it is told', async () => {
    await store(...Array.from({ length: 7 }, (_, n) => item({ text: `${n}` })));
    expect(await stage.writer.confirm(stage.accountId, 5)).toBe(5);
    expect(await stage.writer.confirm(stage.accountId, 5)).toBe(3);
  });
});

test('what a text column cannot hold is replaced in names, never refused', async () => {
  const odd = 'a\0b\ud800';
  const message = await store(
    item({
      kind: 'tool_call',
      text: odd,
      mainInput: odd,
      path: odd,
      tool: { callId: odd, name: odd, namespace: odd, isError: false },
      media: [{ mime: odd, bytes: Buffer.of(1) }],
    }),
  );
  expect(await read(idOf(message, 0))).toMatchObject({ input: odd, tool: 'a\u2400b\ufffd' });
  const { rows } = await pool.query<{ text: string; exact: Buffer | null }>(
    'SELECT text, exact FROM item WHERE message_hash = $1',
    [message.hash],
  );
  expect(rows.map(textOf)).toEqual([odd]);
});
