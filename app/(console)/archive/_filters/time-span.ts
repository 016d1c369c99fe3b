import { parseAsString, parseAsStringLiteral } from 'nuqs';
import { startOfDay } from '@/app/_lib/format.ts';

const SPANS = ['today', '7d', '30d', 'between', 'all'] as const;

/** A span of time that a list is narrowed to. */
export type Span = (typeof SPANS)[number];

/** A span in the address; `since` and `until` are days (`2026-11-30`) and hold for `between` alone. */
export const SPAN_STATE = {
  span: parseAsStringLiteral(SPANS).withDefault('all'),
  since: parseAsString.withDefault(''),
  until: parseAsString.withDefault(''),
};

/** The values of {@link SPAN_STATE}. */
export interface SpanState {
  readonly span: Span;
  readonly since: string;
  readonly until: string;
}

const DAY = 86_400_000;

/**
 * The bounds of a span as ISO 8601: `from` inclusive, `to` exclusive, in the viewer's zone.
 * @param now milliseconds since 1970; 0 while it is not known, for which there is no answer yet (null)
 */
export function boundsOf(
  { span, since, until }: SpanState,
  now: number,
): { readonly from?: string; readonly to?: string } | null {
  if (span === 'all') return {};
  if (now === 0) return null;
  const today = startOfDay(now);
  if (span === 'today') return { from: isoOf(today) };
  if (span === '7d') return { from: isoOf(startOfDay(today - 6 * DAY)) };
  if (span === '30d') return { from: isoOf(startOfDay(today - 29 * DAY)) };
  const from = dayIn(since, 0);
  const to = dayIn(until, 1);
  return {
    ...(from === null ? {} : { from: isoOf(from) }),
    ...(to === null ? {} : { to: isoOf(to) }),
  };
}

/** Midnight of a day in the viewer's zone, `later` days on; null for what is no day. */
function dayIn(text: string, later: number): number | null {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (found === null) return null;
  const day = new Date(Number(found[1]), Number(found[2]) - 1, Number(found[3]) + later);
  return Number.isNaN(day.getTime()) ? null : day.getTime();
}

function isoOf(at: number): string {
  return new Date(at).toISOString();
}
