import { expect, test } from 'vitest';
import type { DocId } from '../../conversation/index.ts';
import { transaction } from '../../db/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { forgetDocuments, forgetFacts, forgetScopes } from './erasure.ts';
import { draft, memoryOfFile, onDay, PERSON, RULES } from './testing.ts';

const stage = memoryOfFile();

/** Learns something from a document of its own; answers both. */
async function learn(value: string, day: number, subject = 'production') {
  const docid = await stage.memory.typed(`${subject} is on ${value} since day ${day}`);
  const source = { docid, saidAt: onDay(day), start: 0, end: 5 };
  const one = draft(stage.memory.project, value, day, { subject, source });
  const { changes } = await stage.memory.writer.write(stage.memory.accountId, [one], RULES);
  const fact = changes[0]?.opened.find((version) => version.value.text === value)?.fact;
  if (fact === undefined) throw new Error('nothing was learned');
  return { docid, fact };
}

const forget = (...docids: readonly DocId[]) =>
  transaction(stage.pool, (connection) =>
    forgetDocuments(connection, stage.memory.stage.clock, stage.memory.accountId, docids),
  );

/** Tables of stage.memory, and the audit, that hold a word in any column. */
async function tablesWith(word: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const table of ['slot', 'statement', 'fact_version', 'audit']) {
    const { rows } = await stage.pool.query(
      `SELECT 1 FROM ${table} t WHERE account_id = $1 AND t::text ILIKE $2 LIMIT 1`,
      [stage.memory.accountId, `%${word}%`],
    );
    if (rows.length > 0) found.push(table);
  }
  return found;
}

const values = async () => (await stage.memory.known(null)).map((fact) => fact.split(' ').at(-1));

test('a document that is deleted takes what was drawn from it, in all of recorded time, and the rest closes up', async () => {
  await learn('Render', 1);
  const canary = await learn('Canary', 5);
  await learn('Fly', 9);
  expect(await tablesWith('canary')).toEqual(['statement', 'fact_version']);
  expect(await forget(canary.docid)).toBe(1);
  expect(await tablesWith('canary')).toEqual([]);
  expect(await stage.memory.known(onDay(6))).toEqual(['production deployed_to Render']);
  expect(await values()).toEqual(['Fly']);
});

test('what closed a fact and is deleted opens it again', async () => {
  await learn('Render', 1);
  const canary = await learn('Canary', 5);
  await forget(canary.docid);
  expect(await values()).toEqual(['Render']);
});

test('decisions about what is gone go with it, and nothing else of a person does', async () => {
  const canary = await learn('Canary', 1);
  await learn('Fly', 5);
  const reopened = await stage.memory.writer.reopen(stage.memory.accountId, canary.fact);
  if (typeof reopened === 'string') throw new Error(reopened);
  const undone = await stage.memory.writer.takeBack(
    stage.memory.accountId,
    reopened.written,
    'undone',
    'canary again',
  );
  await stage.memory.writer.takeBack(stage.memory.accountId, undone?.written ?? [], 'undone', null);
  await stage.memory.writer.close(stage.memory.accountId, canary.fact, onDay(60));
  await stage.memory.writer.write(stage.memory.accountId, [draft(stage.memory.project, 'Render', 7)], PERSON);
  await forget(canary.docid);
  expect(await tablesWith('canary')).toEqual([]);
  expect(await values()).toEqual(['Render']);
  const { rows } = await stage.pool.query('SELECT kind FROM statement WHERE account_id = $1 ORDER BY kind', [
    stage.memory.accountId,
  ]);
  expect(rows.map(({ kind }) => kind)).toEqual(['value', 'value']);
});

test('a fact that another document states too stays, and a slot of which nothing is left goes', async () => {
  const first = await learn('Render', 1);
  const again = await learn('Fly', 3, 'canary');
  await stage.memory.writer.write(
    stage.memory.accountId,
    [
      draft(stage.memory.project, 'Render', 2, {
        source: { docid: again.docid, saidAt: onDay(2), start: 0, end: 1 },
      }),
    ],
    RULES,
  );
  await forget(first.docid);
  expect(await stage.memory.known(onDay(1))).toEqual([]);
  expect(await values()).toEqual(['Fly', 'Render']);
  await forget(again.docid);
  expect(await values()).toEqual([]);
  for (const table of ['slot', 'statement', 'fact_version']) {
    const { rows } = await stage.pool.query(`SELECT 1 FROM ${table} WHERE account_id = $1`, [
      stage.memory.accountId,
    ]);
    expect(rows).toEqual([]);
  }
});

test('a project that is deleted takes its facts, whoever stated them; all go with the archive', async () => {
  await learn('Render', 1);
  await stage.memory.writer.write(
    stage.memory.accountId,
    [draft(stage.memory.project, 'canary', 3, { subject: 'canary' })],
    PERSON,
  );
  await stage.memory.writer.write(
    stage.memory.accountId,
    [draft(stage.memory.otherProject, 'Fly', 1)],
    PERSON,
  );
  const scopes: readonly Uuid[] = [stage.memory.project.id];
  expect(
    await transaction(stage.pool, (connection) => forgetScopes(connection, stage.memory.accountId, scopes)),
  ).toBe(2);
  expect(await tablesWith('canary')).toEqual([]);
  expect(
    await stage.memory.known(null, null, { ...stage.memory.place, projectId: stage.memory.otherProject.id }),
  ).toHaveLength(1);
  expect(await transaction(stage.pool, (connection) => forgetFacts(connection, stage.memory.accountId))).toBe(
    1,
  );
  expect(
    await stage.memory.known(null, null, { ...stage.memory.place, projectId: stage.memory.otherProject.id }),
  ).toEqual([]);
});
