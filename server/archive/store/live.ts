import type pg from 'pg';
import { isUuid, type Uuid } from '../../kernel/ids.ts';

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
