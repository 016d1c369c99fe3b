import type { Uuid } from '../../kernel/ids.ts';
import { WORDS_VERSION } from '../search/words.ts';
import { prepared, type Queryable } from './connection.ts';

/** The row of `search_state`, locked. */
export interface SearchState {
  readonly version: number;
  readonly next_doc: number;
  readonly next_batch: number;
  readonly levels: readonly number[];
  readonly joining: number | null;
  readonly joined_up_to: string | null;
  /** Documents whose postings may not tell what stands beside their words: the first, and the first behind; null: none. */
  readonly neighbours_from: number | null;
  readonly neighbours_until: number | null;
}

/**
 * Takes the lock on an account's index and answers where it stands; makes its row at the first call. An index whose words
 * were made in another way is emptied, and everything is named for indexing again.
 */
export async function lockSearch(connection: Queryable, accountId: Uuid): Promise<SearchState> {
  const state = await lockedRow(connection, accountId);
  if (state.version === WORDS_VERSION) return state;
  await connection.query('DELETE FROM posting WHERE account_id = $1', [accountId]);
  await connection.query('DELETE FROM chunk WHERE account_id = $1', [accountId]);
  await connection.query('DELETE FROM search_state WHERE account_id = $1', [accountId]);
  await connection.query(
    `INSERT INTO unindexed_item (account_id, message_hash, position)
     SELECT i.account_id, i.message_hash, i.position
     FROM item i JOIN message m ON m.account_id = i.account_id AND m.hash = i.message_hash
     WHERE i.account_id = $1 ORDER BY m.seen_at, i.message_hash, i.position
     ON CONFLICT DO NOTHING`,
    [accountId],
  );
  return lockedRow(connection, accountId);
}

async function lockedRow(connection: Queryable, accountId: Uuid): Promise<SearchState> {
  await connection.query(
    prepared(
      'search_open',
      'INSERT INTO search_state (account_id, version) VALUES ($1, $2) ON CONFLICT (account_id) DO NOTHING',
      [accountId, WORDS_VERSION],
    ),
  );
  const { rows } = await connection.query<SearchState>(
    prepared(
      'search_lock',
      `SELECT version, next_doc, next_batch, levels, joining, joined_up_to, neighbours_from, neighbours_until
       FROM search_state WHERE account_id = $1 FOR UPDATE`,
      [accountId],
    ),
  );
  const [state] = rows;
  if (!state) throw new Error('the index of an account has no state');
  return state;
}
