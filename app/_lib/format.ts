/** Thin space (U+2009) between groups of three digits and before units. */
const THIN = '\u2009';

/** An integer in groups of three: `12 345`. */
export function integer(value: number): string {
  const digits = Math.abs(Math.round(value)).toString();
  const grouped = digits.replace(/\B(?=(\d{3})+$)/g, THIN);
  return value < 0 ? `−${grouped}` : grouped;
}

/** Bytes with a unit, three significant digits: `512 B`, `3.42 kB`, `10.1 MB`. Units of 1,000. */
export function byteSize(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let at = 0;
  while (value >= 999.5 && at < units.length - 1) {
    value /= 1000;
    at += 1;
  }
  return `${at === 0 ? integer(value) : threeDigits(value)}${THIN}${units[at]}`;
}

/** Milliseconds as a reader says them: `38 ms`, `4.21 s`, `3 min 05 s`, `2 h 10 min`. */
export function duration(ms: number): string {
  if (ms < 999.5) return `${ms < 9.95 ? Number(ms.toFixed(1)) : Math.round(ms)}${THIN}ms`;
  if (ms < 59_950) return `${threeDigits(ms / 1000)}${THIN}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)}${THIN}min ${two(seconds % 60)}${THIN}s`;
  return `${Math.floor(seconds / 3600)}${THIN}h ${two(Math.floor((seconds % 3600) / 60))}${THIN}min`;
}

/** Tokens in short: `950`, `12.3 k`, `1.20 M`. The exact number belongs beside it, on hover. */
export function tokens(count: number): string {
  if (count < 1000) return integer(count);
  if (count < 999_500) return `${threeDigits(count / 1000)}${THIN}k`;
  return `${threeDigits(count / 1_000_000)}${THIN}M`;
}

/**
 * Dollars, given as a decimal text with nine places, with three significant digits: `$0.0123`, `$4.20`, `$1 240`. The exact
 * amount belongs beside it, on hover.
 */
export function dollars(text: string): string {
  const value = Math.abs(Number(text));
  const sign = text.startsWith('-') && value > 0 ? '−' : '';
  if (value === 0) return '$0';
  if (value >= 999.5) return `${sign}$${integer(value)}`;
  const places = Math.min(9, Math.max(0, 2 - Math.floor(Math.log10(value))));
  const rounded = value.toFixed(places);
  // 0.09995 rounds up to 0.1000: one digit less is enough then.
  return `${sign}$${Number(rounded) >= 10 ** (3 - places) ? value.toFixed(Math.max(0, places - 1)) : rounded}`;
}

/** How long before `now` a moment lies, in words, within a day; null beyond it or in the future by over a minute. */
export function ago(at: number, now: number): string | null {
  const seconds = Math.round((now - at) / 1000);
  if (seconds < -60 || seconds >= 86_400) return null;
  if (seconds < 10) return 'just now';
  if (seconds < 60) return `${seconds}${THIN}s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}${THIN}min ago`;
  return `${Math.floor(seconds / 3600)}${THIN}h ago`;
}

/** Names of the parts that a time is written with, in one zone. */
export interface Zone {
  /** IANA name; absent: the viewer's own. */
  readonly timeZone?: string;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function format(key: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const id = `${key} ${options.timeZone ?? ''}`;
  const known = formats.get(id) ?? new Intl.DateTimeFormat('en-GB', options);
  formats.set(id, known);
  return known;
}

/** `14:05` in a zone. */
export function clockTime(at: number, zone: Zone = {}): string {
  return format('clock', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...zone }).format(at);
}

/** `14:05:09` in a zone. */
export function clockSeconds(at: number, zone: Zone = {}): string {
  return format('seconds', {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    ...zone,
  }).format(at);
}

/** `Mon 30 Nov 2026` in a zone. */
export function dayOf(at: number, zone: Zone = {}): string {
  return format('day', { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', ...zone })
    .format(at)
    .replace(',', '');
}

/** `30 Nov 14:05` in a zone. */
export function shortMoment(at: number, zone: Zone = {}): string {
  return `${format('date', { day: 'numeric', month: 'short', ...zone }).format(at)} ${clockTime(at, zone)}`;
}

/** Both zones in full, for hovering: the viewer's, then UTC. */
export function exactMoment(at: number, zone: Zone = {}): string {
  const name = zone.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const own = `${dayOf(at, zone)} ${clockSeconds(at, zone)} ${name}`;
  if (name === 'UTC') return own;
  const utc = { timeZone: 'UTC' };
  return `${own}\n${dayOf(at, utc)} ${clockSeconds(at, utc)} UTC`;
}

/** Midnight at the beginning of the day of `now`, in the viewer's zone. */
export function startOfDay(now: number): number {
  const day = new Date(now);
  day.setHours(0, 0, 0, 0);
  return day.getTime();
}

function threeDigits(value: number): string {
  return value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

function two(value: number): string {
  return value.toString().padStart(2, '0');
}
