import { createHash } from 'node:crypto';
import type { Millis } from '../../kernel/clock.ts';
import { plainText } from '../text.ts';

/** A PostgreSQL `bigint` as `pg` gives it. */
export type Big = string;

/** Longest name that goes into an index as it is, in characters; PostgreSQL's index rows end at 2,704 bytes. */
const NAME_CHARS = 400;

/** A name of another program's making, fit for a column and an index: what PostgreSQL refuses is replaced, a long one ends in its hash. */
export function name(text: string): string {
  const plain = plainText(text);
  if (plain.length <= NAME_CHARS) return plain;
  const hash = createHash('sha256').update(plain).digest('hex').slice(0, 32);
  return `${plainText(plain.slice(0, NAME_CHARS))}…${hash}`;
}

/** The same for a name that may be absent. */
export function nameOrNull(text: string | null): string | null {
  return text === null ? null : name(text);
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
