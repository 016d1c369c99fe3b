import type { MessageHash } from '../../conversation/index.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { Beginning, FrozenChoices, ThreadName } from '../stored.ts';
import { choicesText, type NameColumns, nameColumns } from './columns.ts';
import { BUMP, hashesIn, joined, prepared, type Queryable } from './connection.ts';

interface BeginningRow extends NameColumns {
  readonly began: Buffer;
  readonly choices: FrozenChoices;
}

/**
 * Beginnings of a thread by its name, and those whose message is in a chain; oldest first. Those of the thread have its
 * name as it was asked for.
 * @param stored the thread's name, masked
 */
export async function readBeginnings(
  pool: Queryable,
  accountId: Uuid,
  asked: ThreadName,
  stored: ThreadName,
  chain: readonly MessageHash[],
): Promise<readonly Beginning[]> {
  const name = nameColumns(stored);
  const values = [accountId, name.agent, name.session, name.thread, joined(chain)];
  const { rows } = await pool.query<BeginningRow>(prepared('beginnings', BEGINNINGS, values));
  return rows.map(({ agent, session, thread, began, choices }) => {
    const isAsked = agent === name.agent && session === name.session && thread === name.thread;
    return {
      thread: isAsked ? asked : { agent, session, thread },
      began: began as Uint8Array as MessageHash,
      choices,
    };
  });
}

const BEGINNINGS = `
SELECT agent, session, thread, began, choices FROM (
  SELECT * FROM beginning WHERE account_id = $1 AND agent = $2 AND session = $3 AND thread = $4
  UNION ALL
  SELECT b.* FROM ${hashesIn('$5')} AS g CROSS JOIN LATERAL (
    SELECT * FROM beginning WHERE account_id = $1 AND began = g.hash AND (agent, session, thread) <> ($2, $3, $4)
  ) b
) found ORDER BY at, began`;

/** Keeps a beginning; one of this thread at this message stays as it is. */
export async function writeBeginning(
  pool: Queryable,
  accountId: Uuid,
  { thread, began, choices }: Beginning,
  at: Millis,
): Promise<void> {
  const name = nameColumns(thread);
  const values = [
    accountId,
    name.agent,
    name.session,
    name.thread,
    began,
    choicesText(choices),
    new Date(at),
  ];
  await pool.query(prepared('keep_beginning', KEEP_BEGINNING, values));
}

const KEEP_BEGINNING = `
WITH changed AS (
  INSERT INTO beginning (account_id, agent, session, thread, began, choices, at)
  VALUES ($1, $2, $3, $4, $5, $6::json, $7)
  ON CONFLICT DO NOTHING RETURNING 1
) ${BUMP}`;
