import type pg from 'pg';
import { createTurnsToLearn, type MessageHash, type NewMessage, type ThreadState } from '../archive/index.ts';
import { item, result, type Scene, scene } from '../archive/store/testing.ts';
import { turnsToLearn } from '../gateway/record/learns.ts';
import type { Uuid } from '../kernel/ids.ts';
import { createLogger } from '../kernel/log.ts';
import { createMetrics } from '../kernel/metrics.ts';
import {
  createMemoryReader,
  createMemoryWriter,
  type MemoryReader,
  type MemoryWriter,
} from '../memory/index.ts';
import { learnWaiting } from './learning.ts';

/** An account with one project, whose conversations are archived and learned from. */
export interface LearningScene extends Pick<Scene, 'clock' | 'accountId'> {
  readonly stage: Scene;
  readonly projectId: Uuid;
  readonly reader: MemoryReader;
  readonly writer: MemoryWriter;
  /** Opens a session in the project; `thread`: a sub-agent's. */
  open(session: string, thread?: string): Promise<ThreadState>;
  learn(): Promise<void>;
  /** Open facts of the project, as `subject predicate value`. */
  known(): Promise<readonly string[]>;
  counts(): ReturnType<MemoryReader['counts']>;
  /** A person states a fact by hand. */
  state(subject: string, predicate: string, value: string): Promise<void>;
  switchOff(): void;
  sessionNamed(name: string): Promise<Uuid>;
  /** An agent compacts a session: what was typed before and what is typed now stand at a new beginning. */
  compacted(session: string, before: string, now: string): Promise<void>;
  /** Rows of memory's tables, where there are any. */
  rows(): Promise<Readonly<Record<string, number>>>;
}

/** Makes a {@link LearningScene} on a migrated database. */
export async function learningScene(pool: pg.Pool, handle: string): Promise<LearningScene> {
  const stage = await scene(pool, handle);
  const { accountId, clock } = stage;
  const projectId = stage.id();
  const worktreeId = stage.id();
  await pool.query('INSERT INTO project (account_id, id, name, created_at) VALUES ($1, $2, $3, now())', [
    accountId,
    projectId,
    'shop',
  ]);
  await pool.query(
    'INSERT INTO worktree (account_id, id, project_id, path, seen_at) VALUES ($1, $2, $3, $4, now())',
    [accountId, worktreeId, projectId, '/home/dev/shop'],
  );
  const reader = createMemoryReader(pool);
  const writer = createMemoryWriter(pool, { clock, accountKey: async () => stage.key });
  const place = { projectId, worktreeId, threadId: null };
  let memory = true;
  const open = async (session: string, thread: string | null = null) => {
    const state = await stage.writer.openThread(
      accountId,
      {
        agent: 'claude-code',
        agentVersion: '2.1.0',
        clientSessionId: session,
        clientThreadId: thread,
        parentThreadId: null,
        kind: thread === null ? 'main' : 'subagent',
        place: { folder: null, root: null, remoteUrl: null, branch: null, commit: null, isRepository: null },
        uncertain: null,
      },
      { projectId, worktreeId },
      clock.now(),
    );
    if (state === null) throw new Error('no thread');
    return state;
  };
  return {
    stage,
    accountId,
    clock,
    projectId,
    reader,
    writer,
    open,
    async learn() {
      clock.advance(1_000);
      await learnWaiting(
        {
          turns: createTurnsToLearn(pool),
          reader,
          writer,
          switchesOf: async () => ({ memory, timeZone: 'UTC' }),
          clock,
          log: createLogger('silent', 'test'),
          metrics: createMetrics(),
        },
        accountId,
      );
    },
    async known() {
      clock.advance(1_000);
      const asOf = { validAt: clock.now(), knownAt: null };
      return (await reader.facts(accountId, place, asOf, 100)).map(
        ({ slot, version }) => `${slot.subject} ${slot.predicate} ${version.value.text}`,
      );
    },
    counts: () => reader.counts(accountId),
    async state(subject, predicate, value) {
      const scopeOf = { kind: 'project', id: projectId } as const;
      const draft = {
        scope: scopeOf,
        subject,
        predicate,
        value,
        kind: 'value',
        from: null,
        source: null,
      } as const;
      await writer.write(accountId, [draft], { authority: 'person', name: 'person' });
    },
    switchOff() {
      memory = false;
    },
    async sessionNamed(name) {
      const { rows } = await pool.query<{ id: Uuid }>(
        'SELECT id FROM session WHERE account_id = $1 AND client_session_id = $2',
        [accountId, name],
      );
      if (rows[0] === undefined) throw new Error(`no session ${name}`);
      return rows[0].id;
    },
    async compacted(session, before, now) {
      clock.advance(60_000);
      const thread = await open(session);
      const added = stage.chain(
        stage.root,
        ['user', item({ text: before })],
        ['user', item({ kind: 'compaction', text: 'A summary.' })],
        ['user', item({ text: now })],
      );
      await append(stage, thread, added, turnsIn(added, thread.head));
    },
    async rows() {
      const left: Record<string, number> = {};
      for (const table of ['slot', 'statement', 'fact_version', 'memory_review', 'unlearned_turn']) {
        const { rows } = await pool.query<{ n: number }>(
          `SELECT count(*)::int AS n FROM ${table} WHERE account_id = $1`,
          [accountId],
        );
        if ((rows[0]?.n ?? 0) > 0) left[table] = rows[0]?.n ?? 0;
      }
      return left;
    },
  };
}

/** A conversation that goes on. */
export interface ChainedTalk {
  /** The agent answers, and something is typed. */
  goOn(answer: string, typed: string): Promise<void>;
  /** A tool's result is sent, and nothing typed. */
  results(text: string): Promise<void>;
  /** The agent sends a reminder of its own, and nothing typed. */
  reminder(text: string): Promise<void>;
  /** A sub-agent is given a task. */
  subAgent(task: string): Promise<void>;
}

/** Archives a conversation of the scene's project, one request for each typed text, an answer between. */
export async function chainedTalk(
  scene: LearningScene,
  session: string,
  ...typed: readonly string[]
): Promise<ChainedTalk> {
  const { stage } = scene;
  let head: MessageHash = stage.root;
  const send = async (message: Parameters<Scene['chain']>[1], thread?: string) => {
    scene.clock.advance(60_000);
    const state = await scene.open(session, thread);
    const added = stage.chain(thread === undefined ? head : stage.root, message);
    await append(stage, state, added, turnsIn(added, state.head));
    if (thread === undefined) head = added.at(-1)?.hash ?? head;
  };
  const answer = async (text: string) => {
    scene.clock.advance(5_000);
    const produced = stage
      .chain(head, ['assistant', item({ kind: 'answer', text })])
      .map((one) => ({ ...one, origin: 'produced' as const }));
    await append(stage, await scene.open(session), produced, []);
    head = produced.at(-1)?.hash ?? head;
  };
  for (const text of typed) {
    await send(['user', item({ text })]);
    if (text !== typed.at(-1)) await answer('All right.');
  }
  return {
    async goOn(said, text) {
      await answer(said);
      await send(['user', item({ text })]);
    },
    results: async (text) => {
      await answer('I look.');
      await send(['user', result('call', text)]);
    },
    reminder: async (text) => {
      await answer('I see.');
      await send(['user', item({ kind: 'injected', text })]);
    },
    subAgent: (task) => send(['user', item({ text: task })], 'agent'),
  };
}

async function append(
  stage: Scene,
  thread: ThreadState,
  added: readonly NewMessage[],
  learns: readonly MessageHash[],
): Promise<void> {
  await stage.writer.append(stage.batch(thread, added, { learns }));
}

/** Which of new messages the recorder leaves to memory. */
function turnsIn(added: readonly NewMessage[], head: MessageHash | null): readonly MessageHash[] {
  return turnsToLearn({ added: added.map((one) => ({ ...one, message: one })) }, head);
}
