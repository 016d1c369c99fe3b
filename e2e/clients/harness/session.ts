import type { Json } from './normalise.ts';

type Fields = { readonly [key: string]: Json | undefined };

/** The agent's own id of the conversation, as its events name it; null where they do not. */
export function sessionOf(events: readonly Json[]): string | null {
  for (const event of events) {
    if (event === null || typeof event !== 'object' || Array.isArray(event)) continue;
    const { session_id, thread_id, sessionID, type, id: own } = event as Fields;
    // OpenCode writes `sessionID` on each event; Pi begins with one of the type `session`.
    const id = session_id ?? thread_id ?? sessionID ?? (type === 'session' ? own : undefined);
    if (typeof id === 'string') return id;
  }
  return null;
}
