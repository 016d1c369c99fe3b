/** A place that a reader names: a log position, or a moment. */
export type NamedPlace =
  | { readonly seq: number }
  /** Milliseconds since 1970. */
  | { readonly moment: number };

/**
 * What words such as `1200`, `#1200`, `14:05`, `14:05:30`, `2026-11-30` or `2026-11-30 14:05` name, in the viewer's zone.
 * Null: nothing.
 * @param day a moment in the day that a time without a day is in
 */
export function placeNamed(words: string, day: number): NamedPlace | null {
  const text = words.trim();
  const seq = /^#?(\d{1,9})$/.exec(text);
  if (seq !== null) return { seq: Number(seq[1]) };
  const found = /^(?:(\d{4})-(\d{1,2})-(\d{1,2}))?(?:(?:^|[ T]+)(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/.exec(text);
  if (text === '' || found === null) return null;
  const [, year, month, date, hour = '0', minute = '0', second = '0'] = found;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const base = new Date(day);
  if (year !== undefined) base.setFullYear(Number(year), Number(month) - 1, Number(date));
  if (year !== undefined && (base.getMonth() !== Number(month) - 1 || base.getDate() !== Number(date)))
    return null;
  base.setHours(Number(hour), Number(minute), Number(second), 0);
  return { moment: base.getTime() };
}

/**
 * The first position at or behind a moment; the last one where none is behind. Times ascend with positions.
 * @param timeAt milliseconds since 1970 of a position; it is asked about twenty times in a million
 */
export async function positionAt(
  moment: number,
  first: number,
  last: number,
  timeAt: (seq: number) => Promise<number>,
): Promise<number> {
  let low = first;
  let high = last;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((await timeAt(middle)) < moment) low = middle + 1;
    else high = middle;
  }
  return low;
}
