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
import { call, item, result, type Scene, scene } from './testing.ts';

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
async function store(...items: MaskedItem[]): Promise<NewMessage> {
  stored += 1;
  const messages = stage.chain(stage.root, ['user', item({ text: `before ${stored}` })], ['user', ...items]);
  const message = messages[1];
  if (!message) throw new Error('no message');
  await stage.writer.append(stage.batch(await stage.open('s'), messages));
  return message;
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

describe('a document', () => {
  test('says how to read on until nothing is left, and never cuts a character', async () => {
    const text = `${'x\u{1f600}'.repeat(50)}end`;
    const message = await store(item({ text }), item({ text: `${text}\ud83d` }));
    for (const [position, whole] of [text, `${text}\ud83d`].entries()) {
      let together = '';
      let next: number | null = 0;
      while (next !== null) {
        const part: Document = await read(idOf(message, position), { offset: next, length: 7 });
        expect(part.nextOffset).toBe(next + 7 < part.length ? next + 7 : null);
        together += part.text;
        next = part.nextOffset;
      }
      expect(together).toBe(whole);
    }
    expect((await read(idOf(message, 0), { offset: 0 })).nextOffset).toBeNull();
  });

  test('of 10 MB gives any part of its text and of its bytes, and the hash of the whole', async () => {
    const long = 'Ä line, 日本語, \u{1f600}\n'.repeat(400_000);
    const bytes = Buffer.from(long);
    const message = await store(item({ text: long }));
    const part = await read(idOf(message, 0), { offset: 5_000_000, length: 1000 });
    expect(part.text).toBe([...long.slice(0, 6_000_000)].slice(5_000_000, 5_001_000).join(''));
    expect(part).toMatchObject({ length: [...long].length, bytes: bytes.length, nextOffset: 5_001_000 });
    expect(part.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    const cut = await reader.readBytes(stage.accountId, idOf(message, 0), { offset: 9_000_001, length: 50 });
    expect('found' in cut && [cut.found.total, Buffer.from(cut.found.bytes)]).toEqual([
      bytes.length,
      bytes.subarray(9_000_001, 9_000_051),
    ]);
  });

  test('names the documents beside it, its result, and the sessions that hold it', async () => {
    const one = await stage.open('one');
    const messages = stage.chain(
      stage.root,
      ['user', item({ text: 'first' })],
      ['assistant', call('a'), call('b')],
      ['user', result('b', 'of b'), result('a', 'of a')],
      ['user', item({ text: 'last' })],
    );
    await stage.writer.append(stage.batch(one, messages));
    const [first, calls, results, last] = messages.map((message) => idOf(message, 0));
    const b = docIdOf(stage.key, messages[1]?.hash ?? stage.root, 1);
    const of = async (docid: string | undefined) => {
      const { seq, resultSeq, previous, next } = await read(docid ?? '');
      return [seq, resultSeq, previous?.docid, next?.docid];
    };
    expect(await of(first)).toEqual([1, null, undefined, calls]);
    expect(await of(calls)).toEqual([2, 5, first, b]);
    expect(await of(b)).toEqual([3, 4, calls, last]);
    expect(await of(results)).toEqual(await of(b));
    expect(await of(last)).toEqual([6, null, b, undefined]);

    stage.clock.advance(1000);
    const fork = await stage.open('fork');
    await stage.writer.append(stage.batch(fork, messages));
    expect((await read(calls ?? '')).sessions).toEqual({
      total: 2,
      items: [
        { sessionId: one.sessionId, title: 'first', seq: 2 },
        { sessionId: fork.sessionId, title: 'first', seq: 2 },
      ],
    });
  });

  test('is named by a beginning of its id that no other has, for its bytes too', async () => {
    const message = await store(item({ text: 'a' }));
    const docid = idOf(message, 0);
    const short = docid.slice(0, DOC_ID_PREFIX.length + 12);
    const found = await reader.readBytes(stage.accountId, short, { offset: 0, length: 9 });
    expect('found' in found && [found.found.docid, Buffer.from(found.found.bytes).toString()]).toEqual([
      docid,
      'a',
    ]);
    const digit = docid.slice(DOC_ID_PREFIX.length, DOC_ID_PREFIX.length + 1);
    const others = async () => {
      const { rows } = await pool.query<{ docid: string }>(
        'SELECT docid FROM item WHERE account_id = $1 AND starts_with(docid, $2)',
        [stage.accountId, digit],
      );
      return rows.length - 1;
    };
    for (let n = 0; (await others()) === 0; n += 1) await store(item({ text: `more ${n}` }));
    const several = await reader.readBytes(stage.accountId, DOC_ID_PREFIX, { offset: 0, length: 9 });
    expect(several).toEqual({ missing: true });
    const one = await reader.readBytes(stage.accountId, digit, { offset: 0, length: 9 });
    expect('ambiguous' in one && one.ambiguous.includes(docid as (typeof one.ambiguous)[number])).toBe(true);
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

describe('a tool call', () => {
  test('and its result are one document: either id gives input and result', async () => {
    const messages = stage.chain(
      stage.root,
      ['user', item({ text: 'go' })],
      ['assistant', call('a', '{"command":"ls"}'), call('b', '{"command":"pwd"}')],
    );
    const last = messages[1];
    if (!last) throw new Error('no call');
    await stage.writer.append(stage.batch(await stage.open('s'), messages));
    const waiting = await read(idOf(last, 0));
    expect(waiting).toMatchObject({
      kind: 'tool_call',
      tool: 'Bash',
      input: '{"command":"ls"}',
      text: '',
      length: 0,
    });
    stage.clock.advance(2500);
    const results = stage.chain(last.hash, ['user', result('b', '/home'), result('a', 'one\ntwo\0')]);
    const answer = results[0];
    if (!answer) throw new Error('no result');
    await stage.writer.append(stage.batch(await stage.open('s'), results));
    const byCall = await read(idOf(last, 0));
    expect(byCall).toMatchObject({
      docid: idOf(last, 0),
      kind: 'tool_call',
      role: 'assistant',
      tool: 'Bash',
      input: '{"command":"ls"}',
      text: 'one\ntwo\0',
      durationMs: 2500,
      seq: 2,
    });
    expect(await read(idOf(answer, 1))).toEqual(byCall);
    expect(await read(idOf(answer, 0))).toMatchObject({
      docid: idOf(last, 1),
      input: '{"command":"pwd"}',
      text: '/home',
    });
    expect(await reader.readRaw(stage.accountId, idOf(last, 0))).toEqual(encodeText('one\ntwo\0'));
  });

  test('with results in two branches reads the newest, and the other keeps its own id', async () => {
    const messages = stage.chain(stage.root, ['user', item()], ['assistant', call('a')]);
    const asked = messages[1];
    if (!asked) throw new Error('no call');
    await stage.writer.append(stage.batch(await stage.open('s'), messages));
    const branches: NewMessage[] = [];
    for (const text of ['old', 'new']) {
      stage.clock.advance(1000);
      const [branch] = stage.chain(asked.hash, ['user', result('a', text)]);
      if (!branch) throw new Error('no result');
      branches.push(branch);
      await stage.writer.append(stage.batch(await stage.open('s'), [branch]));
    }
    const [old, newest] = branches.map((branch) => idOf(branch, 0));
    expect(await read(idOf(asked, 0))).toMatchObject({
      docid: idOf(asked, 0),
      text: 'new',
      durationMs: 2000,
    });
    expect(await read(newest ?? '')).toMatchObject({ docid: idOf(asked, 0), text: 'new' });
    expect(await read(old ?? '')).toMatchObject({ docid: old, text: 'old', durationMs: 1000 });
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
