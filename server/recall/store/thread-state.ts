import type { Uuid } from '../../kernel/ids.ts';
import { type NanoDollars, nanoDollars } from '../../kernel/money.ts';
import type { ThreadName, ThreadState } from '../stored.ts';
import { nameColumns } from './columns.ts';
import { prepared, type Queryable } from './connection.ts';

/** A state as its column holds it: money as text, since JSON's numbers are too short for it. */
type StateColumn = Omit<ThreadState, 'moment'> & {
  readonly moment: { readonly rented: string; readonly pauseDue: boolean };
};

/** The newest state of a thread; null: none was kept. @param thread its name, masked */
export async function readThreadState(
  pool: Queryable,
  accountId: Uuid,
  thread: ThreadName,
): Promise<ThreadState | null> {
  const name = nameColumns(thread);
  const values = [accountId, name.agent, name.session, name.thread];
  const { rows } = await pool.query<{ state: StateColumn }>(prepared('thread_state', READ, values));
  const [row] = rows;
  if (row === undefined) return null;
  const { moment, ...rest } = row.state;
  return { ...rest, moment: { ...moment, rented: rentedOf(moment.rented) } };
}

const READ = `
SELECT state FROM thread_state WHERE account_id = $1 AND agent = $2 AND session = $3 AND thread = $4`;

function rentedOf(text: string): NanoDollars {
  return nanoDollars(BigInt(text));
}

/** Keeps a thread's state, unless a newer one is there. @param thread its name, masked */
export async function writeThreadState(
  pool: Queryable,
  accountId: Uuid,
  thread: ThreadName,
  state: ThreadState,
): Promise<void> {
  const name = nameColumns(thread);
  const { moment } = state;
  const column: StateColumn = { ...state, moment: { ...moment, rented: String(moment.rented) } };
  const at = new Date(state.lastAt);
  const values = [accountId, name.agent, name.session, name.thread, JSON.stringify(column), at];
  await pool.query(prepared('keep_thread_state', WRITE, values));
}

const WRITE = `
INSERT INTO thread_state AS t (account_id, agent, session, thread, state, at)
VALUES ($1, $2, $3, $4, $5::json, $6)
ON CONFLICT (account_id, agent, session, thread) DO UPDATE SET state = EXCLUDED.state, at = EXCLUDED.at
WHERE t.at <= EXCLUDED.at`;
