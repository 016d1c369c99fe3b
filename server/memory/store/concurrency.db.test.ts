import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openPool } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { createLogger } from '../../kernel/log.ts';
import { foldSlot } from '../fold.ts';
import { replaySlot, type SlotWrite } from '../replay.ts';
import type { FactVersion } from '../types.ts';
import type { SlotRecord } from './reader.ts';
import { draft, type MemoryScene, memoryScene, onDay, PERSON, RULES } from './testing.ts';
import type { Author, FactDraft } from './types.ts';

let database: Database;
let second: pg.Pool;

beforeAll(async () => {
  database = await testDatabase();
  second = openPool(database.settings, createLogger('silent', 'test'), { max: 8 });
});
afterAll(async () => {
  await second.end();
  await database.stop();
});

/** Random numbers that are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const IMPORT: Author = { authority: 'import', name: 'backup' };
const VALUES = ['Render', 'Fly', 'Heroku', 'Railway', null] as const;

interface Said {
  readonly draft: FactDraft;
  readonly author: Author;
}

/** Statements about three slots of one repository, by an extractor and an import, no two from one moment on. */
function anyDrafts(memory: MemoryScene, count: number, seed: number): readonly Said[] {
  const pick = numbers(seed);
  return Array.from({ length: count }, (_, n) => {
    const value = VALUES[pick(VALUES.length)] ?? null;
    const subject = ['production', 'staging', 'docs'][pick(3)] ?? 'docs';
    const author = pick(4) === 0 ? IMPORT : RULES;
    const from = (onDay(pick(20)) + n) as Millis;
    return { draft: draft(memory.project, value, 0, { subject, from }), author };
  });
}

async function slotsOf(memory: MemoryScene): Promise<readonly SlotRecord[]> {
  const { rows } = await database.pool.query<{ id: Uuid }>(
    'SELECT id FROM slot WHERE account_id = $1 ORDER BY subject_key',
    [memory.accountId],
  );
  const found = await Promise.all(rows.map(({ id }) => memory.reader.slot(memory.accountId, id)));
  return found.filter((slot) => slot !== null);
}

/** The versions that the statements give when they are written again, one recorded time after the other. */
function replayed({ slot, statements }: SlotRecord): readonly FactVersion[] {
  const writes = new Map<Millis, SlotWrite['statements']>();
  for (const { said, recordedAt } of statements)
    writes.set(recordedAt, [...(writes.get(recordedAt) ?? []), said]);
  return replaySlot(
    [...writes].map(([at, said]) => ({ at, statements: said })),
    slot.usual,
  );
}

const inOrder = (versions: readonly FactVersion[]) =>
  versions.toSorted(
    (one, other) => one.recordedFrom - other.recordedFrom || (one.fact < other.fact ? -1 : 1),
  );

/** What is held for true, without what depends on when it was written. */
const truths = (slots: readonly SlotRecord[]) =>
  slots.map(({ slot, versions }) => [
    slot.subject,
    versions
      .filter((version) => version.recordedTo === null)
      .map(({ value, validFrom, validTo }) => [value.text, validFrom, validTo])
      .toSorted((one, other) => Number(one[1]) - Number(other[1])),
  ]);

async function atOnce(tasks: readonly (() => Promise<unknown>)[]): Promise<void> {
  const left = tasks.values();
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (const task of left) await task();
    }),
  );
}

/** Writes queue for the account's lock: a machine that is busy needs its time. Milliseconds. */
const QUEUE_MS = 240_000;

test(
  'two gateways that write the same slots at once, 150 times, give the history of all written at a stroke',
  async () => {
    const memory = await memoryScene(database.pool, 'at once');
    const writers = [memory.writer, memory.secondWriter(second)] as const;
    const said = anyDrafts(memory, 150, 7);
    await atOnce(
      said.map(
        ({ draft, author }, n) =>
          () =>
            (n % 2 === 0 ? writers[0] : writers[1]).write(memory.accountId, [draft], author),
      ),
    );
    const slots = await slotsOf(memory);
    expect(slots).toHaveLength(3);
    for (const slot of slots) {
      expect(inOrder(slot.versions)).toEqual(inOrder(replayed(slot)));
      expect(new Set(slot.statements.map(({ recordedAt }) => recordedAt)).size).toBe(slot.statements.length);
    }

    const alone = await memoryScene(database.pool, 'alone');
    for (const author of [RULES, IMPORT]) {
      const drafts = said.filter((one) => one.author === author).map((one) => one.draft);
      const there = drafts.map((one) => ({ ...one, scope: alone.project }));
      await alone.writer.write(alone.accountId, there, author);
    }
    expect(truths(slots)).toEqual(truths(await slotsOf(alone)));
  },
  QUEUE_MS,
);

test(
  'acts of persons and writes at once leave versions that a replay of the statements gives again',
  async () => {
    const memory = await memoryScene(database.pool, 'acts');
    const writers = [memory.writer, memory.secondWriter(second)] as const;
    const pick = numbers(11);
    const facts: Uuid[] = [];
    const acts: (readonly Uuid[])[] = [];
    const one = async (said: Said, n: number) => {
      const writer = n % 2 === 0 ? writers[0] : writers[1];
      const fact = facts[pick(Math.max(1, facts.length))];
      const choice = pick(6);
      if (choice === 0 && fact !== undefined) {
        const report = await writer.reopen(memory.accountId, fact);
        if (typeof report !== 'string') acts.push(report.written);
      } else if (choice === 1) {
        await writer.takeBack(memory.accountId, acts[pick(Math.max(1, acts.length))] ?? [], 'undone', null);
      } else if (choice === 2 && fact !== undefined) {
        await writer.correct(memory.accountId, fact, { value: `corrected ${n}`, from: null, note: null });
      } else {
        const { changes } = await writer.write(
          memory.accountId,
          [said.draft],
          pick(5) === 0 ? PERSON : said.author,
        );
        facts.push(...changes.flatMap(({ opened }) => opened.map((version) => version.fact)));
      }
    };
    await atOnce(anyDrafts(memory, 120, 3).map((said, n) => () => one(said, n)));
    expect(acts.length).toBeGreaterThan(3);
    for (const slot of await slotsOf(memory)) {
      expect(inOrder(slot.versions)).toEqual(inOrder(replayed(slot)));
      const { windows } = foldSlot(
        slot.statements.map(({ said }) => said),
        slot.slot.usual,
      );
      expect(slot.versions.filter((version) => version.recordedTo === null)).toHaveLength(windows.length);
    }
  },
  QUEUE_MS,
);

test('the database itself refuses a second value at one instant on both clocks, whoever writes it', async () => {
  const memory = await memoryScene(database.pool, 'constraint');
  await memory.writer.write(memory.accountId, [draft(memory.project, 'Render', 3)], RULES);
  const [slot] = await slotsOf(memory);
  const insert = (
    arity: string,
    hash: string,
    from: number,
    to: number | null,
    known: readonly [number, number | null],
  ) =>
    database.pool.query(
      `INSERT INTO fact_version (account_id, slot_id, fact, arity, value, value_key, value_hash, valid_from, valid_to,
         recorded_from, recorded_to, cause)
       VALUES ($1, $2, gen_random_uuid(), $3, 'v', 'v', decode(md5($4), 'hex'), $5, $6, $7, $8, 'asserted')`,
      [
        memory.accountId,
        slot?.slot.id,
        arity,
        hash,
        new Date(onDay(from)),
        to === null ? null : new Date(onDay(to)),
        new Date(onDay(known[0])),
        known[1] === null ? null : new Date(onDay(known[1])),
      ],
    );
  const refused = { code: '23P01' };
  await expect(insert('one', 'x', 1, null, [60, null])).rejects.toMatchObject(refused);
  await expect(insert('pair', 'x', 3, 4, [60, 61])).rejects.toMatchObject(refused);
  await insert('one', 'x', 1, 3, [60, null]);
  await insert('one', 'y', 1, null, [1, 2]);
  await insert('many', 'x', 1, null, [60, null]);
  await insert('many', 'y', 1, null, [60, null]);
  await expect(insert('many', 'x', 9, null, [61, 62])).rejects.toMatchObject(refused);
  await insert('event', 'x', 5, 5, [60, null]);
  await insert('event', 'x', 5, 5, [60, null]);
});
