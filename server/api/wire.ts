import type { ArchiveReader, Document, LogRow, Page, RequestRow, SessionRow } from '../archive/types.ts';
import type { Millis } from '../kernel/clock.ts';
import type { RequestMark } from '../recall/index.ts';
import type { WireConnection, WireDocument, WireLogRow, WireRequest, WireSession } from './schemas.ts';

/** A moment as ISO 8601 in UTC with milliseconds. */
export function isoOf(at: Millis): string {
  return new Date(at).toISOString();
}

/** A session row as it leaves; `deletesAt` is the moment of a deletion that still can be undone. */
export function wireSession(row: SessionRow, deletesAt: Millis | null): WireSession {
  return {
    ...row,
    startedAt: isoOf(row.startedAt),
    lastSeenAt: isoOf(row.lastSeenAt),
    deletesAt: deletesAt === null ? null : isoOf(deletesAt),
  };
}

/** A log row as it leaves. */
export function wireLogRow(row: LogRow): WireLogRow {
  return { ...row, at: isoOf(row.at), data: row.data === null ? null : { ...row.data } };
}

/** A document as it leaves. */
export function wireDocument(found: Document): WireDocument {
  const { changed, fresh, ...rest } = found;
  return {
    ...rest,
    at: isoOf(found.at),
    media: found.media.map((one) => ({ ...one, href: `/api/v1/blobs/${one.hash}` })),
    ...(changed === undefined ? {} : { changed: { ...changed, at: isoOf(changed.at) } }),
    ...(fresh === undefined ? {} : { fresh: { ...fresh, at: isoOf(fresh.at) } }),
    sessions: { total: found.sessions.total, items: [...found.sessions.items] },
  };
}

/** A request row as it leaves; `mark`: what Recall did to it, null where nothing was to be done. */
export function wireRequest(row: RequestRow, mark: RequestMark | null): WireRequest {
  return {
    ...row,
    receivedAt: isoOf(row.receivedAt),
    edited: mark?.edited ?? false,
    made: mark?.made ?? null,
    unedited: mark?.unedited ?? null,
  };
}

/** What is known of one agent, as it leaves. */
export function wireConnection(
  row: Awaited<ReturnType<ArchiveReader['connections']>>[number],
): WireConnection {
  return { ...row, lastSeenAt: isoOf(row.lastSeenAt) };
}

/** A page with each row turned by `wire`. */
export function wirePage<Row, Wire>(
  page: Page<Row>,
  wire: (row: Row) => Wire,
): { items: Wire[]; next: string | null } {
  return { items: page.items.map(wire), next: page.next };
}
