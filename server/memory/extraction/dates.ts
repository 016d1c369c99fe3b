import type { Millis } from '../../kernel/clock.ts';

/** A day of the calendar; months from 1. */
interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** When something was said, and in which zone its words mean days. */
export interface SpokenAt {
  readonly saidAt: Millis;
  readonly zone: string;
}

/** A date in a sentence. */
export interface FoundDate {
  /** Where its words stand in the sentence, with the word that leads them in (`since Monday`). */
  readonly start: number;
  readonly end: number;
  /** The word that leads it in, in small letters; empty where there is none (`yesterday`). */
  readonly by: string;
  /** The beginning of the day in its zone. */
  readonly at: Millis;
  /** True where year, month and day are written out. */
  readonly written: boolean;
}

const DAY_MS = 86_400_000;
/** Furthest that a date may lie from when it was said: years back and ahead. */
const YEARS_BACK = 30;
const YEARS_AHEAD = 5;

const MONTHS = [
  ['january', 'jan'],
  ['february', 'feb'],
  ['march', 'mar'],
  ['april', 'apr'],
  ['may'],
  ['june', 'jun'],
  ['july', 'jul'],
  ['august', 'aug'],
  ['september', 'sept', 'sep'],
  ['october', 'oct'],
  ['november', 'nov'],
  ['december', 'dec'],
] as const;
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
const NUMBERS = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
] as const;
const UNITS = { day: 1, week: 7 } as const;

const MONTH = MONTHS.flat().join('|');
const WEEKDAY = WEEKDAYS.join('|');
const COUNT = `\\d{1,3}|an?|${NUMBERS.join('|')}`;
/** What may stand before a month alone. */
const MONTHLY: ReadonlySet<string> = new Set(['in', 'since', 'as of', 'until', 'till']);
const DATE = [
  '(?<iso>\\d{4}-\\d{2}-\\d{2})',
  `(?<month>${MONTH})\\.? (?<day>\\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>\\d{4}))?`,
  `(?<day2>\\d{1,2})(?:st|nd|rd|th|\\.)? (?:of )?(?<month2>${MONTH})\\.?(?:,? (?<year2>\\d{4}))?`,
  `(?<month3>${MONTH})(?: (?<year3>\\d{4}))?`,
  `(?:(?<which>last|this|next|this past) )?(?<weekday>${WEEKDAY})`,
  '(?<near>yesterday|today|tomorrow|the day before yesterday)',
  '(?<span>last|next) (?<unit>week|month|year)',
  `(?<count>${COUNT}) (?<ago>day|week|month|year)s? ago`,
].join('|');
const FOUND = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:(?<by>since|as of|from|starting(?: on| from)?|effective(?: from)?|until|till|through|on|by|in) )?(?:${DATE})(?: (?:on|onwards?))?(?![\\p{L}\\p{N}-])`,
  'iu',
);

/** The first date in a sentence, if its words mean one day. */
export function findDate(sentence: string, spoken: SpokenAt): FoundDate | null {
  const match = FOUND.exec(sentence);
  if (match === null) return null;
  const by = (match.groups?.by ?? '').toLowerCase();
  const groups = match.groups ?? {};
  // `may` and `march` are verbs too.
  const month = groups.month ?? groups.month2 ?? groups.month3 ?? 'M';
  if (by === '' && !/^\p{Lu}/u.test(month)) return null;
  if (groups.month3 !== undefined && groups.year3 === undefined && !MONTHLY.has(by)) return null;
  const day = dayOf(groups, today(spoken), by);
  if (day === null || !isNear(day, today(spoken))) return null;
  const written = groups.iso !== undefined || match[0].match(/\b\d{4}\b/) !== null;
  const { index: start } = match;
  return { start, end: start + match[0].length, by, at: startOfDay(day, spoken.zone), written };
}

/** A day as `2026-11-30`. */
export function isoDay(at: Millis, zone: string): string {
  const { year, month, day } = localDay(at, zone);
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

type Groups = Readonly<Record<string, string | undefined>>;

function dayOf(groups: Groups, now: Day, by: string): Day | null {
  const ahead = ['from', 'starting', 'starting on', 'starting from', 'until', 'till', 'by'].includes(by);
  const iso = groups.iso;
  if (iso !== undefined) return existing(...(iso.split('-').map(Number) as [number, number, number]));
  const month = monthOf(groups.month ?? groups.month2 ?? groups.month3);
  if (month > 0) return calendarDay(groups, month, now, ahead);
  if (groups.weekday !== undefined) return weekdayOf(groups, now, ahead);
  if (groups.near !== undefined) return plusDays(now, NEAR[groups.near.toLowerCase()] ?? 0);
  const unit = groups.unit?.toLowerCase();
  if (unit !== undefined) return plusUnits(now, unit, groups.span?.toLowerCase() === 'next' ? 1 : -1);
  const ago = groups.ago?.toLowerCase();
  return ago === undefined ? null : plusUnits(now, ago, -countOf(groups.count ?? ''));
}

const NEAR: Readonly<Record<string, number>> = {
  yesterday: -1,
  today: 0,
  tomorrow: 1,
  'the day before yesterday': -2,
};

function monthOf(name: string | undefined): number {
  if (name === undefined) return 0;
  return 1 + MONTHS.findIndex((names) => (names as readonly string[]).includes(name.toLowerCase()));
}

/** Without a year the nearest such day behind, or ahead where the words look ahead. */
function calendarDay(groups: Groups, month: number, now: Day, ahead: boolean): Day | null {
  const day = Number(groups.day ?? groups.day2 ?? 1);
  const written = groups.year ?? groups.year2 ?? groups.year3;
  if (written !== undefined) return existing(Number(written), month, day);
  const here = existing(now.year, month, day);
  if (here === null) return null;
  const offset = numberOf(here) - numberOf(now);
  if (ahead && offset < 0) return existing(now.year + 1, month, day);
  if (!ahead && offset > 0) return existing(now.year - 1, month, day);
  return here;
}

function weekdayOf(groups: Groups, now: Day, ahead: boolean): Day {
  const wanted = WEEKDAYS.indexOf((groups.weekday ?? '').toLowerCase() as (typeof WEEKDAYS)[number]);
  const back = (new Date(numberOf(now) * DAY_MS).getUTCDay() - wanted + 7) % 7;
  const which = groups.which?.toLowerCase();
  if (which === 'last' || which === 'this past') return plusDays(now, back === 0 ? -7 : -back);
  if (which === 'next') return plusDays(now, 7 - back);
  const isAhead = ahead || which === 'this';
  return plusDays(now, isAhead ? (7 - back) % 7 : -back);
}

function countOf(text: string): number {
  const word = text.toLowerCase();
  if (word === 'a' || word === 'an') return 1;
  const named = NUMBERS.indexOf(word as (typeof NUMBERS)[number]);
  return named >= 0 ? named : Number(word);
}

function plusUnits(from: Day, unit: string, count: number): Day {
  if (unit === 'day' || unit === 'week') return plusDays(from, count * UNITS[unit]);
  const months = from.year * 12 + (from.month - 1) + count * (unit === 'year' ? 12 : 1);
  const year = Math.floor(months / 12);
  const month = 1 + (((months % 12) + 12) % 12);
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return { year, month, day: Math.min(from.day, last) };
}

function plusDays(from: Day, days: number): Day {
  const date = new Date((numberOf(from) + days) * DAY_MS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** Days since 1970-01-01. */
function numberOf({ year, month, day }: Day): number {
  return Math.round(Date.UTC(year, month - 1, day) / DAY_MS);
}

function existing(year: number, month: number, day: number): Day | null {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? { year, month, day } : null;
}

function isNear(day: Day, now: Day): boolean {
  return day.year >= now.year - YEARS_BACK && day.year <= now.year + YEARS_AHEAD;
}

function today({ saidAt, zone }: SpokenAt): Day {
  return localDay(saidAt, zone);
}

function localDay(at: Millis, zone: string): Day {
  const date = new Date(at + offsetAt(at, zone));
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** The first instant of a day in a zone; where the clock skips midnight, the first that there is. */
function startOfDay(day: Day, zone: string): Millis {
  const midnight = numberOf(day) * DAY_MS;
  const candidates = [midnight - DAY_MS, midnight + DAY_MS].map(
    (near) => midnight - offsetAt(near as Millis, zone),
  );
  const [early = midnight, late = midnight] = candidates.toSorted((one, other) => one - other);
  const isMidnight = (at: number) => at + offsetAt(at as Millis, zone) === midnight;
  return (isMidnight(early) ? early : late) as Millis;
}

const formats = new Map<string, Intl.DateTimeFormat | null>();

/** Milliseconds that a zone's clock is ahead of UTC at an instant; of a zone that is not known 0. */
function offsetAt(at: Millis, zone: string): number {
  const format = formats.has(zone) ? formats.get(zone) : formatOf(zone);
  if (format === undefined || format === null) return 0;
  const name = format.formatToParts(at).find((part) => part.type === 'timeZoneName')?.value ?? 'GMT';
  const match = /GMT([+-])(\d{2}):(\d{2})/.exec(name);
  if (match === null) return 0;
  const [, sign, hours, minutes] = match;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

function formatOf(zone: string): Intl.DateTimeFormat | null {
  let format: Intl.DateTimeFormat | null = null;
  try {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  } catch {
    // Not a zone that this machine knows.
  }
  formats.set(zone, format);
  return format;
}
