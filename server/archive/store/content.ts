import { createHmac } from 'node:crypto';
import { docIdOf, hexOf } from '../../conversation/index.ts';
import { breathe } from '../../kernel/breath.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { storedText } from '../text.ts';
import type { MessageHash, NewMessage, RecordBatch } from '../types.ts';
import { type Calls, siteKey } from './calls.ts';
import { prepared, type Queryable } from './connection.ts';
import { textArray } from './text-array.ts';
import { dateOf, name, nameOrNull, plainOrNull } from './values.ts';

/** Beginning of every document id, which the column leaves out. */
export const DOC_ID_DIGITS_FROM = 'context-mode-msg-'.length;

/** What writing the content of a batch needs beside it. */
export interface ContentTools {
  /** The account's key. */
  readonly key: Uint8Array;
  /** The calls that results of the batch answer. */
  readonly calls: Calls;
  /** True after a document id was found taken: ids of this batch get twice as many digits. */
  readonly longIds: boolean;
}

/** Bytes and messages that one statement takes, so that neither this thread nor the server is held by a large one. */
const BYTES_AT_ONCE = 1024 * 1024;
const MESSAGES_AT_ONCE = 500;

/**
 * Inserts what of the batch's messages, items, binary content and aliases is not there yet. Items are written by the
 * statement that brings their message and never later, so that a message is either whole or absent. A long batch takes
 * several statements: the caller's transaction makes them one.
 */
export async function insertContent(
  connection: Queryable,
  batch: RecordBatch,
  tools: ContentTools,
): Promise<void> {
  if (batch.messages.length === 0 && batch.aliases.length === 0) return;
  const parts = partsOf(batch.messages);
  for (const [n, messages] of parts.entries()) {
    // Forms lead to messages of any part, so they come when all are there.
    const aliases = n + 1 === parts.length ? batch.aliases : [];
    if (n === 1) await connection.query(PLAN_ANEW);
    await insertPart(connection, { ...batch, messages, aliases }, tools);
    await breathe();
  }
}

/**
 * In a young archive this connection may have planned its work, the checks of references too, when the tables were empty
 * and any index was as good as another: for each row it would go through all rows of the account. With the first part
 * written the server sees how large they are.
 */
const PLAN_ANEW = 'DISCARD PLANS';

/** The messages in parts that a statement takes, in their order; one part at least, and one message in each. */
function partsOf(messages: readonly NewMessage[]): readonly (readonly NewMessage[])[] {
  const parts: NewMessage[][] = [];
  let part: NewMessage[] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = sizeOf(message);
    if (part.length > 0 && (bytes + size > BYTES_AT_ONCE || part.length >= MESSAGES_AT_ONCE)) {
      parts.push(part);
      part = [];
      bytes = 0;
    }
    part.push(message);
    bytes += size;
  }
  return [...parts, part];
}

function sizeOf(message: NewMessage): number {
  return message.items.reduce(
    (sum, { text, body, media }) =>
      sum + text.length + (body?.length ?? 0) + media.reduce((bytes, one) => bytes + one.bytes.length, 0),
    0,
  );
}

async function insertPart(connection: Queryable, batch: RecordBatch, tools: ContentTools): Promise<void> {
  const values = [
    batch.accountId,
    dateOf(batch.at),
    ...columns(batch.messages, [
      (message) => message.hash,
      (message) => message.parent,
      (message) => message.role,
      (message) => message.origin,
    ]),
    ...columns(itemRows(batch.messages, tools), ITEM_COLUMNS),
    ...columns(mediaRows(batch.messages, tools.key), [
      (row) => row.hash,
      (row) => row.position,
      (row) => row.n,
      (row) => row.blob,
      (row) => row.mime,
      (row) => row.bytes,
    ]),
    ...columns(batch.aliases, [(alias) => alias.slice, (alias) => alias.parent, (alias) => alias.message]),
  ];
  await connection.query(prepared('insert_content', INSERT_CONTENT, values));
}

/** Keyed hash of an item as it is handed to the database, over the columns that hold its text and body. */
export function storedHashOf(
  key: Uint8Array,
  columns: { readonly text: string; readonly exact: Uint8Array | null; readonly body: Uint8Array | null },
): Buffer {
  const hash = createHmac('sha256', key).update('stored\0');
  for (const part of [Buffer.from(columns.text), columns.exact, columns.body]) {
    const size = Buffer.alloc(8);
    size.writeBigInt64BE(BigInt(part?.length ?? -1));
    hash.update(size);
    if (part) hash.update(part);
  }
  return hash.digest();
}

/** The name of binary content: a keyed hash, since it is kept unmasked. */
export function blobHashOf(key: Uint8Array, bytes: Uint8Array): Buffer {
  return createHmac('sha256', key).update('blob\0').update(bytes).digest();
}

/** Digits of an item's document id; the longer form, where the usual one is taken, adds digits of the message's hash. */
function docDigits(tools: ContentTools, message: MessageHash, position: number): string {
  const digits = docIdOf(tools.key, message, position).slice(DOC_ID_DIGITS_FROM);
  return tools.longIds ? digits + hexOf(message.subarray(0, 8)) : digits;
}

function itemRows(messages: readonly NewMessage[], tools: ContentTools) {
  return messages.flatMap((message) =>
    message.items.map((item, position) => {
      const stored = storedText(item.text);
      return {
        item,
        stored,
        call: tools.calls.get(siteKey(message.hash, position)),
        hash: message.hash,
        position,
        docid: docDigits(tools, message.hash, position),
        storedHash: storedHashOf(tools.key, { ...stored, body: item.body }),
      };
    }),
  );
}

type ItemRow = ReturnType<typeof itemRows>[number];

const ITEM_COLUMNS: readonly ((row: ItemRow) => unknown)[] = [
  (row) => row.hash,
  (row) => row.position,
  (row) => row.docid,
  (row) => row.item.kind,
  (row) => nameOrNull(row.item.tool?.name ?? null),
  (row) => nameOrNull(row.item.tool?.namespace ?? null),
  (row) => nameOrNull(row.item.tool?.callId ?? null),
  (row) => row.item.tool?.isError ?? false,
  (row) => plainOrNull(row.item.mainInput),
  (row) => plainOrNull(row.item.path),
  (row) => row.stored.text,
  (row) => row.stored.exact,
  (row) => row.item.body,
  (row) => row.stored.chars,
  (row) => row.stored.bytes,
  (row) => row.item.originalSize,
  (row) => row.item.originalHash,
  (row) => row.item.masked,
  (row) => row.storedHash,
  (row) => row.call?.message ?? null,
  (row) => row.call?.position ?? null,
];

function mediaRows(messages: readonly NewMessage[], key: Uint8Array) {
  return messages.flatMap((message) =>
    message.items.flatMap((item, position) =>
      item.media.map((media, n) => ({
        hash: message.hash,
        position,
        n,
        blob: blobHashOf(key, media.bytes),
        mime: name(media.mime),
        bytes: media.bytes,
      })),
    ),
  );
}

/** Characters from which on a text is written into its array by ourselves. */
const LONG_TEXT = 64 * 1024;

/** Rows turned into one array a column, as `unnest` takes them. */
function columns<Row>(rows: readonly Row[], reads: readonly ((row: Row) => unknown)[]): unknown[] {
  return reads.map((read) => {
    const column = rows.map(read);
    const isLong = column.some((value) => typeof value === 'string' && value.length > LONG_TEXT);
    return isLong ? textArray(column as (string | null)[]) : column;
  });
}

/** The moment for rows written now: never before what was recorded for the account already. */
const NOW = 'GREATEST($2::timestamptz, (SELECT clock_at FROM account WHERE id = $1))';

/** Whether an alias's message is there is asked for each by its key: `EXISTS` may read all messages of the account. */
const INSERT_CONTENT = `
WITH given AS (
  SELECT * FROM unnest($3::bytea[], $4::bytea[], $5::text[], $6::text[]) WITH ORDINALITY
    AS g(hash, parent, role, origin, place)
), given_item AS (
  SELECT * FROM unnest($7::bytea[], $8::int[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[],
    $14::boolean[], $15::text[], $16::text[], $17::text[], $18::bytea[], $19::bytea[], $20::int[], $21::bigint[],
    $22::bigint[], $23::bytea[], $24::boolean[], $25::bytea[], $26::bytea[], $27::int[])
    AS g(hash, position, docid, kind, tool_name, tool_namespace, call_id, is_error, main_input, path, text, exact, body,
      chars, bytes, original_size, original_hash, masked, stored_hash, call_message, call_position)
), given_media AS (
  SELECT * FROM unnest($28::bytea[], $29::int[], $30::int[], $31::bytea[], $32::text[], $33::bytea[])
    AS g(hash, position, n, blob, mime, bytes)
), fresh AS (
  INSERT INTO message (account_id, hash, parent, role, origin, seen_at)
  SELECT $1, hash, parent, role, origin, ${NOW} FROM given ORDER BY place
  ON CONFLICT (account_id, hash) DO NOTHING RETURNING hash
), fresh_item AS (
  INSERT INTO item (account_id, message_hash, position, docid, kind, tool_name, tool_namespace, call_id, is_error,
    main_input, path, text, exact, body, chars, bytes, original_size, original_hash, masked, stored_hash, call_message,
    call_position)
  SELECT $1, g.* FROM given_item g JOIN fresh USING (hash)
), fresh_blob AS (
  INSERT INTO blob (account_id, hash, mime, size, bytes)
  SELECT DISTINCT ON (g.blob) $1::uuid, g.blob, g.mime, octet_length(g.bytes), g.bytes
  FROM given_media g JOIN fresh USING (hash) ORDER BY g.blob
  ON CONFLICT (account_id, hash) DO NOTHING
), fresh_media AS (
  INSERT INTO media (account_id, message_hash, position, n, blob_hash, mime)
  SELECT $1, g.hash, g.position, g.n, g.blob, g.mime FROM given_media g JOIN fresh USING (hash)
)
INSERT INTO message_alias (account_id, slice, parent, message_hash)
SELECT $1, g.slice, g.parent, g.message
FROM unnest($34::bytea[], $35::bytea[], $36::bytea[]) AS g(slice, parent, message)
WHERE g.message IN (SELECT hash FROM given)
   OR (SELECT true FROM message m WHERE m.account_id = $1 AND m.hash = g.message LIMIT 1)
ORDER BY g.slice, g.parent
ON CONFLICT (account_id, slice, parent) DO NOTHING`;

const TICK =
  'UPDATE account SET clock_at = GREATEST(clock_at, $2::timestamptz) WHERE id = $1 RETURNING clock_at, erasures';

/** The account as a transaction that holds its lock sees it: its clock, and how often something was deleted. */
export interface Tick {
  readonly at: Date;
  readonly erasures: number;
}

/** The moment of a batch under the account's clock; takes the account's lock until the transaction ends. */
export async function tick(connection: Queryable, accountId: Uuid, at: Millis): Promise<Tick> {
  const { rows } = await connection.query<{ clock_at: Date; erasures: number }>(
    prepared('tick', TICK, [accountId, dateOf(at)]),
  );
  const [row] = rows;
  if (!row) throw new Error('the account of a batch does not exist');
  return { at: row.clock_at, erasures: row.erasures };
}
