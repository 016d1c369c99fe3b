import type { Millis } from '../../kernel/clock.ts';
import { newId, type Uuid } from '../../kernel/ids.ts';
import type { Scope } from '../place.ts';
import type { KnownSlot, WriteScope } from './apply.ts';
import type { Queryable } from './connection.ts';
import { digitsOf, type ReadDraft } from './drafts.ts';
import type { Claim, ReviewEntry, ReviewOutcome, ReviewReason } from './review-types.ts';
import type { StoredStatement } from './rows.ts';
import type { FactDraft, SlotChange } from './types.ts';

/** Closed slots of one write beyond which a person is asked to look at it. */
const MANY = 3;

/** What a write did, for the question whether a person should look at it. */
interface Written {
  readonly drafts: readonly ReadDraft[];
  /** The slots as they were, and each draft's. */
  readonly slots: readonly KnownSlot[];
  readonly slotIds: readonly Uuid[];
  readonly added: readonly StoredStatement[];
  readonly changes: readonly SlotChange[];
}

/** Puts into the queue what a person should look at of a write, in its transaction. */
export async function askToReview(scope: WriteScope, written: Written): Promise<void> {
  const entries = [...batchOf(written), ...unsureOf(written)];
  if (entries.length > 0) await insertEntries(scope, entries);
}

type NewEntry = Pick<ReviewEntry, 'kind' | 'scope' | 'docid' | 'why' | 'statements' | 'closed' | 'claim'>;

function batchOf({ drafts, slots, added, changes }: Written): readonly NewEntry[] {
  const byPerson = new Set(
    slots
      .filter(({ statements }) => statements.some(({ said }) => said.authority === 'person'))
      .map(({ id }) => id),
  );
  const closing = changes.filter((change) => closedIn(change).length > 0);
  const why: ReviewReason[] = [];
  if (closing.length > MANY) why.push('closes_many');
  if (closing.some(({ slot }) => byPerson.has(slot))) why.push('closes_a_persons');
  const draft = drafts[0]?.draft;
  if (why.length === 0 || draft === undefined) return [];
  const touched = new Set(closing.map(({ slot }) => slot));
  const statements = added.filter(({ slot }) => touched.has(slot)).map(({ said }) => said.id);
  const closed = closing.flatMap(closedIn);
  return [{ kind: 'batch', scope: draft.scope, docid: docidOf(draft), why, statements, closed, claim: null }];
}

/** Facts of a slot that were open and are closed by a write. */
function closedIn({ opened, closed }: SlotChange): readonly Uuid[] {
  const ended = new Set(opened.filter(({ validTo }) => validTo !== null).map(({ fact }) => fact));
  return closed.filter(({ fact, validTo }) => validTo === null && ended.has(fact)).map(({ fact }) => fact);
}

function unsureOf({ drafts, slotIds, added }: Written): readonly NewEntry[] {
  return drafts.flatMap(({ draft }, index) => {
    const why = draft.doubts ?? [];
    const statements = added
      .filter(({ slot, said }) => slot === slotIds[index] && said.offset === (draft.source?.start ?? 0))
      .map(({ said }) => said.id);
    if (why.length === 0 || statements.length === 0) return [];
    return [
      {
        kind: 'unsure' as const,
        scope: draft.scope,
        docid: docidOf(draft),
        why,
        statements,
        closed: [],
        claim: null,
      },
    ];
  });
}

function docidOf({ source }: FactDraft): string | null {
  return source === null ? null : digitsOf(source.docid);
}

/** Puts claims of an answer into the queue; one that stands there already from the same words is not put twice. */
export async function insertClaims(
  scope: WriteScope,
  where: Scope,
  docid: string,
  claims: readonly Claim[],
): Promise<void> {
  const { rows } = await scope.connection.query<{ claim: Claim }>(
    `SELECT claim FROM memory_review WHERE account_id = $1 AND docid = $2 AND kind = 'claim'`,
    [scope.accountId, docid],
  );
  const known = new Set(rows.map(({ claim }) => claimName(claim)));
  const entries = claims
    .filter((claim) => !known.has(claimName(claim)))
    .map(
      (claim): NewEntry => ({
        kind: 'claim',
        scope: where,
        docid,
        why: ['answer_alone'],
        statements: [],
        closed: [],
        claim,
      }),
    );
  if (entries.length > 0) await insertEntries(scope, entries);
}

function claimName({ subject, predicate, value, kind, start }: Claim): string {
  return JSON.stringify([subject, predicate, value, kind, start]);
}

async function insertEntries(
  { connection, clock, accountId, at }: WriteScope,
  entries: readonly NewEntry[],
): Promise<void> {
  for (const entry of entries) {
    await connection.query(
      `INSERT INTO memory_review (account_id, id, kind, scope_kind, scope_id, docid, why, statements, closed, claim, at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb, $11)`,
      [
        accountId,
        newId(clock),
        entry.kind,
        entry.scope.kind,
        entry.scope.id,
        entry.docid,
        entry.why,
        entry.statements,
        entry.closed,
        entry.claim === null ? null : JSON.stringify(entry.claim),
        new Date(at),
      ],
    );
  }
}

interface ReviewRow {
  readonly id: Uuid;
  readonly kind: ReviewEntry['kind'];
  readonly scope_kind: Scope['kind'];
  readonly scope_id: Uuid;
  readonly docid: string | null;
  readonly why: readonly ReviewReason[];
  readonly statements: readonly Uuid[];
  readonly closed: readonly Uuid[];
  readonly claim: Claim | null;
  readonly at: Date;
  readonly outcome: ReviewOutcome | null;
  readonly settled_at: Date | null;
}

/** Entries of the queue, newest first, older than `before`. @param open only those that nobody settled */
export async function readReview(
  pool: Queryable,
  accountId: Uuid,
  open: boolean,
  before: Pick<ReviewEntry, 'at' | 'id'> | null,
  limit: number,
): Promise<readonly ReviewEntry[]> {
  const { rows } = await pool.query<ReviewRow>(
    `SELECT * FROM memory_review WHERE account_id = $1 AND (NOT $2::boolean OR outcome IS NULL)
       AND ($3::timestamptz IS NULL OR (at, id) < ($3, $4::uuid))
     ORDER BY at DESC, id DESC LIMIT $5`,
    [accountId, open, before === null ? null : new Date(before.at), before?.id ?? null, limit],
  );
  return rows.map(entryOf);
}

/** One entry of the queue; null: there is none of that id. */
export async function readReviewEntry(
  from: Queryable,
  accountId: Uuid,
  id: Uuid,
): Promise<ReviewEntry | null> {
  const { rows } = await from.query<ReviewRow>(
    'SELECT * FROM memory_review WHERE account_id = $1 AND id = $2',
    [accountId, id],
  );
  return rows[0] === undefined ? null : entryOf(rows[0]);
}

/** Settles an entry. False: there is none, or it is settled. */
export async function settleEntry(
  from: Queryable,
  accountId: Uuid,
  id: Uuid,
  outcome: ReviewOutcome | null,
  at: Millis,
): Promise<boolean> {
  const { rowCount } = await from.query(
    `UPDATE memory_review SET outcome = $3, settled_at = $4
     WHERE account_id = $1 AND id = $2 AND (outcome IS NULL) <> ($3::text IS NULL)`,
    [accountId, id, outcome, outcome === null ? null : new Date(at)],
  );
  return rowCount === 1;
}

function entryOf(row: ReviewRow): ReviewEntry {
  return {
    id: row.id,
    kind: row.kind,
    scope: { kind: row.scope_kind, id: row.scope_id },
    docid: row.docid,
    why: row.why,
    statements: row.statements,
    closed: row.closed,
    claim: row.claim,
    at: row.at.getTime() as Millis,
    outcome: row.outcome,
    settledAt: (row.settled_at?.getTime() ?? null) as Millis | null,
  };
}
