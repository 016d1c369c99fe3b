import { beforeEach, expect, test } from 'vitest';
import { type FakeGateway, fakeGateway, runCommand, scratchFolder } from '../testing.ts';

let home: string;
let gateway: FakeGateway;

beforeEach(async () => {
  home = await scratchFolder();
  gateway = await fakeGateway();
});

const run = (...args: string[]) => runCommand([...args, '--gateway', gateway.url], { home });

const FACT = {
  id: 'f1',
  subject: 'production',
  predicate: 'deployed_to',
  object: 'Fly',
  validFrom: '2026-11-30T09:00:00.000Z',
  validTo: null,
  place: { name: 'shop' },
};
const PROJECTS = {
  items: [
    { id: 'p1', name: 'shop' },
    { id: 'p2', name: 'other' },
  ],
};

test('facts are printed with their time and id, by words, project and moment', async () => {
  gateway.answers.set('projects', PROJECTS);
  gateway.answers.set('facts?status=all&q=fly&validAt=2026-12-01T00%3A00%3A00Z&project=p1', {
    items: [FACT],
    next: 'more',
  });
  const { code, out } = await run(
    ...['facts', 'fly', '--all', '--at', '2026-12-01T00:00:00Z', '--project', 'shop'],
  );
  expect(code).toBe(0);
  expect(out).toContain('production  deployed_to  Fly');
  expect(out).toContain('2026-11-30T09:00:00.000Z – now  shop  f1');
  expect(out).toContain('There are more');
});

test('no fact is said, and no fault', async () => {
  gateway.answers.set('facts?status=open', { items: [], next: null });
  expect(await run('facts')).toMatchObject({ code: 0, out: 'No fact was found.\n' });
});

test('a project that is not there is named with those that are', async () => {
  gateway.answers.set('projects', PROJECTS);
  const { code, error } = await run('facts', '--project', 'shopp');
  expect(code).toBe(9);
  expect(error).toContain('other (p2)');
});

test('a fact is stated in three arguments or in one text', async () => {
  const act = { opened: [FACT], closed: [{ object: 'Render' }], takenBack: [], written: ['s1'] };
  gateway.answers.set('facts?subject=our+production&predicate=deployed_to&object=Fly', act);
  gateway.answers.set('facts?subject=production&predicate=deployed_to&object=Render%2C+Oregon+region', act);
  const three = await run('remember', 'our production', 'deployed_to', 'Fly');
  expect(three).toMatchObject({ code: 0 });
  expect(three.out).toContain('Closed or changed: Render.\nHolds now: Fly.');
  expect(
    (await run('remember', 'production deployed_to Render, Oregon region', '--json')).json(),
  ).toMatchObject({
    ok: true,
    written: ['s1'],
  });
  expect((await run('remember', 'production')).code).toBe(2);
});

test('a reopen says what it takes back, and asks for agreement where it does', async () => {
  const closed = { possible: true, why: null, takenBack: [{ object: 'Fly' }] };
  gateway.answers.set('facts/f2/reopen', closed);
  const asked = await run('reopen', 'f2');
  expect(asked.code).toBe(6);
  expect(asked.out).toContain('This takes back: Fly.');
  expect((await run('reopen', 'f2', '--yes')).code).toBe(0);
  expect((await run('reopen', 'unknown')).code).toBe(9);
});
