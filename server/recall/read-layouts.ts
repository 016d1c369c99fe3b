import { DOC_ID_PREFIX, type DocId, hexOf } from '../conversation/index.ts';
import type { Millis } from '../kernel/clock.ts';
import type { Uuid } from '../kernel/ids.ts';
import { shownIndex, type TypedText, typedIn } from './read-index.ts';
import type { LayoutDetail, LayoutRow } from './read-types.ts';
import type { ContentColumn } from './store/columns.ts';
import type { Queryable } from './store/connection.ts';
import type { FrozenChoices, GenerationReason } from './stored.ts';

interface StoredLayout {
  readonly made_at: Buffer;
  readonly reason: GenerationReason;
  readonly content: ContentColumn | null;
  readonly choices: FrozenChoices;
  readonly thread: string;
  readonly at: Date;
  readonly tokens_before: number;
  readonly tokens_after: number;
  readonly boundary_seq: number | null;
}

const COLUMNS = `l.made_at, l.reason, l.content, l.choices, l.thread, l.at, l.tokens_before, l.tokens_after,
  (SELECT min(e.seq) FROM event e WHERE e.account_id = $1 AND e.session_id = $2
     AND e.message_hash = decode(l.content->>'boundaryMessage', 'hex')) AS boundary_seq`;

/** The generations of a session by its agent's name for it, newest first. */
export async function readLayouts(
  pool: Queryable,
  accountId: Uuid,
  sessionId: Uuid,
): Promise<readonly LayoutRow[]> {
  const { rows } = await pool.query<StoredLayout>(
    `SELECT ${COLUMNS} FROM session s
     JOIN layout l ON l.account_id = s.account_id AND l.agent = s.agent AND l.session = s.client_session_id
     WHERE s.account_id = $1 AND s.id = $2 ORDER BY l.at DESC, l.made_at`,
    [accountId, sessionId],
  );
  return rows.map(rowOf);
}

/**
 * A generation by its message with its texts. It may have been made in another session: what was forked from that one
 * shares it. The log position is of the given session.
 */
export async function readLayout(
  pool: Queryable,
  accountId: Uuid,
  sessionId: Uuid,
  message: string,
): Promise<LayoutDetail | null> {
  const { rows } = await pool.query<StoredLayout>(
    `SELECT ${COLUMNS} FROM layout l WHERE l.account_id = $1 AND l.made_at = decode($3, 'hex')`,
    [accountId, sessionId, message],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { content, choices } = row;
  if (content === null) return { ...rowOf(row), index: null, masked: 0, memory: choices.memory, left: 0 };
  const typed = await readTyped(pool, accountId, typedIn(content.index));
  const shown = shownIndex(content.index, typed);
  return {
    ...rowOf(row),
    index: shown?.text ?? null,
    masked: shown?.masked ?? 0,
    memory: content.memory ?? choices.memory,
    left: await countBefore(pool, accountId, content.boundaryMessage),
  };
}

async function readTyped(
  pool: Queryable,
  accountId: Uuid,
  docids: readonly DocId[],
): Promise<ReadonlyMap<DocId, TypedText>> {
  const { rows } = await pool.query<{ docid: string; text: string; masked: boolean; original_size: string }>(
    'SELECT docid, text, masked, original_size FROM item WHERE account_id = $1 AND docid = ANY($2::text[])',
    [accountId, docids.map((docid) => docid.slice(DOC_ID_PREFIX.length))],
  );
  return new Map(
    rows.map(({ docid, text, masked, original_size }) => [
      `${DOC_ID_PREFIX}${docid}` as DocId,
      { text, masked, originalSize: Number(original_size) },
    ]),
  );
}

/** Messages of the chain in front of one. */
async function countBefore(pool: Queryable, accountId: Uuid, message: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `WITH RECURSIVE above AS (
       SELECT m.hash, m.parent FROM message m WHERE m.account_id = $1 AND m.hash = decode($2, 'hex')
       UNION ALL
       SELECT m.hash, m.parent FROM above CROSS JOIN LATERAL (
         SELECT hash, parent FROM message WHERE account_id = $1 AND hash = above.parent LIMIT 1
       ) m
     )
     SELECT greatest(count(*) - 1, 0)::int AS count FROM above`,
    [accountId, message],
  );
  return rows[0]?.count ?? 0;
}

function rowOf(row: StoredLayout): LayoutRow {
  const { content, choices } = row;
  return {
    message: hexOf(row.made_at),
    thread: row.thread === '' ? 'main' : row.thread,
    reason: row.reason,
    at: row.at.getTime() as Millis,
    tokensBefore: row.tokens_before,
    tokensAfter: row.tokens_after,
    content:
      content === null
        ? null
        : {
            boundary: content.boundaryMessage,
            boundarySeq: row.boundary_seq,
            indexTokens: content.indexTokens,
            hasMemory: content.memory !== null,
            settings: content.settings,
            renderer: content.renderer,
          },
    choices: { tool: choices.tool, trimming: choices.trimming },
  };
}
