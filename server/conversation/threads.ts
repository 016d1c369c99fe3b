import type { RequestKind } from './model.ts';

const SIDE_KINDS = ['title', 'web_search', 'suggestion', 'compaction', 'count', 'prewarm', 'other'] as const;

/** A regular expression (PostgreSQL and JavaScript) for the names of threads that hold side requests. */
export const SIDE_THREAD = `(^|:)(${SIDE_KINDS.join('|')})$`;

/** True for what is neither a turn of the main line nor one of a sub-agent. */
export function isSideRequest(kind: RequestKind): kind is (typeof SIDE_KINDS)[number] {
  return (SIDE_KINDS as readonly RequestKind[]).includes(kind);
}

/** The thread that holds the side requests of one kind beside a thread (null: the main line). */
export function sideThread(thread: string | null, kind: (typeof SIDE_KINDS)[number]): string {
  return thread === null ? kind : `${thread}:${kind}`;
}
