import { fieldNamed, fieldsOf, type Scan, type Slice, stringIn, viewOf } from '../../conversation/index.ts';

/** Cache marks that a request may have, a top-level one counted. */
const MOST_MARKS = 4;
const FIVE_MINUTES_MS = 5 * 60_000;
const HOUR_MS = 60 * 60_000;

/** How long a mark asks for. */
export type MarkLifetime = '5m' | '1h';

/** The marks of a request by where they stand, each list in the order of the prompt. */
interface CacheMarks {
  /** In tools and system prompt. */
  readonly before: readonly MarkLifetime[];
  readonly messages: readonly MarkLifetime[];
  /** The top-level one, which stands for one at the request's end. */
  readonly automatic: MarkLifetime | null;
}

/** How long the Messages API keeps what a request's newest mark covers, in milliseconds; without a mark five minutes. */
export function messagesLifetime(body: Uint8Array, scan: Scan): number {
  const bytes = viewOf(body);
  const newest =
    automaticMark(bytes, scan) ??
    newestMark(bytes, fieldNamed(scan, 'messages')?.value) ??
    newestMark(bytes, fieldNamed(scan, 'system')?.value) ??
    newestMark(bytes, fieldNamed(scan, 'tools')?.value);
  return newest === '1h' ? HOUR_MS : FIVE_MINUTES_MS;
}

/**
 * The lifetime that a mark of ours between system prompt and messages gets: the client's own there, so that none for an
 * hour stands behind one for five minutes. Null: the client sets none, or no mark is free.
 */
export function markLifetime(body: Uint8Array, scan: Scan): MarkLifetime | null {
  const { before, messages, automatic } = cacheMarks(body, scan);
  const used = before.length + messages.length + (automatic === null ? 0 : 1);
  if (used >= MOST_MARKS) return null;
  const behind = messages.includes('1h') ? '1h' : messages[0];
  return behind ?? automatic ?? before.at(-1) ?? null;
}

function cacheMarks(body: Uint8Array, scan: Scan): CacheMarks {
  const bytes = viewOf(body);
  const within = (name: string) => marksWithin(bytes, fieldNamed(scan, name)?.value);
  return {
    before: [...within('tools'), ...within('system')],
    messages: within('messages'),
    automatic: automaticMark(bytes, scan),
  };
}

function automaticMark(bytes: Buffer, scan: Scan): MarkLifetime | null {
  const field = fieldNamed(scan, 'cache_control');
  return field === null ? null : lifetimeIn(bytes.subarray(field.value.start, field.value.end));
}

/** Bytes of a mark behind its name that are looked at. */
const LONGEST_MARK = 256;
const NAME = Buffer.from('"cache_control"');

/** The marks of a value, in order. */
function marksWithin(bytes: Buffer, value: Slice | undefined): MarkLifetime[] {
  const marks: MarkLifetime[] = [];
  const part = bytes.subarray(value?.start ?? 0, value?.end ?? 0);
  for (let at = part.indexOf(NAME); at >= 0; at = part.indexOf(NAME, at + 1)) {
    const mark = markAt(part, at);
    if (mark !== null) marks.push(mark);
  }
  return marks;
}

/** The last mark of a value, looked for from its end: agents set theirs there. */
function newestMark(bytes: Buffer, value: Slice | undefined): MarkLifetime | null {
  const part = bytes.subarray(value?.start ?? 0, value?.end ?? 0);
  for (let at = part.lastIndexOf(NAME); at >= 0; at = at === 0 ? -1 : part.lastIndexOf(NAME, at - 1)) {
    const mark = markAt(part, at);
    if (mark !== null) return mark;
  }
  return null;
}

/** The mark whose name stands here. With both its quotes bare it is a member's: in a text they would be escaped. */
function markAt(part: Buffer, at: number): MarkLifetime | null {
  const near = part.toString('latin1', at + NAME.length, at + NAME.length + LONGEST_MARK);
  const object = /^\s*:\s*(\{[^{}]*\})/.exec(near)?.[1];
  return object === undefined ? null : lifetimeIn(Buffer.from(object, 'latin1'));
}

/** The lifetime of a mark given as JSON; null: it is none, as a tool's parameter of that name. */
function lifetimeIn(json: Uint8Array): MarkLifetime | null {
  const fields = fieldsOf(json);
  if (stringIn(json, fields.get('type')) !== 'ephemeral') return null;
  return stringIn(json, fields.get('ttl')) === '1h' ? '1h' : '5m';
}
