import type { Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { foldSlot } from '../fold.ts';
import { type FactPlace, type Scope, scopesOf } from '../place.ts';
import type { AsOf } from '../replay.ts';
import type { Arity, FactVersion, SlotHistory } from '../types.ts';
import type { Queryable } from './connection.ts';
import { type MemoryCounts, readCounts } from './counts.ts';
import { type FittingFact, fittingFacts, hasFacts } from './fitting.ts';
import {
  type FactFilter,
  findSlot,
  type ListedSlot,
  listSlots,
  type SlotPage,
  slotOfStatement,
} from './lists.ts';
import { readReview } from './review.ts';
import type { ReviewEntry } from './review-types.ts';
import { readStatements, type StoredStatement, type VersionRow, versionColumns, versionOf } from './rows.ts';

/** A slot as it is shown: its words as they were said first. */
export interface SlotView {
  readonly id: Uuid;
  readonly scope: Scope;
  readonly subject: string;
  readonly predicate: string;
  /** How many values it holds where no statement says it. */
  readonly usual: Arity;
}

/** A version with the slot that it is of. */
export interface Fact {
  readonly slot: SlotView;
  readonly version: FactVersion;
}

/** All that is known of a slot. */
export interface SlotRecord {
  readonly slot: SlotView;
  /** Also those that are no longer held for true, in order of recorded time. */
  readonly versions: readonly FactVersion[];
  readonly statements: readonly StoredStatement[];
  /** Statements that are taken back, and those that a reopen leaves out, by the statement that does it. */
  readonly voided: SlotHistory['voided'];
  readonly leftOut: SlotHistory['leftOut'];
}

/** An entry of the audit list. */
export interface MemoryAct {
  readonly id: Uuid;
  readonly at: Millis;
  readonly actor: string;
  /** `memory.` and what was done. */
  readonly act: string;
  readonly slot: Uuid;
  readonly counts: Readonly<Record<string, number>>;
}

/** What is read of memory. Every call is limited to one account, and to a place where it is given, in SQL. */
export interface MemoryReader {
  /** The facts of a place that hold at an instant on both clocks, by slot, at most `limit`. */
  facts(accountId: Uuid, place: FactPlace, asOf: AsOf, limit: number): Promise<readonly Fact[]>;
  /** A slot with its versions and statements; null: there is none of that id. */
  slot(accountId: Uuid, slot: Uuid): Promise<SlotRecord | null>;
  /** Slots with the facts that a filter lets through, by subject and predicate, page by page. */
  list(accountId: Uuid, filter: FactFilter): Promise<SlotPage>;
  /** A slot with the facts that are held for true of it; null: there is none of that id. */
  find(accountId: Uuid, slot: Uuid): Promise<ListedSlot | null>;
  /** The slot that a fact or another statement belongs to; null: there is none of that id. */
  slotOf(accountId: Uuid, statement: Uuid): Promise<Uuid | null>;
  /** Open facts of a place that hold at an instant and have one of some words, at most `limit`, those with the most of them first. */
  fitting(
    accountId: Uuid,
    place: FactPlace,
    words: readonly string[],
    at: Millis,
    limit: number,
  ): Promise<readonly FittingFact[]>;
  /** Whether there is a fact in the account. */
  hasFacts(accountId: Uuid): Promise<boolean>;
  /** What a person is asked to look at, newest first, at most `limit`; `open`: only what nobody settled. */
  review(
    accountId: Uuid,
    open: boolean,
    before: Pick<ReviewEntry, 'at' | 'id'> | null,
    limit: number,
  ): Promise<readonly ReviewEntry[]>;
  /** How much there is, and how many turns were read, skipped because nobody typed in them, and given up. */
  counts(accountId: Uuid): Promise<MemoryCounts>;
  /** What was done, newest first, at most `limit`, older than the entry `before` (null: from the newest on). */
  acts(
    accountId: Uuid,
    before: Pick<MemoryAct, 'at' | 'id'> | null,
    limit: number,
  ): Promise<readonly MemoryAct[]>;
}

/** Makes a {@link MemoryReader} over a pool. */
export function createMemoryReader(pool: Queryable): MemoryReader {
  return {
    facts: (accountId, place, asOf, limit) => facts(pool, accountId, place, asOf, limit),
    slot: (accountId, slot) => readSlot(pool, accountId, slot),
    list: (accountId, filter) => listSlots(pool, accountId, filter),
    find: (accountId, slot) => findSlot(pool, accountId, slot),
    slotOf: (accountId, statement) => slotOfStatement(pool, accountId, statement),
    fitting: (accountId, place, words, at, limit) => fittingFacts(pool, accountId, place, words, at, limit),
    hasFacts: (accountId) => hasFacts(pool, accountId),
    review: (accountId, open, before, limit) => readReview(pool, accountId, open, before, limit),
    counts: (accountId) => readCounts(pool, accountId),
    acts: (accountId, before, limit) => acts(pool, accountId, before, limit),
  };
}

interface SlotRow {
  readonly id: Uuid;
  readonly scope_kind: Scope['kind'];
  readonly scope_id: Uuid;
  readonly subject: string;
  readonly predicate: string;
  readonly usual_arity: Arity;
}

async function facts(
  pool: Queryable,
  accountId: Uuid,
  place: FactPlace,
  { validAt, knownAt }: AsOf,
  limit: number,
): Promise<readonly Fact[]> {
  const scopes = scopesOf(place);
  const { rows } = await pool.query<SlotRow & VersionRow>(knownAt === null ? FACTS_NOW : FACTS_THEN, [
    accountId,
    scopes.map(({ kind }) => kind),
    scopes.map(({ id }) => id),
    new Date(validAt),
    limit,
    ...(knownAt === null ? [] : [new Date(knownAt)]),
  ]);
  return rows.map((row) => ({ slot: slotView(row), version: versionOf(row) }));
}

const SLOT_COLUMNS = 's.id, s.scope_kind, s.scope_id, s.subject, s.predicate, s.usual_arity';

/** Facts of scopes ($2, $3) that were true at $4, of those versions that `known` selects. */
const factsWhere = (known: string) => `
SELECT ${SLOT_COLUMNS}, ${versionColumns('v')}
FROM unnest($2::text[], $3::uuid[]) AS p(kind, id)
JOIN slot s ON s.account_id = $1 AND s.scope_id = p.id AND s.scope_kind = p.kind
JOIN fact_version v ON v.account_id = $1 AND v.slot_id = s.id AND ${known}
WHERE v.valid_from <= $4 AND (v.arity = 'event' OR v.valid_to IS NULL OR v.valid_to > $4)
ORDER BY s.subject_key, s.predicate_key, s.id, v.valid_from, v.fact LIMIT $5`;

const FACTS_NOW = factsWhere('v.recorded_to IS NULL');
const FACTS_THEN = factsWhere('v.recorded_from <= $6 AND (v.recorded_to IS NULL OR v.recorded_to > $6)');

async function readSlot(pool: Queryable, accountId: Uuid, id: Uuid): Promise<SlotRecord | null> {
  const slots = await pool.query<SlotRow>(
    `SELECT ${SLOT_COLUMNS} FROM slot s WHERE account_id = $1 AND id = $2`,
    [accountId, id],
  );
  const [slot] = slots.rows;
  if (slot === undefined) return null;
  const { rows } = await pool.query<VersionRow>(
    `SELECT ${versionColumns('v')} FROM fact_version v WHERE v.account_id = $1 AND v.slot_id = $2
     ORDER BY v.recorded_from, v.valid_from, v.fact`,
    [accountId, id],
  );
  const statements = await readStatements(pool, accountId, [id]);
  const { voided, leftOut } = foldSlot(
    statements.map(({ said }) => said),
    slot.usual_arity,
  );
  return { slot: slotView(slot), versions: rows.map(versionOf), statements, voided, leftOut };
}

function slotView(row: SlotRow): SlotView {
  return {
    id: row.id,
    scope: { kind: row.scope_kind, id: row.scope_id },
    subject: row.subject,
    predicate: row.predicate,
    usual: row.usual_arity,
  };
}

async function acts(
  pool: Queryable,
  accountId: Uuid,
  before: Pick<MemoryAct, 'at' | 'id'> | null,
  limit: number,
): Promise<readonly MemoryAct[]> {
  const { rows } = await pool.query<{
    id: Uuid;
    at: Date;
    actor: string;
    act: string;
    subject: Uuid;
    data: Record<string, number>;
  }>(
    `SELECT id, at, actor, act, subject, data FROM audit
     WHERE account_id = $1 AND act LIKE 'memory.%' AND ($2::timestamptz IS NULL OR (at, id) < ($2, $3::uuid))
     ORDER BY at DESC, id DESC LIMIT $4`,
    [accountId, before === null ? null : new Date(before.at), before?.id ?? null, limit],
  );
  return rows.map((row) => ({
    id: row.id,
    at: row.at.getTime() as Millis,
    actor: row.actor,
    act: row.act,
    slot: row.subject,
    counts: row.data,
  }));
}
