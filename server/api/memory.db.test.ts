import { describe, expect, test } from 'vitest';
import type { ArchiveReader } from '../archive/types.ts';
import type { Uuid } from '../kernel/ids.ts';
import { draft, memoryOfFile, onDay, RULES } from '../memory/store/testing.ts';
import { handleRest } from './http.ts';
import { createCaller } from './router.ts';
import { servicesWith } from './testing.ts';

const stage = memoryOfFile();
const iso = (day: number) => new Date(onDay(day)).toISOString();

function services() {
  const { memory } = stage;
  const archive: Partial<ArchiveReader> = {
    listProjects: async () => [{ id: memory.project.id, name: 'shop', sessions: 1 }],
  };
  return {
    ...servicesWith(archive),
    accountId: memory.accountId,
    memory: { reader: memory.reader, writer: memory.writer },
  };
}

const caller = () =>
  createCaller({
    services: services(),
    caller: { host: '127.0.0.1:4141', origin: null, fetchSite: null, cookie: null, token: null },
    requestId: 'r',
    baseUrl: 'http://127.0.0.1',
  }).memory;

/** Learns a value of production's place, as the job does. */
const learn = (value: string, day: number, fields: Parameters<typeof draft>[3] = {}) =>
  stage.memory.writer.write(stage.memory.accountId, [draft(stage.memory.project, value, day, fields)], RULES);

const objects = (facts: readonly { readonly object: string }[]) => facts.map(({ object }) => object);

describe('a list of facts', () => {
  test('is as of both clocks, open or closed', async () => {
    await learn('Render', 1);
    await learn('Fly', 9);
    const list = async (input: object) => objects((await caller().facts(input as never)).items);
    expect(await list({})).toEqual(['Fly']);
    expect(await list({ status: 'closed' })).toEqual(['Render']);
    expect(await list({ status: 'all' })).toEqual(['Fly', 'Render']);
    expect(await list({ validAt: iso(3) })).toEqual(['Render']);
    expect(await list({ validAt: iso(0) })).toEqual([]);
    const [newest] = (await caller().facts({})).items;
    const before = new Date(Date.parse(newest?.recordedFrom ?? '') - 1).toISOString();
    expect(await list({ status: 'all', knownAt: before })).toEqual(['Render']);
    expect(newest).toMatchObject({
      subject: 'production',
      predicate: 'deployed_to',
      validFrom: iso(9),
      validTo: null,
      cause: 'asserted',
      scope: 'project',
      place: { kind: 'project', name: 'project', projectId: stage.memory.project.id },
      source: { authority: 'extractor', author: 'rules/1', docid: null },
    });
  });

  test('is filtered by words, project, worktree and scope, and never crosses accounts', async () => {
    await learn('Render', 1);
    await learn('100%_sure', 1, { subject: 'the odd one', predicate: 'is' });
    const { writer, accountId, worktrees, otherProject, project } = stage.memory;
    await writer.write(
      accountId,
      [draft(worktrees[0], 'Vite', 1, { subject: 'here', predicate: 'bundler' })],
      RULES,
    );
    await writer.write(accountId, [draft(otherProject, 'Fly', 1)], RULES);
    const list = async (input: object) => objects((await caller().facts(input as never)).items).toSorted();
    expect(await list({ q: 'deployed to' })).toEqual(['Fly', 'Render']);
    expect(await list({ q: '%_s' })).toEqual(['100%_sure']);
    expect(await list({ project: project.id })).toEqual(['100%_sure', 'Render', 'Vite']);
    expect(await list({ worktree: worktrees[0].id })).toEqual(['Vite']);
    expect(await list({ worktree: worktrees[1].id })).toEqual([]);
    expect(await list({ scope: 'worktree' })).toEqual(['Vite']);
    await expect(caller().facts({ project: 'x' })).rejects.toThrow('no project');
  });

  test('goes on where a page ends, slot by slot', async () => {
    for (const subject of ['a', 'b', 'c', 'd', 'e']) await learn('Render', 1, { subject });
    const seen: string[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < 5; page += 1) {
      const { items, next }: Awaited<ReturnType<ReturnType<typeof caller>['slots']>> = await caller().slots({
        limit: 2,
        cursor,
      });
      seen.push(...items.map((slot) => slot.subject));
      cursor = next;
      if (next === null) break;
    }
    expect(seen).toEqual(['a', 'b', 'c', 'd', 'e']);
    await expect(caller().slots({ cursor: 'none of ours' })).rejects.toThrow('cursor');
  });
});

describe('a person', () => {
  test('adds, closes, reopens after a look at what that takes back, and undoes', async () => {
    const added = await caller().add({ subject: 'production', predicate: 'deployed_to', object: 'Render' });
    expect(objects(added.opened)).toEqual(['Render']);
    const id = added.opened[0]?.id ?? '';
    await caller().close({ id });
    expect((await caller().facts({})).items).toEqual([]);
    stage.memory.stage.clock.advance(60_000);
    const fly = await caller().add({ subject: 'production', predicate: 'runs on', object: 'Fly' });
    expect(objects(fly.opened)).toEqual(['Fly']);
    stage.memory.stage.clock.advance(60_000);
    expect(await caller().previewReopen({ id })).toMatchObject({
      possible: true,
      takenBack: [{ object: 'Fly' }],
    });
    const reopened = await caller().reopen({ id });
    expect(objects((await caller().facts({})).items)).toEqual(['Render']);
    await caller().undo({ statements: reopened.written });
    expect(objects((await caller().facts({})).items)).toEqual(['Fly']);
    await caller().trueAgain({ id });
    expect(objects((await caller().facts({})).items)).toEqual(['Render']);
    expect(objects((await caller().facts({ status: 'closed' })).items).toSorted()).toEqual(['Fly', 'Render']);
    await expect(caller().reopen({ id: fly.opened[0]?.id ?? '' })).resolves.toBeTruthy();
  });

  test('corrects and retracts, and sees every version and statement of it', async () => {
    await learn('Rendr', 1);
    const [wrong] = (await caller().facts({})).items;
    const fixed = await caller().correct({ id: wrong?.id ?? '', object: 'Render', note: 'a typing error' });
    const id = fixed.opened[0]?.id ?? '';
    const history = await caller().history({ id });
    expect(history.versions.map(({ object, cause, endCause }) => [object, cause, endCause])).toEqual([
      ['Rendr', 'asserted', 'corrected'],
      ['Render', 'corrected', null],
    ]);
    expect(history.statements.map(({ kind, note }) => [kind, note])).toContainEqual([
      'void',
      'a typing error',
    ]);
    await caller().retract({ id });
    expect((await caller().facts({})).items).toEqual([]);
    const { items } = await caller().acts({ limit: 2 });
    expect(items.map(({ act, actor }) => [act, actor])).toEqual([
      ['memory.retract', 'person'],
      ['memory.correct', 'person'],
    ]);
  });

  test('is told why something is refused', async () => {
    const secret = { subject: 'api', predicate: 'password', object: `ghp_${'aB3d'.repeat(9)}` };
    await expect(caller().add(secret)).rejects.toThrow('secret');
    await expect(caller().close({ id: 'x' })).rejects.toThrow('no fact');
    const open = await caller().add({ subject: 'a', predicate: 'is', object: 'b' });
    await expect(caller().reopen({ id: open.opened[0]?.id ?? '' })).rejects.toThrow('open');
  });
});

describe('the queue', () => {
  test('holds a write that closes more than three slots, and reopens them together', async () => {
    const subjects = ['a', 'b', 'c', 'd'];
    for (const subject of subjects) await learn('Render', 1, { subject });
    const drafts = subjects.map((subject) => draft(stage.memory.project, 'Fly', 5, { subject }));
    await stage.memory.writer.write(stage.memory.accountId, drafts, RULES);
    const { items } = await caller().review({});
    expect(items).toMatchObject([{ kind: 'batch', why: ['closes_many'], outcome: null }]);
    expect(items[0]?.closed).toHaveLength(4);
    expect(items[0]?.slots.map((slot) => slot.subject).toSorted()).toEqual(subjects);
    const settled = await caller().settle({ id: items[0]?.id ?? '', outcome: 'reopened' });
    expect(settled.acts).toHaveLength(4);
    expect(new Set(objects((await caller().facts({})).items))).toEqual(new Set(['Render']));
    expect((await caller().review({})).items).toEqual([]);
    expect((await caller().review({ open: false })).items).toMatchObject([{ outcome: 'reopened' }]);
    await expect(caller().settle({ id: items[0]?.id ?? '', outcome: 'accepted' })).rejects.toThrow('no open');
  });

  test('holds what closes a slot that a person set, and what is not sure; dismissing takes it back', async () => {
    await caller().add({
      subject: 'production',
      predicate: 'deployed_to',
      object: 'Render',
      validFrom: iso(1),
    });
    await learn('Fly', 5, { doubts: ['date'] });
    const { items } = await caller().review({});
    expect(items.map(({ kind, why }) => [kind, ...why]).toSorted()).toEqual([
      ['batch', 'closes_a_persons'],
      ['unsure', 'date'],
    ]);
    const unsure = items.find(({ kind }) => kind === 'unsure');
    await caller().settle({ id: unsure?.id ?? '', outcome: 'dismissed' });
    expect(objects((await caller().facts({})).items)).toEqual(['Render']);
    expect(await caller().counts()).toMatchObject({ slots: 1, openFacts: 1, toReview: 1 });
  });
});

test('scripts state facts with a JSON body or a query, and read them back', async () => {
  const ask = async (method: string, path: string, body?: object) => {
    const request = new Request(`http://127.0.0.1:4141/api/v1${path}`, {
      method,
      headers: {
        host: '127.0.0.1:4141',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await handleRest(request, services())).json() as Promise<Record<string, unknown>>;
  };
  const opened = await ask('POST', '/facts', { subject: 'api', predicate: 'port', object: '4711' });
  expect(opened).toMatchObject({ opened: [{ object: '4711' }] });
  await ask('POST', '/facts?subject=api&predicate=listens%20on&object=5050');
  expect(await ask('GET', '/facts?q=api')).toMatchObject({ items: [{ object: '5050' }], next: null });
  const { items } = (await ask('GET', '/facts?status=all')) as { items: readonly { id: Uuid }[] };
  expect(await ask('GET', `/facts/${items[0]?.id}/history`)).toHaveProperty('versions');
});

test('facts are exported as lines and come into another project with their times, once however often', async () => {
  await learn('Render', 1);
  await learn('Fly', 9);
  const call = async (method: string, path: string, body?: string) =>
    handleRest(
      new Request(`http://127.0.0.1:4141/api/v1${path}`, {
        method,
        headers: { host: '127.0.0.1:4141', 'content-type': 'application/x-ndjson' },
        ...(body === undefined ? {} : { body }),
      }),
      services(),
    );
  const lines = await (await call('GET', '/export/facts')).text();
  expect(lines.trim().split('\n')).toHaveLength(2);
  const into = `/facts-import?project=${stage.memory.otherProject.id}`;
  expect(await (await call('POST', into, lines)).json()).toEqual({ written: 3, known: 0, refused: [] });
  expect(await (await call('POST', into, lines)).json()).toEqual({ written: 0, known: 3, refused: [] });
  const project = stage.memory.otherProject.id;
  const { items } = await caller().facts({ project, status: 'all' });
  expect(items.map(({ object, validFrom, validTo }) => [object, validFrom, validTo])).toEqual([
    ['Fly', iso(9), null],
    ['Render', iso(1), iso(9)],
  ]);
  expect((await call('POST', into, '{"subject":"a"}')).status).toBe(400);
});
