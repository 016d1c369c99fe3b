import type { Millis } from '../../kernel/clock.ts';
import { columnName, plainText } from '../../kernel/column-text.ts';

/** A PostgreSQL `bigint` as `pg` gives it. */
export type Big = string;

/** {@link columnName} at its usual length. It takes one value, so that it can be handed to `map`. */
export function name(text: string): string {
  return columnName(text);
}

/** The same for a name that may be absent. */
export function nameOrNull(text: string | null): string | null {
  return text === null ? null : columnName(text);
}

/** A text for a plain column, or null. */
export function plainOrNull(text: string | null): string | null {
  return text === null ? null : plainText(text);
}

/** A number for a `bigint` column: whole and inside what a JavaScript number holds exactly; null where it is neither. */
export function big(value: number | null): string | null {
  if (value === null || !Number.isFinite(value)) return null;
  const whole = Math.trunc(value);
  return Number.isSafeInteger(whole) ? String(whole) : null;
}

/** A `bigint` column as a number. */
export function numberOrNull(value: Big | null): number | null {
  return value === null ? null : Number(value);
}

/** A column of time as milliseconds. */
export function millisOf(at: Date): Millis {
  return at.getTime() as Millis;
}

/** Milliseconds for a column of time. */
export function dateOf(at: Millis): Date {
  return new Date(at);
}

/** Small facts as `jsonb`: texts in them are made fit for PostgreSQL. */
export function json(data: Readonly<Record<string, string | number | boolean | null>>): string {
  const entries = Object.entries(data).map(([key, value]) => [
    plainText(key),
    typeof value === 'string' ? plainText(value) : value,
  ]);
  return JSON.stringify(Object.fromEntries(entries));
}
