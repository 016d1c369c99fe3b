import type { Millis } from '../../kernel/clock.ts';
import { ContextModeError } from '../../kernel/errors.ts';
import { isUuid, type Uuid } from '../../kernel/ids.ts';
import type { Scope } from '../place.ts';
import type { Arity, Authority, FactVersion } from '../types.ts';
import type { Queryable } from './connection.ts';
import { type VersionRow, versionColumns, versionOf } from './rows.ts';

/** Which facts are listed; what is left out filters nothing. */
export interface FactFilter {
  /** `open`: true at the instant that is asked for; `closed`: no longer true then. */
  readonly status: 'open' | 'closed' | 'all';
  /** What is asked for is what was true then; null: now. */
  readonly validAt: Millis | null;
  /** What is asked for is what was held for true then; null: now. */
  readonly knownAt: Millis | null;
  /** Words that stand in subject, predicate or value. */
  readonly q?: string;
  /** The repository's own, its worktrees' and its threads'. */
  readonly projectId?: Uuid;
  readonly worktreeId?: Uuid;
  readonly scope?: Scope['kind'];
  /** Only what was drawn from a document (hex digits), or from any document of a session. */
  readonly docid?: string;
  readonly sessionId?: Uuid;
  readonly limit: number;
  readonly cursor: string | null;
}

/** Where a slot belongs, in words for a person. */
export interface SlotPlace {
  readonly scope: Scope;
  /** The project's name, the worktree's path, the session's title. */
  readonly name: string;
  readonly projectId: Uuid | null;
  readonly sessionId: Uuid | null;
}

/** Who said what a fact stands on. */
export interface FactSource {
  readonly authority: Authority;
  readonly author: string;
  readonly saidAt: Millis;
  /** Hex digits of the document that it was drawn from, and where in it (UTF-16 units); null: by hand, or an import. */
  readonly docid: string | null;
  readonly start: number;
  readonly end: number;
}

/** A fact as a list shows it. */
export interface ListedFact {
  readonly version: FactVersion;
  readonly source: FactSource;
}

/** A slot with its facts. */
export interface ListedSlot {
  readonly id: Uuid;
  readonly place: SlotPlace;
  readonly subject: string;
  readonly predicate: string;
  readonly arity: Arity;
  /** Those that the filter lets through, newest valid time first. */
  readonly facts: readonly ListedFact[];
}

/** A page of a list. */
export interface SlotPage {
  readonly items: readonly ListedSlot[];
  readonly next: string | null;
}

interface ListedRow extends VersionRow {
  readonly id: Uuid;
  readonly scope_kind: Scope['kind'];
  readonly scope_id: Uuid;
  readonly subject: string;
  readonly predicate: string;
  readonly subject_key: string;
  readonly predicate_key: string;
  readonly usual_arity: Arity;
  readonly place_name: string | null;
  readonly place_project: Uuid | null;
  readonly place_session: Uuid | null;
  readonly authority: Authority;
  readonly author: string;
  readonly said_at: Date;
  readonly docid: string | null;
  readonly span_start: number;
  readonly span_end: number;
}

/** Slots that have a fact which the filter lets through, by subject and predicate, each with all of these. */
export async function listSlots(pool: Queryable, accountId: Uuid, filter: FactFilter): Promise<SlotPage> {
  const after = filter.cursor === null ? null : cursorIn(filter.cursor);
  const { limit } = filter;
  const { rows } = await pool.query<ListedRow>(LIST, [
    accountId,
    filter.knownAt === null ? null : new Date(filter.knownAt),
    filter.validAt === null ? null : new Date(filter.validAt),
    filter.status,
    filter.q === undefined || filter.q.trim() === '' ? null : `%${likeText(filter.q.trim())}%`,
    filter.projectId ?? null,
    filter.worktreeId ?? null,
    filter.scope ?? null,
    filter.docid ?? null,
    filter.sessionId ?? null,
    after?.[0] ?? null,
    after?.[1] ?? null,
    after?.[2] ?? null,
    limit + 1,
  ]);
  const slots = slotsOf(rows);
  const page = slots.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map(({ slot }) => slot),
    next: slots.length > limit && last !== undefined ? cursorOf(last.row) : null,
  };
}

/** One slot with the facts that are held for true of it; null: there is none of that id. */
export async function findSlot(pool: Queryable, accountId: Uuid, slot: Uuid): Promise<ListedSlot | null> {
  const { rows } = await pool.query<ListedRow>(ONE, [accountId, slot]);
  return slotsOf(rows)[0]?.slot ?? null;
}

/** The slot that a fact or another statement belongs to; null: there is none of that id. */
export async function slotOfStatement(
  pool: Queryable,
  accountId: Uuid,
  statement: Uuid,
): Promise<Uuid | null> {
  const { rows } = await pool.query<{ slot_id: Uuid }>(
    'SELECT slot_id FROM statement WHERE account_id = $1 AND id = $2',
    [accountId, statement],
  );
  return rows[0]?.slot_id ?? null;
}

const COLUMNS = `s.id, s.scope_kind, s.scope_id, s.subject, s.predicate, s.subject_key, s.predicate_key, s.usual_arity,
  ${versionColumns('v')}, t.authority, t.author, t.said_at, t.docid, t.span_start, t.span_end,
  COALESCE(p.name, w.path, e.title) AS place_name,
  COALESCE(p.id, w.project_id, e.project_id) AS place_project, e.id AS place_session`;

/** Of which place a slot is. */
const PLACES = `
LEFT JOIN project p ON s.scope_kind = 'project' AND p.account_id = $1 AND p.id = s.scope_id
LEFT JOIN worktree w ON s.scope_kind = 'worktree' AND w.account_id = $1 AND w.id = s.scope_id
LEFT JOIN thread h ON s.scope_kind = 'thread' AND h.account_id = $1 AND h.id = s.scope_id
LEFT JOIN session e ON e.account_id = $1 AND e.id = h.session_id`;

const LIST = `
WITH moment AS (
  SELECT GREATEST(now(), clock_at) AS now FROM account WHERE id = $1
), fitting AS (
  SELECT s.id, s.subject_key, s.predicate_key, v.fact, v.recorded_from,
    dense_rank() OVER (ORDER BY s.subject_key, s.predicate_key, s.id) AS place
  FROM moment n CROSS JOIN slot s ${PLACES}
  JOIN fact_version v ON v.account_id = $1 AND v.slot_id = s.id
    AND CASE WHEN $2::timestamptz IS NULL THEN v.recorded_to IS NULL
      ELSE v.recorded_from <= $2 AND (v.recorded_to IS NULL OR v.recorded_to > $2) END
  JOIN statement t ON t.account_id = $1 AND t.id = v.fact
  WHERE s.account_id = $1
    AND CASE $4::text
      WHEN 'open' THEN v.valid_from <= COALESCE($3::timestamptz, n.now) AND
        (v.valid_to IS NULL OR v.valid_to > COALESCE($3::timestamptz, n.now) OR v.arity = 'event')
      WHEN 'closed' THEN v.arity <> 'event' AND v.valid_to <= COALESCE($3::timestamptz, n.now)
      ELSE $3::timestamptz IS NULL OR v.valid_from <= $3 END
    AND ($5::text IS NULL OR s.subject || ' ' || replace(s.predicate, '_', ' ') || ' ' || v.value ILIKE $5
      OR s.predicate ILIKE $5)
    AND ($6::uuid IS NULL OR COALESCE(p.id, w.project_id, e.project_id) = $6)
    AND ($7::uuid IS NULL OR s.scope_kind = 'worktree' AND s.scope_id = $7)
    AND ($8::text IS NULL OR s.scope_kind = $8)
    AND ($9::text IS NULL OR t.docid = $9)
    AND ($10::uuid IS NULL OR EXISTS (
      SELECT 1 FROM item i JOIN event l ON l.account_id = $1 AND l.message_hash = i.message_hash
      WHERE i.account_id = $1 AND i.docid = t.docid AND l.session_id = $10))
    AND ($11::text IS NULL OR (s.subject_key, s.predicate_key, s.id) > ($11, $12, $13::uuid))
)
SELECT ${COLUMNS} FROM fitting f
JOIN slot s ON s.account_id = $1 AND s.id = f.id
JOIN fact_version v ON v.account_id = $1 AND v.fact = f.fact AND v.recorded_from = f.recorded_from
JOIN statement t ON t.account_id = $1 AND t.id = v.fact ${PLACES}
WHERE f.place <= $14
ORDER BY s.subject_key, s.predicate_key, s.id, v.valid_from DESC, v.fact`;

const ONE = `
SELECT ${COLUMNS} FROM slot s
JOIN fact_version v ON v.account_id = $1 AND v.slot_id = s.id AND v.recorded_to IS NULL
JOIN statement t ON t.account_id = $1 AND t.id = v.fact ${PLACES}
WHERE s.account_id = $1 AND s.id = $2
ORDER BY v.valid_from DESC, v.fact`;

function slotsOf(
  rows: readonly ListedRow[],
): readonly { readonly slot: ListedSlot; readonly row: ListedRow }[] {
  const slots = new Map<Uuid, { readonly row: ListedRow; readonly facts: ListedFact[] }>();
  for (const row of rows) {
    const entry = slots.get(row.id) ?? { row, facts: [] };
    entry.facts.push(factOf(row));
    slots.set(row.id, entry);
  }
  return [...slots.values()].map(({ row, facts }) => ({
    row,
    slot: {
      id: row.id,
      place: placeOf(row),
      subject: row.subject,
      predicate: row.predicate,
      arity: facts[0]?.version.arity ?? row.usual_arity,
      facts,
    },
  }));
}

function placeOf(row: ListedRow): SlotPlace {
  return {
    scope: { kind: row.scope_kind, id: row.scope_id },
    name: row.place_name ?? '',
    projectId: row.place_project,
    sessionId: row.place_session,
  };
}

function factOf(row: ListedRow): ListedFact {
  const version = versionOf(row);
  return {
    version,
    source: {
      authority: row.authority,
      author: row.author,
      saidAt: row.said_at.getTime() as Millis,
      docid: row.docid,
      start: row.span_start,
      end: row.span_end,
    },
  };
}

/** A text with what a pattern of LIKE would read as something else. */
function likeText(text: string): string {
  return text.replace(/[\\%_]/g, (mark) => `\\${mark}`);
}

function cursorOf({ subject_key, predicate_key, id }: ListedRow): string {
  return Buffer.from(JSON.stringify([subject_key, predicate_key, id])).toString('base64url');
}

function cursorIn(cursor: string): readonly [string, string, Uuid] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(value) && value.length === 3) {
      const [subject, predicate, id] = value as unknown[];
      if (
        typeof subject === 'string' &&
        typeof predicate === 'string' &&
        typeof id === 'string' &&
        isUuid(id)
      )
        return [subject, predicate, id];
    }
  } catch {
    // It is told below.
  }
  throw new ContextModeError('bad_request', 'The cursor is none of ours.', {
    hint: 'Take `next` of the page before.',
  });
}
