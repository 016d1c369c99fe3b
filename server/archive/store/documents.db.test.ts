import { createHash } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DOC_ID_PREFIX, docIdOf } from '../../conversation/index.ts';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import { encodeText } from '../text.ts';
import type { ArchiveReader, Document, MaskedItem, NewMessage } from '../types.ts';
import { createArchiveReader } from './reader.ts';
import { call, item, messageOf, result, type Scene, scene } from './testing.ts';

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
