import { rootHash } from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { maskName, maskText } from '../../redaction/index.ts';
import type { RecallStore, ThreadName } from '../stored.ts';
import { readAnswered } from './answered.ts';
import { readBeginnings, writeBeginning } from './beginnings.ts';
import { readChainItems } from './chain-items.ts';
import { nameColumns } from './columns.ts';
import { prepared, type Queryable } from './connection.ts';
import { readGenerations, writeGeneration } from './generations.ts';
import { readHidden, writeHidden } from './hidden.ts';
import { mergedSwitches, readOffThroughout } from './switches.ts';
import { readThreadState, writeThreadState } from './thread-state.ts';

/** What the store takes from elsewhere. */
export interface RecallStoreOptions {
  /** The account's key (32 bytes), opened. Asked whenever it is needed: remember it there. */
  readonly accountKey: (accountId: Uuid) => Promise<Uint8Array>;
}

/**
 * Makes a {@link RecallStore} over a pool. Names of threads are kept as the archive has them: masked, since any client can
 * put a secret into one.
 */
export function createRecallStore(pool: Queryable, { accountKey }: RecallStoreOptions): RecallStore {
  const stored = async (accountId: Uuid, { agent, session, thread }: ThreadName): Promise<ThreadName> => {
    const key = await accountKey(accountId);
    return { agent, session: await maskName(session, key), thread: await maskName(thread, key) };
  };
  return {
    async beginnings(accountId, thread, chain) {
      return readBeginnings(pool, accountId, thread, await stored(accountId, thread), chain);
    },
    async keepBeginning(accountId, beginning, at) {
      const thread = await stored(accountId, beginning.thread);
      await writeBeginning(pool, accountId, { ...beginning, thread }, at);
    },
    generations: (accountId, chain) => readGenerations(pool, accountId, chain),
    async keepGeneration(accountId, generation) {
      const thread = await stored(accountId, generation.thread);
      return writeGeneration(pool, accountId, { ...generation, thread });
    },
    hidden: (accountId, anchors) => readHidden(pool, accountId, anchors),
    async keepHidden(accountId, record) {
      await writeHidden(pool, accountId, { ...record, thread: await stored(accountId, record.thread) });
    },
    async answered(accountId, thread, since, messages) {
      return readAnswered(pool, accountId, await stored(accountId, thread), since, messages);
    },
    async threadState(accountId, thread) {
      return readThreadState(pool, accountId, await stored(accountId, thread));
    },
    async keepThreadState(accountId, thread, state) {
      await writeThreadState(pool, accountId, await stored(accountId, thread), state);
    },
    version: (accountId) => readVersion(pool, accountId),
    isUntouched: (accountId) => readUntouched(pool, accountId),
    isOffThroughout: (accountId) => readOffThroughout(pool, accountId),
    async switches(accountId, thread, folder = null) {
      const masked = folder === null ? null : (await maskText(folder, await accountKey(accountId))).text;
      return mergedSwitches(pool, accountId, await stored(accountId, thread), masked);
    },
    chainItems: (accountId, messages) => readChainItems(pool, accountId, messages),
    key: accountKey,
    async rootOf(accountId, thread) {
      const session = await sessionOf(pool, accountId, await stored(accountId, thread));
      return session === null ? null : rootHash(await accountKey(accountId), session.projectId);
    },
  };
}

async function readVersion(pool: Queryable, accountId: Uuid): Promise<string> {
  const { rows } = await pool.query<{ version: string }>(
    prepared('version', 'SELECT version FROM recall_state WHERE account_id = $1', [accountId]),
  );
  return rows[0]?.version ?? '0';
}

async function readUntouched(pool: Queryable, accountId: Uuid): Promise<boolean> {
  const { rows } = await pool.query<{ untouched: boolean }>(prepared('untouched', UNTOUCHED, [accountId]));
  return rows[0]?.untouched ?? false;
}

const UNTOUCHED = `
SELECT NOT EXISTS (SELECT FROM beginning WHERE account_id = $1)
   AND NOT EXISTS (SELECT FROM layout WHERE account_id = $1)
   AND NOT EXISTS (SELECT FROM splice WHERE account_id = $1) AS untouched`;

async function sessionOf(
  pool: Queryable,
  accountId: Uuid,
  thread: ThreadName,
): Promise<{ readonly projectId: Uuid | null } | null> {
  const { agent, session } = nameColumns(thread);
  const { rows } = await pool.query<{ project_id: Uuid | null }>(
    prepared('session', SESSION, [accountId, agent, session]),
  );
  const [row] = rows;
  return row === undefined ? null : { projectId: row.project_id };
}

const SESSION =
  'SELECT project_id FROM session WHERE account_id = $1 AND agent = $2 AND client_session_id = $3';
