import { describe, expect, test } from 'vitest';
import type { Uuid } from '../../kernel/ids.ts';
import { draft, memoryOfFile, memoryScene, onDay, PERSON, RULES } from './testing.ts';

const stage = memoryOfFile();

/** Writes one draft of the repository each, one after the other; answers the facts that they opened, by value. */
async function say(...drafts: readonly (readonly [value: string | null, day: number])[]) {
  const facts = new Map<string, Uuid>();
  for (const [value, day] of drafts) {
    const { changes } = await stage.memory.writer.write(
      stage.memory.accountId,
      [draft(stage.memory.project, value, day)],
      RULES,
    );
    for (const { opened } of changes)
      for (const version of opened) facts.set(version.value.text, version.fact);
  }
  return (value: string): Uuid => {
    const fact = facts.get(value);
    if (fact === undefined) throw new Error(`no fact ${value}`);
    return fact;
  };
}

const slotOf = async (): Promise<Uuid> => {
  const { rows } = await stage.pool.query<{ id: Uuid }>('SELECT id FROM slot WHERE account_id = $1', [
    stage.memory.accountId,
  ]);
  const [row] = rows;
  if (row === undefined || rows.length !== 1) throw new Error(`${rows.length} slots`);
  return row.id;
};
const record = async () => {
  const found = await stage.memory.reader.slot(stage.memory.accountId, await slotOf());
  if (found === null) throw new Error('no slot');
  return found;
};
const timeline = async () =>
  (await record()).versions
    .filter((version) => version.recordedTo === null)
    .map(({ value, validFrom, validTo }) => {
      const day = (at: number) => (at - onDay(0)) / 86_400_000;
      return `${value.text} ${day(validFrom)}-${validTo === null ? '' : day(validTo)}`;
    });

describe('a write', () => {
  test('closes the old value where the new one begins; a late one comes out closed', async () => {
    await say(['Render', 1], ['Fly', 9], ['Heroku', 4]);
    expect((await timeline()).toSorted()).toEqual(['Fly 9-', 'Heroku 4-9', 'Render 1-4']);
    expect(await stage.memory.known(null)).toEqual(['production deployed_to Fly']);
  });

  test('finds its slot in other words, and no other one', async () => {
    await say(['Render', 1]);
    const other = { subject: 'The Production', predicate: 'runs on' };
    const report = await stage.memory.writer.write(
      stage.memory.accountId,
      [draft(stage.memory.project, 'Fly', 5, other)],
      RULES,
    );
    expect(report.changes.map(({ slot }) => slot)).toEqual([await slotOf()]);
    expect(await stage.memory.known(null)).toEqual(['production deployed_to Fly']);
    await stage.memory.writer.write(
      stage.memory.accountId,
      Array.from({ length: 9 }, (_, n) => draft(stage.memory.project, 'x', 6, { subject: `thing ${n}` })),
      RULES,
    );
    expect(await stage.memory.known(null)).toContain('production deployed_to Fly');
  });

  test('that comes again writes nothing, whatever was decided meanwhile', async () => {
    const docid = await stage.memory.typed('production moved to Fly');
    const source = { docid, saidAt: onDay(5), start: 0, end: 23 };
    const again = [
      draft(stage.memory.project, 'Fly', 5, { source }),
      draft(stage.memory.project, 'x', 5, { subject: 'y', source }),
    ];
    const first = await stage.memory.writer.write(stage.memory.accountId, again, RULES);
    expect(first).toMatchObject({ known: 0, written: { length: 2 } });
    const [fact] = first.changes.flatMap(({ opened }) => opened.map((version) => version.fact));
    await stage.memory.writer.takeBack(stage.memory.accountId, [fact as Uuid], 'retracted', 'never true');
    const second = await stage.memory.writer.write(stage.memory.accountId, again, RULES);
    expect(second).toMatchObject({ known: 2, written: [], changes: [] });
    expect(await stage.memory.known(null)).toHaveLength(1);
  });

  test('keeps which words of which document it was drawn from, who drew it, and a person over an extractor', async () => {
    const docid = await stage.memory.typed('we deploy production to Fly');
    const source = { docid, saidAt: onDay(2), start: 3, end: 27 };
    await stage.memory.writer.write(
      stage.memory.accountId,
      [draft(stage.memory.project, 'Fly', 2, { source })],
      RULES,
    );
    await stage.memory.writer.write(
      stage.memory.accountId,
      [draft(stage.memory.project, 'Render', 2)],
      PERSON,
    );
    const { statements } = await record();
    expect(statements[0]).toMatchObject({
      said: { docid: docid.replace('context-mode-msg-', ''), offset: 3, saidAt: onDay(2) },
      spanEnd: 27,
      author: 'rules/1',
    });
    expect(await stage.memory.known(null)).toEqual(['production deployed_to Render']);
  });

  test('holds several values where that is said, events by their instant, pairs by both ends', async () => {
    const many = { subject: 'api', predicate: 'tags', arity: 'many' } as const;
    const pair = (subject: string, value: string, day: number) =>
      draft(stage.memory.project, value, day, { subject, predicate: 'works with' });
    await stage.memory.writer.write(
      stage.memory.accountId,
      [
        draft(stage.memory.project, 'red', 1, many),
        draft(stage.memory.project, 'blue', 2, many),
        draft(stage.memory.project, '1.0', 1, { subject: 'cli', predicate: 'released' }),
        draft(stage.memory.project, '2.0', 3, { subject: 'cli', predicate: 'released' }),
        pair('Ann', 'Bob', 1),
        pair('bob', 'ann', 2),
      ],
      RULES,
    );
    expect((await stage.memory.known(null)).toSorted()).toEqual([
      'Ann works with Ann ↔ Bob',
      'api tags blue',
      'api tags red',
      'cli released 1.0',
      'cli released 2.0',
    ]);
    expect(await stage.memory.known(onDay(2))).not.toContain('cli released 2.0');
  });

  test('refuses what looks like a secret, what says nothing, and what its document or place is gone of', async () => {
    const gone = { docid: 'context-mode-msg-00000000000000ff' as never, saidAt: onDay(1), start: 0, end: 1 };
    const report = await stage.memory.writer.write(
      stage.memory.accountId,
      [
        draft(stage.memory.project, 'ghp_0123456789abcdefghijABCDEFGHIJ012345', 1),
        draft(stage.memory.project, '[masked:secret:0123456789ab]', 1),
        draft(stage.memory.project, '  ', 1),
        draft(stage.memory.project, 'x', Number.MAX_SAFE_INTEGER),
        draft(stage.memory.project, 'x', 1, { source: gone }),
        draft({ kind: 'worktree', id: stage.memory.project.id }, 'x', 1),
      ],
      RULES,
    );
    expect([...report.refused].toSorted()).toEqual([
      [0, 'secret'],
      [1, 'secret'],
      [2, 'unfit'],
      [3, 'unfit'],
      [4, 'gone'],
      [5, 'gone'],
    ]);
    const { rows } = await stage.pool.query('SELECT 1 FROM slot WHERE account_id = $1', [
      stage.memory.accountId,
    ]);
    expect(rows).toEqual([]);
  });

  test('takes any text as it is, but for what the database cannot hold', async () => {
    const odd = { subject: `a\0b${'ü'.repeat(3000)}`, predicate: '"\\{},NULL' };
    await stage.memory.writer.write(
      stage.memory.accountId,
      [draft(stage.memory.project, 'v\ud800"\\,{}', 1, odd)],
      RULES,
    );
    const [fact] = await stage.memory.reader.facts(
      stage.memory.accountId,
      stage.memory.place,
      { validAt: onDay(2), knownAt: null },
      9,
    );
    expect(fact?.version.value.text).toBe('v\ufffd"\\,{}');
    expect(fact?.slot.subject).toHaveLength(3003);
  });

  test('is recorded behind everything before it, also when the clock of the host steps back a day', async () => {
    const write = (value: string, day: number) =>
      stage.memory.writer.write(stage.memory.accountId, [draft(stage.memory.project, value, day)], RULES);
    const first = await write('A', 1);
    stage.memory.stage.clock.advance(-86_400_000);
    const second = await write('B', 2);
    const third = await write('C', 3);
    expect(second.recordedAt).toBe(first.recordedAt + 1);
    expect(third.recordedAt).toBe(second.recordedAt + 1);
    expect(await stage.memory.known(onDay(9), first.recordedAt)).toEqual(['production deployed_to A']);
    expect(await stage.memory.known(onDay(9), second.recordedAt)).toEqual(['production deployed_to B']);
    expect(await stage.memory.known(onDay(2), first.recordedAt)).toEqual(['production deployed_to A']);
  });
});

describe('a person', () => {
  test('reopens with one call, is told before what that takes back, and undoes it to where it began', async () => {
    const fact = await say(['Render', 1], ['Fly', 5], ['Heroku', 8]);
    const before = await timeline();
    // What is true by then is decided by the account's clock, and so is what is said beforehand.
    stage.memory.stage.clock.advance(-90 * 86_400_000);
    const preview = await stage.memory.writer.previewReopen(stage.memory.accountId, fact('Render'));
    expect(await timeline()).toEqual(before);
    const report = await stage.memory.writer.reopen(stage.memory.accountId, fact('Render'));
    if (typeof report === 'string') throw new Error(report);
    expect(report.takenBack.map((window) => window.value.text)).toEqual(['Fly', 'Heroku']);
    expect(report.takenBack).toEqual(preview);
    expect(await timeline()).toEqual(['Render 1-']);
    await say(['Railway', 6]);
    expect(await timeline()).toEqual(['Render 1-']);
    expect(await stage.memory.writer.reopen(stage.memory.accountId, fact('Render'))).toBe('open');
    expect(await stage.memory.writer.reopen(stage.memory.accountId, stage.memory.project.id)).toBe('unknown');
    const slot = await slotOf();
    const late = (await stage.memory.reader.slot(stage.memory.accountId, slot))?.statements.at(-1)?.said.id;
    await stage.memory.writer.takeBack(stage.memory.accountId, [late as Uuid], 'retracted', null);
    await stage.memory.writer.takeBack(stage.memory.accountId, report.written, 'undone', null);
    expect((await timeline()).toSorted()).toEqual([...before].toSorted());
  });

  test('corrects all that a fact stands on, closes it, and says how many values there are', async () => {
    const fact = await say(['Render', 1], ['render', 3], ['Fly', 5]);
    await stage.memory.writer.correct(stage.memory.accountId, fact('Render'), {
      value: 'Rendr',
      from: null,
      note: 'a typo',
    });
    expect((await timeline()).toSorted()).toEqual(['Fly 5-', 'Rendr 1-5']);
    expect((await record()).statements.map(({ note }) => note).filter(Boolean)).toEqual([
      'a typo',
      'a typo',
      'a typo',
    ]);
    await stage.memory.writer.close(stage.memory.accountId, fact('Fly'), onDay(7));
    expect((await timeline()).toSorted()).toEqual(['Fly 5-7', 'Rendr 1-5']);
    const many = await stage.memory.writer.setArity(stage.memory.accountId, await slotOf(), 'many');
    expect((await timeline()).toSorted()).toEqual(['Fly 5-7', 'Rendr 1-']);
    await stage.memory.writer.takeBack(stage.memory.accountId, many?.written ?? [], 'undone', null);
    expect((await timeline()).toSorted()).toEqual(['Fly 5-7', 'Rendr 1-5']);
  });

  test('is refused a secret as the new value, and gets nothing for an id of nothing', async () => {
    const fact = await say(['Render', 1]);
    const secret = { value: 'ghp_0123456789abcdefghijABCDEFGHIJ012345', from: null, note: null };
    await expect(
      stage.memory.writer.correct(stage.memory.accountId, fact('Render'), secret),
    ).rejects.toMatchObject({
      code: 'bad_request',
    });
    const nothing = stage.memory.project.id;
    expect(
      await stage.memory.writer.correct(stage.memory.accountId, nothing, { ...secret, value: 'x' }),
    ).toBeNull();
    expect(await stage.memory.writer.close(stage.memory.accountId, nothing, null)).toBeNull();
    expect(await stage.memory.writer.setArity(stage.memory.accountId, nothing, 'many')).toBeNull();
    expect(await stage.memory.writer.takeBack(stage.memory.accountId, [nothing], 'undone', null)).toBeNull();
    expect(await stage.memory.writer.takeBack(stage.memory.accountId, [], 'undone', null)).toBeNull();
  });
});

test('every change is in the audit list, newest first, by pages, without a word of what was said', async () => {
  const fact = await say(['Render', 1], ['Fly', 5]);
  await stage.memory.writer.reopen(stage.memory.accountId, fact('Render'));
  const slot = await slotOf();
  const first = await stage.memory.reader.acts(stage.memory.accountId, null, 2);
  expect(first.map(({ act, actor, slot, counts }) => ({ act, actor, slot, counts }))).toEqual([
    { act: 'memory.reopen', actor: 'person', slot, counts: { statements: 1, opened: 1, closed: 2 } },
    { act: 'memory.learn', actor: 'rules/1', slot, counts: { statements: 1, opened: 2, closed: 1 } },
  ]);
  const rest = await stage.memory.reader.acts(stage.memory.accountId, first.at(-1) ?? null, 9);
  expect(rest.map(({ counts }) => counts)).toEqual([{ statements: 1, opened: 1, closed: 0 }]);
});

describe('a place', () => {
  test('reads its own repository, worktree and thread, and nothing else; one that is not known reads nothing', async () => {
    const { project, worktrees, otherProject, thread, accountId, writer, place } = stage.memory;
    const canary = await memoryScene(stage.pool, 'elsewhere');
    await canary.writer.write(
      canary.accountId,
      [draft(canary.project, 'canary', 1, { subject: 'canary' })],
      RULES,
    );
    const scopes = { project, first: worktrees[0], second: worktrees[1], otherProject, thread };
    for (const [subject, scope] of Object.entries(scopes))
      await writer.write(accountId, [draft(scope, 'x', 1, { subject, predicate: 'is' })], RULES);
    const at = async (where: Partial<typeof place>) =>
      (
        await stage.memory.known(null, null, { projectId: null, worktreeId: null, threadId: null, ...where })
      ).map((fact) => fact.split(' ')[0]);
    expect(await at(place)).toEqual(['first', 'project', 'thread']);
    expect(await at({ projectId: project.id, worktreeId: worktrees[1].id })).toEqual(['project', 'second']);
    expect(await at({ projectId: otherProject.id })).toEqual(['otherProject']);
    expect(await at({ worktreeId: worktrees[0].id })).toEqual(['first']);
    expect(await at({ projectId: thread.id })).toEqual([]);
    expect(await at({})).toEqual([]);
    expect(await at({ projectId: canary.project.id })).toEqual([]);
    expect(
      await stage.memory.reader.slot(
        accountId,
        (await canary.reader.acts(canary.accountId, null, 1))[0]?.slot as Uuid,
      ),
    ).toBeNull();
  });
});
