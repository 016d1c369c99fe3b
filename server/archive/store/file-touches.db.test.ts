import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { docIdOf } from '../../conversation/index.ts';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import type { ArchiveReader, Document, MaskedItem, MessageHash, NewMessage, ThreadState } from '../types.ts';
import { fillTouches } from './file-touches.ts';
import { createArchiveReader } from './reader.ts';
import { call, item, result, type Scene, scene, type Turn } from './testing.ts';

let database: Database;
let pool: pg.Pool;
let stage: Scene;
let reader: ArchiveReader;
let accounts = 0;

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

/** A conversation in a worktree: each step is a call with its result, a second after the one before. */
async function converse(session: string, folder: string) {
  const place = await stage.writer.resolvePlace(
    stage.accountId,
    { folder, root: null, remoteUrl: null, branch: null, commit: null, isRepository: null },
    stage.clock.now(),
  );
  const opened = await stage.open(session);
  await pool.query('UPDATE session SET project_id = $2, worktree_id = $3 WHERE id = $1', [
    opened.sessionId,
    place?.projectId,
    place?.worktreeId,
  ]);
  const thread: ThreadState = { ...opened, place };
  let parent: MessageHash = stage.root;
  let calls = 0;
  const write = async (...turns: readonly Turn[]): Promise<readonly NewMessage[]> => {
    stage.clock.advance(1000);
    const messages = stage.chain(parent, ...turns);
    parent = messages.at(-1)?.hash ?? parent;
    await stage.writer.append(stage.batch(thread, messages, { folder }));
    return messages;
  };
  await write(['user', item({ text: `begin ${session}` })]);
  /** Calls a tool and answers the document's id. */
  const use = async (name: string, input: Record<string, unknown>, more: Partial<MaskedItem> = {}) => {
    calls += 1;
    const id = `${session} ${calls}`;
    const path = input.file_path;
    const asked = {
      ...call(id, JSON.stringify(input), name),
      path: typeof path === 'string' ? path : null,
    };
    const [message] = await write(['assistant', asked]);
    const answer = { ...result(id, `result of ${id}`), ...more };
    await write(['user', answer]);
    if (message === undefined) throw new Error('no message');
    return docIdOf(stage.key, message.hash, 0);
  };
  return { use, write, thread };
}

async function read(docid: string): Promise<Document> {
  const answer = await reader.readDocument(stage.accountId, docid, {});
  if (!('found' in answer)) throw new Error(`no document ${docid}`);
  return answer.found;
}

async function touches(): Promise<string[]> {
  const { rows } = await pool.query<{ line: string }>(
    `SELECT concat_ws(' ', f.kind, f.path, CASE WHEN f.tree THEN '*' END) AS line
     FROM file_touch f WHERE f.account_id = $1 ORDER BY f.at, f.seq, f.n`,
    [stage.accountId],
  );
  return rows.map((row) => row.line);
}

describe('a document that shows a file', () => {
  test('names the newest later change of that file and the newest read behind it', async () => {
    const { use } = await converse('s', '/w');
    const first = await use('Read', { file_path: '/w/a.ts' });
    expect(await read(first)).not.toHaveProperty('changed');
    await use('Edit', { file_path: '/w/a.ts' });
    const newest = await use('Bash', { command: 'git checkout -- ./a.ts' });
    const changed = (await read(first)).changed;
    expect(changed).toMatchObject({ docid: newest, path: '/w/a.ts', kind: 'write' });
    expect(changed?.at).toBe(stage.clock.now());
    expect(await read(first)).not.toHaveProperty('fresh');
    await use('Read', { file_path: '/w/a.ts' });
    const fresh = await use('Bash', { command: 'cat a.ts' });
    expect(await read(first)).toMatchObject({
      changed: { docid: newest },
      fresh: { docid: fresh, at: stage.clock.now() },
    });
    expect(await read(fresh)).not.toHaveProperty('changed');
  });

  test.each([
    ['mv a.ts b.ts', 'move'],
    ['git checkout -- a.ts', 'write'],
    ['echo x > a.ts', 'write'],
    ['echo x >> a.ts', 'edit'],
    ["sed -i 's/a/b/' a.ts", 'edit'],
    ['rm a.ts', 'delete'],
    ['rm -rf /w', 'delete'],
    ['git restore .', 'write'],
  ])('is changed by %s', async (command, kind) => {
    const { use } = await converse('s', '/w');
    const shown = await use('Read', { file_path: '/w/a.ts' });
    const change = await use('Bash', { command });
    expect((await read(shown)).changed).toMatchObject({ docid: change, kind, path: '/w/a.ts' });
  });

  test.each([
    ['a failed call', 'Bash', { command: 'rm a.ts' }, { isError: true }],
    ['another file', 'Edit', { file_path: '/w/a.tsx' }, {}],
    ['a file below one of that name', 'Edit', { file_path: '/w/a.ts/b' }, {}],
    ['a folder that is only named', 'Bash', { command: 'cp x /w/' }, {}],
    ['words about it', 'Bash', { command: 'echo "rm a.ts"' }, {}],
    ['another read', 'Read', { file_path: '/w/a.ts' }, {}],
  ])('is not changed by %s', async (_what, name, input, { isError = false }: { isError?: boolean }) => {
    const { use } = await converse('s', '/w');
    const shown = await use('Read', { file_path: '/w/a.ts' });
    const failed = { callId: 's 2', name: null, namespace: null, isError };
    await use(name, input, isError ? { tool: failed } : {});
    expect(await read(shown)).not.toHaveProperty('changed');
  });

  test('is changed by another session in the same worktree, and by none in another one', async () => {
    const one = await converse('one', '/w');
    const other = await converse('other', '/elsewhere');
    const shown = await one.use('Read', { file_path: '/w/a.ts' });
    await other.use('Edit', { file_path: '/w/a.ts' });
    expect(await read(shown)).not.toHaveProperty('changed');
    const same = await converse('same', '/w');
    const change = await same.use('Write', { file_path: '/w/a.ts' });
    expect((await read(shown)).changed).toMatchObject({ docid: change });
  });

  test('of several files names the one that was changed last', async () => {
    const { use } = await converse('s', '/w');
    const shown = await use('Bash', { command: 'cat a b c' });
    await use('Edit', { file_path: '/w/b' });
    await use('Edit', { file_path: '/w/a' });
    const fresh = await use('Read', { file_path: '/w/a' });
    await use('Read', { file_path: '/w/b' });
    expect(await read(shown)).toMatchObject({ changed: { path: '/w/a' }, fresh: { docid: fresh } });
  });

  test('is not changed by what came before it in the same round', async () => {
    const { write } = await converse('s', '/w');
    const asked = (id: string, name: string) => ({ ...call(id, '{"file_path":"/w/a"}', name), path: '/w/a' });
    const [calls] = await write(['assistant', asked('e', 'Edit'), asked('r', 'Read'), asked('f', 'Edit')]);
    await write(['user', result('e', 'ok'), result('r', 'text')]);
    const shown = docIdOf(stage.key, calls?.hash ?? stage.root, 1);
    expect(await read(shown)).not.toHaveProperty('changed');
    await write(['user', result('f', 'ok')]);
    expect((await read(shown)).changed?.docid).toBe(docIdOf(stage.key, calls?.hash ?? stage.root, 2));
  });

  test('is found with a path of any length and any letters', async () => {
    const { use } = await converse('s', '/w');
    for (const path of [`/w/${'long/'.repeat(1000)}a`, '/w/é ü 日本\u{1f600}', "/w/it's"]) {
      const shown = await use('Read', { file_path: path });
      const change = await use('Write', { file_path: path });
      expect((await read(shown)).changed?.docid).toBe(change);
    }
  });
});

describe('touches', () => {
  test('go with the session that brought them', async () => {
    const { use, thread } = await converse('s', '/w');
    await use('Read', { file_path: '/w/secret' });
    expect(await touches()).toEqual(['read /w/secret']);
    await reader.deleteSession(stage.accountId, thread.sessionId, stage.clock.now());
    expect(await touches()).toEqual([]);
  });

  test('of an archive from before are filled in once, wherever the filling was stopped', async () => {
    const { use } = await converse('s', '/w');
    for (let n = 0; n < 110; n += 1) await use('Edit', { file_path: `/w/${n}` });
    await use('Bash', { command: 'cat a && rm b' });
    const live = await touches();
    expect(live).toHaveLength(112);
    await pool.query('DELETE FROM file_touch WHERE account_id = $1', [stage.accountId]);
    await pool.query(`UPDATE account SET touch_cursor = ''::bytea WHERE id = $1`, [stage.accountId]);
    let pieces = 0;
    await fillTouches(pool, () => {
      pieces += 1;
      return pieces > 1;
    });
    const part = await touches();
    expect(part.length).toBeGreaterThan(0);
    expect(part.length).toBeLessThan(live.length);
    expect(await fillTouches(pool)).toBeGreaterThan(0);
    expect(await touches()).toEqual(live);
    expect(await fillTouches(pool)).toBe(0);
    await pool.query(`UPDATE account SET touch_cursor = ''::bytea WHERE id = $1`, [stage.accountId]);
    await fillTouches(pool);
    expect(await touches()).toEqual(live);
  });

  test('are the same when a batch comes again', async () => {
    const { use, write, thread } = await converse('s', '/w');
    await use('Edit', { file_path: '/w/a' });
    const [again] = await write(['assistant', { ...call('x', '{}', 'Write'), path: '/w/b' }]);
    const messages = stage.chain(again?.hash ?? stage.root, ['user', result('x', 'ok')]);
    await stage.writer.append(stage.batch(thread, messages, { folder: '/w' }));
    const once = await touches();
    await stage.writer.append(stage.batch(thread, messages, { folder: '/other' }));
    expect(await touches()).toEqual(once);
    expect(once).toEqual(['edit /w/a', 'write /w/b']);
  });
});

test('a secret that only the path of a touch puts together is in no path; the other files of the call are', async () => {
  const { use } = await converse('secret paths', '/w');
  const token = ['ghp', 'A1b2C3d4E5f6G7h8I9j0', 'K1l2M3n4O5p6Q7r8'] as const;
  await use('Bash', {
    command: `rm 'zanzibar'@"wombatmail.example.org" "${token[0]}"_${token[1]}${token[2]} kept.txt`,
  });
  await use('Bash', { command: `rm "${token[0]}"_${token[1]}""${token[2]}; cat also` });
  await use('Bash', { command: 'rm last' });
  const { rows } = await pool.query<{ path: string }>(
    'SELECT path FROM file_touch WHERE account_id = $1 ORDER BY path',
    [stage.accountId],
  );
  expect(rows.map((row) => row.path)).toEqual(['/w/also', '/w/kept.txt', '/w/last']);
});
