import type pg from 'pg';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { item, type Scene, scene } from '../../archive/store/testing.ts';
import { type DocId, docIdOf } from '../../conversation/index.ts';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { FactPlace, Scope } from '../place.ts';
import type { Fact } from './reader.ts';
import { createMemoryReader, type MemoryReader } from './reader.ts';
import type { Author, FactDraft, MemoryWriter } from './types.ts';
import { createMemoryWriter } from './writer.ts';

/** An account with a repository of two worktrees, a second repository, and memory over it. */
export interface MemoryScene {
  readonly stage: Scene;
  readonly accountId: Uuid;
  readonly writer: MemoryWriter;
  readonly reader: MemoryReader;
  readonly project: Scope;
  readonly worktrees: readonly [Scope, Scope];
  readonly otherProject: Scope;
  readonly thread: Scope;
  /** Everything of the repository, its first worktree and the thread. */
  readonly place: FactPlace;
  /** A writer over another pool, as a second gateway has it. */
  secondWriter(pool: pg.Pool): MemoryWriter;
  /** Archives a typed text and answers its document. */
  typed(text: string): Promise<DocId>;
  /** What is true of the place at an instant on both clocks (null: now), as `subject predicate value`. */
  known(validAt: number | null, knownAt?: number | null, place?: FactPlace): Promise<readonly string[]>;
}

/** The built-in extractor, as an author. */
export const RULES: Author = { authority: 'extractor', name: 'rules/1' };
/** A person. */
export const PERSON: Author = { authority: 'person', name: 'person' };

/** A scene for each test of a file, each with an account of its own, on one database. Call it once, at the top. */
export function memoryOfFile(): { readonly pool: pg.Pool; readonly memory: MemoryScene } {
  let database: Database;
  let memory: MemoryScene;
  let accounts = 0;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.stop());
  beforeEach(async () => {
    accounts += 1;
    memory = await memoryScene(database.pool, `account ${accounts}`);
  });
  return {
    get pool() {
      return database.pool;
    },
    get memory() {
      return memory;
    },
  };
}

/** Makes a {@link MemoryScene} on a migrated database. */
export async function memoryScene(pool: pg.Pool, handle: string): Promise<MemoryScene> {
  const stage = await scene(pool, handle);
  const { accountId, clock } = stage;
  const options = { clock, accountKey: async () => stage.key };
  const reader = createMemoryReader(pool);
  const project = await makeProject(pool, stage);
  const worktrees = [
    await makeWorktree(pool, stage, project.id),
    await makeWorktree(pool, stage, project.id),
  ] as const;
  const otherProject = await makeProject(pool, stage);
  const thread: Scope = { kind: 'thread', id: (await stage.open('s')).threadId };
  const place = { projectId: project.id, worktreeId: worktrees[0].id, threadId: thread.id };
  let texts = 0;
  return {
    stage,
    accountId,
    writer: createMemoryWriter(pool, options),
    reader,
    project,
    worktrees,
    otherProject,
    thread,
    place,
    secondWriter: (other) => createMemoryWriter(other, options),
    async typed(text) {
      texts += 1;
      const [message] = stage.chain(stage.root, ['user', item({ text })]);
      if (message === undefined) throw new Error('no message');
      await stage.writer.append(stage.batch(await stage.open(`typed ${texts}`), [message]));
      return docIdOf(stage.key, message.hash, 0);
    },
    async known(validAt, knownAt = null, where = place) {
      const asOf = { validAt: (validAt ?? FAR) as Millis, knownAt: knownAt as Millis | null };
      return (await reader.facts(accountId, where, asOf, 100)).map(factShown);
    },
  };
}

const FAR = Date.UTC(2100, 0, 1);

function factShown({ slot, version }: Fact): string {
  return `${slot.subject} ${slot.predicate} ${version.value.text}`;
}

async function makeProject(pool: pg.Pool, stage: Scene): Promise<Scope> {
  const id = stage.id();
  await pool.query('INSERT INTO project (account_id, id, name, created_at) VALUES ($1, $2, $3, now())', [
    stage.accountId,
    id,
    'project',
  ]);
  return { kind: 'project', id };
}

async function makeWorktree(pool: pg.Pool, stage: Scene, project: Uuid): Promise<Scope> {
  const id = stage.id();
  await pool.query(
    'INSERT INTO worktree (account_id, id, project_id, path, seen_at) VALUES ($1, $2, $3, $4, now())',
    [stage.accountId, id, project, `/home/dev/${id}`],
  );
  return { kind: 'worktree', id };
}

/** A draft with sensible fields around the given ones; `from` in days behind the start of the test's time. */
export function draft(
  scope: Scope,
  value: string | null,
  day: number,
  fields: Partial<FactDraft> = {},
): FactDraft {
  return {
    scope,
    subject: 'production',
    predicate: 'deployed_to',
    value,
    kind: value === null ? 'end' : 'value',
    from: onDay(day),
    source: null,
    ...fields,
  };
}

/** A moment so many days behind the start of the test's time. */
export function onDay(day: number): Millis {
  return (Date.UTC(2026, 10, 1) + day * 86_400_000) as Millis;
}
