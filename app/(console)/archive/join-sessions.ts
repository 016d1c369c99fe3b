import type { WireSession } from '@/server/api/index.ts';

/**
 * One list out of the newest page, what stands between it and the older pages (null: nothing), and the older pages.
 * A session stands once, at its newest place. `joins` is false where so much has arrived that even the page between does
 * not reach the older ones: then there may be a hole, and these must be asked for anew. It reaches them where it holds one
 * of them that was not seen again since.
 */
export function joinSessions<Session extends Pick<WireSession, 'id' | 'lastSeenAt'>>(
  head: readonly Session[],
  bridge: { readonly items: readonly Session[]; readonly next: string | null } | null,
  older: readonly Session[],
): { readonly rows: readonly Session[]; readonly joins: boolean } {
  const known = new Map<string, string>();
  const rows: Session[] = [];
  const push = (session: Session) => {
    if (known.has(session.id)) return;
    known.set(session.id, session.lastSeenAt);
    rows.push(session);
  };
  head.forEach(push);
  bridge?.items.forEach(push);
  const joins =
    bridge === null ||
    bridge.next === null ||
    older.length === 0 ||
    older.some(({ id, lastSeenAt }) => known.get(id) === lastSeenAt);
  if (joins) older.forEach(push);
  return { rows, joins };
}
