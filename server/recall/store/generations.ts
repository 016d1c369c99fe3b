import { DOC_ID_PREFIX, type MessageHash } from '../../conversation/index.ts';
import type { Millis } from '../../kernel/clock.ts';
import { ContextModeError } from '../../kernel/errors.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { docidsIn } from '../index-text.ts';
import type { FrozenChoices, Generation, GenerationReason, IndexPiece } from '../stored.ts';
import {
  type ContentColumn,
  choicesText,
  contentOf,
  contentText,
  type NameColumns,
  nameColumns,
} from './columns.ts';
import { BUMP, hashesIn, joined, prepared, type Queryable } from './connection.ts';

interface GenerationRow extends NameColumns {
  readonly made_at: Buffer;
  readonly reason: GenerationReason;
  readonly content: ContentColumn | null;
  readonly choices: FrozenChoices;
  readonly at: Date;
  readonly tokens_before: number;
  readonly tokens_after: number;
}

/** The generations that were made at messages of a chain. */
export async function readGenerations(
  pool: Queryable,
  accountId: Uuid,
  chain: readonly MessageHash[],
): Promise<readonly Generation[]> {
  const values = [accountId, joined(chain)];
  const { rows } = await pool.query<GenerationRow>(prepared('generations', GENERATIONS, values));
  return rows.map(generationOf);
}

const GENERATIONS = `
SELECT l.* FROM ${hashesIn('$2')} AS g CROSS JOIN LATERAL (
  SELECT * FROM layout WHERE account_id = $1 AND made_at = g.hash LIMIT 1
) l`;

/**
 * Keeps a generation unless its message has one, and answers the one that holds there.
 * @throws ContextModeError `conflict` where the newest document of its index was deleted meanwhile: nothing of it is kept.
 */
export async function writeGeneration(
  pool: Queryable,
  accountId: Uuid,
  generation: Generation,
): Promise<Generation> {
  const name = nameColumns(generation.thread);
  const newest = newestDocument(generation.layout?.index ?? []);
  const values = [
    accountId,
    generation.madeAt,
    generation.reason,
    contentText(generation.layout),
    choicesText(generation.choices),
    name.agent,
    name.session,
    name.thread,
    new Date(generation.at),
    generation.tokensBefore,
    generation.tokensAfter,
    newest?.slice(DOC_ID_PREFIX.length) ?? null,
  ];
  const { rowCount } = await pool.query(prepared('keep_generation', KEEP_GENERATION, values));
  if (rowCount === 1) return generation;
  const [holds] = await readGenerations(pool, accountId, [generation.madeAt]);
  if (holds !== undefined) return holds;
  throw new ContextModeError('conflict', 'What the layout is made of was deleted meanwhile.', {
    hint: 'The next request of the conversation is looked at anew.',
  });
}

/** The document is locked first: what a deletion takes while this waits, it takes before this looks. */
const KEEP_GENERATION = `
WITH standing AS (
  SELECT 1 FROM item WHERE account_id = $1 AND docid = $12 FOR KEY SHARE
), changed AS (
  INSERT INTO layout (account_id, made_at, reason, content, choices, agent, session, thread, at, tokens_before,
    tokens_after)
  SELECT $1, $2::bytea, $3::text, $4::json, $5::json, $6::text, $7::text, $8::text, $9::timestamptz, $10::int, $11::int
  WHERE $12::text IS NULL OR EXISTS (SELECT 1 FROM standing)
  ON CONFLICT DO NOTHING RETURNING 1
) ${BUMP}`;

/**
 * The newest document that an index tells of. It stands behind all others in the chain, so that it goes with the first
 * deletion that takes any of them.
 */
function newestDocument(pieces: readonly IndexPiece[]): string | null {
  for (let at = pieces.length - 1; at >= 0; at -= 1) {
    const piece = pieces[at];
    if (piece === undefined) continue;
    const docid = typeof piece === 'string' ? docidsIn(piece).at(-1) : piece.docid;
    if (docid !== undefined) return docid;
  }
  return null;
}

function generationOf(row: GenerationRow): Generation {
  return {
    madeAt: row.made_at as Uint8Array as MessageHash,
    reason: row.reason,
    layout: contentOf(row.content),
    choices: row.choices,
    thread: { agent: row.agent, session: row.session, thread: row.thread },
    at: row.at.getTime() as Millis,
    tokensBefore: row.tokens_before,
    tokensAfter: row.tokens_after,
  };
}
