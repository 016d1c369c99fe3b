import { ContextModeError } from '../../kernel/errors.ts';
import { isUuid, type Uuid } from '../../kernel/ids.ts';
import type { Page } from '../types.ts';

/** Where a page ended: the moment and the id of its last row. Rows are ordered newest first, by both. */
export interface CursorPlace {
  readonly at: Date;
  readonly id: Uuid;
}

/** The cursor of a place, opaque to callers. */
export function writeCursor(place: CursorPlace): string {
  return Buffer.from(`${place.at.getTime()}.${place.id}`).toString('base64url');
}

/**
 * The place of a cursor; null for none.
 * @throws ContextModeError `bad_request` for one that {@link writeCursor} did not make.
 */
export function readCursor(cursor: string | undefined): CursorPlace | null {
  if (cursor === undefined) return null;
  const [millis, id] = Buffer.from(cursor, 'base64url').toString().split('.');
  const at = new Date(Number(millis));
  if (!/^\d{1,15}$/.test(millis ?? '') || Number.isNaN(at.getTime()) || id === undefined || !isUuid(id)) {
    throw new ContextModeError('bad_request', 'The cursor is not one that a page gave.', {
      hint: 'Leave it out to begin with the newest, or pass `next` of the page before as it came.',
    });
  }
  return { at, id };
}

/** A page of at most `limit` of the rows; one row more than that says that there is a next page. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  place: (row: Row) => CursorPlace,
  item: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown.map(item), next: rows.length > limit && last ? writeCursor(place(last)) : null };
}

/** A number of rows to ask for: whole, at least 1. */
export function atLeastOne(limit: number): number {
  return Number.isFinite(limit) ? Math.max(1, Math.trunc(limit)) : 1;
}
