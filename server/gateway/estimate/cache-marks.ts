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
  const { before, messages, automatic } = cacheMarks(body, scan);
  const newest = automatic ?? messages.at(-1) ?? before.at(-1);
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
  const within = (name: string) => {
    const field = fieldNamed(scan, name);
    return field === null ? [] : marksWithin(bytes, field.value);
  };
  const automatic = fieldNamed(scan, 'cache_control');
  return {
    before: [...within('tools'), ...within('system')],
    messages: within('messages'),
    automatic:
      automatic === null ? null : lifetimeIn(bytes.subarray(automatic.value.start, automatic.value.end)),
  };
}

const NAME = Buffer.from('"cache_control"');

/** The marks between two places. The name with both its quotes bare is a member's: in a text they would be escaped. */
function marksWithin(bytes: Buffer, { start, end }: Slice): MarkLifetime[] {
  const marks: MarkLifetime[] = [];
  const part = bytes.subarray(start, end);
  for (let at = part.indexOf(NAME); at >= 0; at = part.indexOf(NAME, at + NAME.length)) {
    const open = part.indexOf(0x7b, at + NAME.length);
    const close = part.indexOf(0x7d, at + NAME.length);
    if (open < 0 || close < open || !/^\s*:\s*$/.test(part.toString('latin1', at + NAME.length, open)))
      continue;
    const lifetime = lifetimeIn(part.subarray(open, close + 1));
    if (lifetime !== null) marks.push(lifetime);
  }
  return marks;
}

/** The lifetime of a mark given as JSON; null: it is none, as a tool's parameter of that name. */
function lifetimeIn(json: Uint8Array): MarkLifetime | null {
  const fields = fieldsOf(json);
  if (stringIn(json, fields.get('type')) !== 'ephemeral') return null;
  return stringIn(json, fields.get('ttl')) === '1h' ? '1h' : '5m';
}
