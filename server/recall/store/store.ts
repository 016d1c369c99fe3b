import { rootHash } from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { RecallStore, ThreadName } from '../stored.ts';
import { readBeginnings, writeBeginning } from './beginnings.ts';
import { readChainItems } from './chain-items.ts';
import { nameColumns } from './columns.ts';
import { prepared, type Queryable } from './connection.ts';
import { readGenerations, writeGeneration } from './generations.ts';
import { readHidden, writeHidden } from './hidden.ts';
import { mergedSwitches } from './switches.ts';

/** What the store takes from elsewhere. */
export interface RecallStoreOptions {
  /** The account's key (32 bytes), opened. Asked whenever it is needed: remember it there. */
  readonly accountKey: (accountId: Uuid) => Promise<Uint8Array>;
}

/** Makes a {@link RecallStore} over a pool. */
export function createRecallStore(pool: Queryable, { accountKey }: RecallStoreOptions): RecallStore {
  return {
    beginnings: (accountId, thread, chain) => readBeginnings(pool, accountId, thread, chain),
    keepBeginning: (accountId, beginning, at) => writeBeginning(pool, accountId, beginning, at),
    generations: (accountId, chain) => readGenerations(pool, accountId, chain),
    keepGeneration: (accountId, generation) => writeGeneration(pool, accountId, generation),
    hidden: (accountId, anchors) => readHidden(pool, accountId, anchors),
    keepHidden: (accountId, record) => writeHidden(pool, accountId, record),
    version: (accountId) => readVersion(pool, accountId),
    switches: (accountId, thread) => mergedSwitches(pool, accountId, thread),
    chainItems: (accountId, messages) => readChainItems(pool, accountId, messages),
    key: accountKey,
    async rootOf(accountId, thread) {
      const session = await sessionOf(pool, accountId, thread);
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
