import type pg from 'pg';
import { isUuid, type Uuid } from '../../kernel/ids.ts';
import { prepared, type Queryable } from './connection.ts';

/** What a console that looks on is told: ids alone, never content. */
export interface LiveEvent {
  readonly accountId: Uuid;
  /**
   * `request`: one came in or ended; `log`: a session's log grew; `planned`: a deletion was planned or taken back;
   * `deleted`: a session went, or (without a session) a project or the whole archive.
   */
  readonly kind: 'request' | 'log' | 'planned' | 'deleted';
  readonly sessionId: Uuid | null;
}

/** The channel on which every gateway of a database tells every console. */
export const LIVE_CHANNEL = 'context_mode_live';

/** Statement that tells of an event; parameters: account, kind, session or null. Run it after the commit it tells of. */
export const LIVE_NOTIFY = `SELECT pg_notify('${LIVE_CHANNEL}', json_build_array($1::uuid, $2::text, $3::uuid)::text)`;

/** How long an event that follows others of its kind waits for more of them. */
const TOLD_TOGETHER_MS = 25;

const NOTIFY_ALL = `
SELECT pg_notify('${LIVE_CHANNEL}', json_build_array(e.account, e.kind, e.session)::text)
FROM unnest($1::uuid[], $2::text[], $3::uuid[]) AS e(account, kind, session)`;

/** Events of each pool that wait to be told. */
const untold = new WeakMap<Queryable, Map<string, LiveEvent>>();

/**
 * Tells of an event behind the commit that it tells of, within a moment: what comes in that moment goes in one statement,
 * and the same event once. One that the database does not take is lost, as one that nobody listens for is.
 */
export function tellSoon(pool: Queryable, event: LiveEvent): void {
  const key = `${event.accountId} ${event.kind} ${event.sessionId}`;
  const waiting = untold.get(pool);
  if (waiting !== undefined) {
    waiting.set(key, event);
    return;
  }
  const events = new Map([[key, event]]);
  untold.set(pool, events);
  const tell = async () => {
    untold.delete(pool);
    const all = [...events.values()];
    const values = [
      all.map((one) => one.accountId),
      all.map((one) => one.kind),
      all.map((one) => one.sessionId),
    ];
    await pool.query(prepared('notify_all', NOTIFY_ALL, values)).catch(() => undefined);
  };
  setTimeout(tell, TOLD_TOGETHER_MS).unref();
}

/**
 * Listens on a connection of its own until `stop` or until the connection ends; the caller opens a new one then.
 * `onEvent` must not throw. Payloads that are not ours are passed over.
 */
export async function listenLive(
  connection: Pick<pg.ClientBase, 'query' | 'on' | 'off'>,
  onEvent: (event: LiveEvent) => void,
): Promise<{ stop(): Promise<void> }> {
  const listener = (message: pg.Notification) => {
    const event = message.channel === LIVE_CHANNEL ? readLive(message.payload ?? '') : null;
    if (event) onEvent(event);
  };
  connection.on('notification', listener);
  await connection.query(`LISTEN ${LIVE_CHANNEL}`);
  return {
    async stop() {
      connection.off('notification', listener);
      await connection.query(`UNLISTEN ${LIVE_CHANNEL}`);
    },
  };
}

function readLive(payload: string): LiveEvent | null {
  try {
    const value: unknown = JSON.parse(payload);
    if (!Array.isArray(value)) return null;
    const [accountId, kind, sessionId] = value as unknown[];
    if (typeof accountId !== 'string' || !isUuid(accountId)) return null;
    if (kind !== 'request' && kind !== 'log' && kind !== 'planned' && kind !== 'deleted') return null;
    if (sessionId !== null && (typeof sessionId !== 'string' || !isUuid(sessionId))) return null;
    return { accountId, kind, sessionId };
  } catch {
    return null;
  }
}
