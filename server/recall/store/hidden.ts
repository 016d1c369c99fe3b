import { DOC_ID_PREFIX, type DocId } from '../../conversation/index.ts';
import type { Millis } from '../../kernel/clock.ts';
import { columnName } from '../../kernel/column-text.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { HiddenRecord } from '../stored.ts';
import { type NameColumns, nameColumns } from './columns.ts';
import { BUMP, prepared, type Queryable } from './connection.ts';

interface HiddenRow extends NameColumns {
  readonly id: Uuid;
  readonly protocol: HiddenRecord['protocol'];
  readonly anchors: readonly string[];
  readonly documents: readonly DocId[];
  readonly data: unknown;
  readonly at: Date;
  readonly request_id: Uuid | null;
}

/** Hidden rounds by what they are found by, oldest first. */
export async function readHidden(
  pool: Queryable,
  accountId: Uuid,
  anchors: readonly string[],
): Promise<readonly HiddenRecord[]> {
  const names = anchors.map((anchor) => columnName(anchor));
  const { rows } = await pool.query<HiddenRow>(prepared('hidden', HIDDEN, [accountId, names]));
  return rows.map((row) => ({
    id: row.id,
    ...(row.request_id === null ? {} : { request: row.request_id }),
    protocol: row.protocol,
    thread: { agent: row.agent, session: row.session, thread: row.thread },
    anchors: row.anchors,
    documents: row.documents,
    data: row.data,
    at: row.at.getTime() as Millis,
  }));
}

const HIDDEN = `
SELECT s.* FROM (
  SELECT DISTINCT a.splice_id FROM unnest($2::text[]) AS g(anchor) CROSS JOIN LATERAL (
    SELECT splice_id FROM splice_anchor WHERE account_id = $1 AND anchor = g.anchor
  ) a
) found CROSS JOIN LATERAL (
  SELECT * FROM splice WHERE account_id = $1 AND id = found.splice_id LIMIT 1
) s ORDER BY s.at, s.id`;

/**
 * Keeps hidden rounds; a record with the same id is replaced. Where a document that they show was deleted meanwhile, their
 * content is not kept.
 */
export async function writeHidden(pool: Queryable, accountId: Uuid, record: HiddenRecord): Promise<void> {
  const name = nameColumns(record.thread);
  const values = [
    accountId,
    record.id,
    record.protocol,
    name.agent,
    name.session,
    name.thread,
    [...new Set(record.anchors.map((anchor) => columnName(anchor)))],
    [...new Set(record.documents)],
    record.data === null ? null : JSON.stringify(record.data),
    new Date(record.at),
    DOC_ID_PREFIX.length,
    record.request ?? null,
  ];
  await pool.query(prepared('keep_hidden', KEEP_HIDDEN, values));
}

/** The documents are locked first: what a deletion takes while this waits, it takes before this looks. */
const KEEP_HIDDEN = `
WITH standing AS (
  SELECT 1 FROM item WHERE account_id = $1
    AND docid = ANY(ARRAY(SELECT substr(d, $11::int + 1) FROM unnest($8::text[]) AS d)) FOR KEY SHARE
), whole AS (
  SELECT count(*) = cardinality($8::text[]) AS yes FROM standing
), changed AS (
  INSERT INTO splice (account_id, id, protocol, agent, session, thread, anchors, documents, data, at, request_id)
  SELECT $1, $2::uuid, $3::text, $4::text, $5::text, $6::text, $7::text[],
    CASE WHEN whole.yes THEN $8::text[] ELSE '{}' END, CASE WHEN whole.yes THEN $9::json END, $10::timestamptz,
    $12::uuid FROM whole
  ON CONFLICT (account_id, id) DO UPDATE SET protocol = EXCLUDED.protocol, agent = EXCLUDED.agent,
    session = EXCLUDED.session, thread = EXCLUDED.thread, anchors = EXCLUDED.anchors, documents = EXCLUDED.documents,
    data = EXCLUDED.data, at = EXCLUDED.at, request_id = EXCLUDED.request_id
  RETURNING documents
), left_anchors AS (
  DELETE FROM splice_anchor WHERE account_id = $1 AND splice_id = $2 AND anchor <> ALL($7::text[])
), left_documents AS (
  DELETE FROM splice_document d USING changed
  WHERE d.account_id = $1 AND d.splice_id = $2 AND d.docid <> ALL(changed.documents)
), new_anchors AS (
  INSERT INTO splice_anchor (account_id, anchor, splice_id) SELECT $1, unnest($7::text[]), $2 ON CONFLICT DO NOTHING
), new_documents AS (
  INSERT INTO splice_document (account_id, docid, splice_id)
  SELECT $1, unnest(documents), $2 FROM changed ON CONFLICT DO NOTHING
) ${BUMP}`;
