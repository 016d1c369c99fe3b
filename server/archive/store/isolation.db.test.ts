import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { docIdOf } from '../../conversation/index.ts';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import type { ArchiveReader } from '../types.ts';
import { createArchiveReader } from './reader.ts';
import { item, type Scene, START, scene } from './testing.ts';

let database: Database;
let pool: pg.Pool;
let reader: ArchiveReader;

beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool;
  reader = createArchiveReader(pool, { clock: { now: () => START, monotonic: () => 0 } });
});
afterAll(() => database.stop());

test('two accounts with the same requests never see a row of the other, by any function', async () => {
  const fill = async (on: Scene) => {
    const thread = await on.open('same');
    const place = await on.writer.resolvePlace(
      on.accountId,
      {
        folder: '/home/dev/app',
        root: null,
        remoteUrl: null,
        branch: null,
        commit: null,
        isRepository: null,
      },
      on.clock.now(),
    );
    const media = [{ mime: 'image/png', bytes: Buffer.from('same image') }];
    const messages = on.chain(on.root, ['user', item({ text: 'same words', media })]);
    const slice = on.slice('same');
    const alias = { parent: on.root, slice, message: messages[0]?.hash ?? on.root };
    await on.writer.append(on.batch(thread, messages, { aliases: [alias] }));
    const request = on.request(thread);
    await on.writer.saveRequest(request);
    const docid = docIdOf(on.key, alias.message, 0);
    const found = await reader.readDocument(on.accountId, docid, {});
    const blob = 'found' in found ? (found.found.media[0]?.hash ?? '') : '';
    return {
      on,
      place,
      sessionId: thread.sessionId,
      request: request.id,
      docid,
      blob,
      slice,
      parent: on.root,
    };
  };
  const mine = await fill(await scene(pool, 'one account'));
  const other = await fill(await scene(pool, 'another account'));
  expect(mine.docid).not.toBe(other.docid);
  expect(mine.blob).not.toBe(other.blob);
  for (const [reads, owner] of [
    [mine, other],
    [other, mine],
  ] as const) {
    const account = reads.on.accountId;
    const ask = { limit: 99, clip: 99 };
    expect((await reader.listSessions(account, { limit: 9 })).items.map((row) => row.id)).toEqual([
      reads.sessionId,
    ]);
    expect((await reader.listRequests(account, { limit: 9 })).items.map((row) => row.id)).toEqual([
      reads.request,
    ]);
    expect((await reader.listProjects(account)).map((row) => row.id)).toEqual([reads.place?.projectId]);
    expect((await reader.connections(account)).map((row) => row.requests)).toEqual([1]);
    expect(await reader.getSession(account, owner.sessionId)).toBeNull();
    expect(await reader.readLog(account, owner.sessionId, ask)).toEqual({
      matched: 0,
      showing: 0,
      rows: [],
    });
    expect(await reader.readLog(account, owner.sessionId, { ...ask, match: '%' })).toEqual({
      matched: 0,
      showing: 0,
      rows: [],
    });
    expect(await reader.readEvent(account, owner.sessionId, 1)).toBeNull();
    expect(await reader.readDocument(account, owner.docid, {})).toEqual({ missing: true });
    expect(await reader.readRaw(account, owner.docid)).toBeNull();
    expect(await reader.readBlob(account, owner.blob)).toBeNull();
    expect(await reader.getRequest(account, owner.request)).toBeNull();
    expect((await reader.listRequests(account, { limit: 9, sessionId: owner.sessionId })).items).toEqual([]);
    const exported: string[] = [];
    for await (const line of reader.exportSession(account, owner.sessionId)) exported.push(line);
    expect(exported).toEqual([]);
    expect(await reader.deleteSession(account, owner.sessionId, START)).toBe(false);
    expect((await reads.on.writer.lookUpSlices(account, [owner.slice])).size).toBe(0);
    expect(await reads.on.writer.childrenOf(account, owner.parent)).toEqual([]);
    expect(await reads.on.writer.confirm(account, 99)).toBe(1);
  }
  const stolen = mine.on.batch(
    { ...(await other.on.open('same')) },
    mine.on.chain(mine.on.root, ['user', item({ text: 'x' })]),
  );
  expect(await mine.on.writer.append(stolen)).toEqual({ appended: 0 });
  expect((await reader.readLog(other.on.accountId, other.sessionId, { limit: 9, clip: 9 })).matched).toBe(1);
});
