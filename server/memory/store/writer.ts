import type pg from 'pg';
import { DOC_ID_PREFIX, type DocId } from '../../conversation/index.ts';
import { transaction } from '../../db/index.ts';
import type { Clock, Millis } from '../../kernel/clock.ts';
import { plainText } from '../../kernel/column-text.ts';
import { ContextModeError } from '../../kernel/errors.ts';
import { newId, type Uuid } from '../../kernel/ids.ts';
import { foldSlot } from '../fold.ts';
import { toValue } from '../normal-form.ts';
import {
  type ActPlan,
  byPerson,
  type NoReopen,
  planOf,
  planReopen,
  planVoid,
  supportOf,
  windowWith,
} from '../reopen.ts';
import type { Statement } from '../types.ts';
import { applyToSlots, beginWrite, type KnownSlot, nextMoment, readSlots, type WriteScope } from './apply.ts';
import type { StorePool } from './connection.ts';
import { countTurns } from './counts.ts';
import {
  digitsOf,
  findSlots,
  isMoment,
  isSecretText,
  isThere,
  readDrafts,
  standing,
  statementsOf,
} from './drafts.ts';
import { askToReview, insertClaims, readReviewEntry, settleEntry } from './review.ts';
import type { ReviewEntry, ReviewOutcome } from './review-types.ts';
import type { StoredStatement } from './rows.ts';
import type {
  ActReport,
  Author,
  Correction,
  FactDraft,
  MemoryWriter,
  SettleReport,
  WriteReport,
} from './types.ts';

/** What the writer takes from elsewhere. */
export interface MemoryWriterOptions {
  readonly clock: Clock;
  /** The account's key (32 bytes), opened. */
  readonly accountKey: (accountId: Uuid) => Promise<Uint8Array>;
}

/** Makes a {@link MemoryWriter} over a pool. Any number of them may write one account at once: they come out as one history. */
export function createMemoryWriter(pool: StorePool, options: MemoryWriterOptions): MemoryWriter {
  return {
    write: (accountId, drafts, author) => write(pool, options, accountId, drafts, author),
    reopen: (accountId, fact) => reopen(pool, options, accountId, fact),
    async previewReopen(accountId, fact) {
      const slot = await slotOf(pool, accountId, fact);
      if (slot === undefined) return 'unknown';
      const { clock } = options;
      const decision = { at: await nextMoment(pool, clock, accountId), newId: () => newId(clock) };
      const plan = planReopen(saidIn(slot), fact, decision, slot.usual);
      return typeof plan === 'string' ? plan : plan.takenBack;
    },
    takeBack: (accountId, statements, reason, note) =>
      takeBack(pool, options, accountId, statements, reason, note),
    correct: (accountId, fact, correction) => correct(pool, options, accountId, fact, correction),
    close: (accountId, fact, at) =>
      act(pool, options, accountId, fact, 'memory.close', null, (all, slot, decision) => {
        const window = windowWith(foldSlot(all, slot.usual), fact);
        if (window === undefined) return null;
        const from = requireMoment(at ?? decision.at);
        return planOf(all, [{ kind: 'end', value: window.value, from, ...byPerson(decision) }], slot.usual);
      }),
    trueAgain: (accountId, fact) =>
      act(pool, options, accountId, fact, 'memory.true_again', null, (all, slot, decision) => {
        const window = windowWith(foldSlot(all, slot.usual), fact);
        if (window === undefined) return null;
        const anew = {
          kind: 'value',
          value: window.value,
          from: decision.at,
          ...byPerson(decision),
        } as const;
        return planOf(all, [anew], slot.usual);
      }),
    claim: (accountId, where, docid, claims) =>
      transaction(pool, async (connection) => {
        const scope = await beginWrite(connection, options.clock, accountId);
        if (await isThere(scope, where, docid)) await insertClaims(scope, where, digitsOf(docid), claims);
      }),
    count: (accountId, counts) => countTurns(pool, accountId, counts),
    async settle(accountId, id, outcome) {
      const entry = await readReviewEntry(pool, accountId, id);
      if (entry === null || !(await settleEntry(pool, accountId, id, outcome, options.clock.now())))
        return null;
      return settled(pool, options, accountId, entry, outcome);
    },
    setArity: (accountId, slotId, arity) =>
      actOnSlot(
        pool,
        options,
        accountId,
        async () => slotId,
        'memory.arity',
        null,
        (all, slot, decision) =>
          slot.usual === 'pair'
            ? null
            : planOf(all, [{ kind: 'arity', arity, ...byPerson(decision) }], slot.usual),
      ),
  };
}

async function reopen(
  pool: StorePool,
  options: MemoryWriterOptions,
  accountId: Uuid,
  fact: Uuid,
): Promise<ActReport | NoReopen> {
  const report = await act(pool, options, accountId, fact, 'memory.reopen', null, (all, slot, decision) =>
    planReopen(all, fact, decision, slot.usual),
  );
  return report ?? 'unknown';
}

async function takeBack(
  pool: StorePool,
  options: MemoryWriterOptions,
  accountId: Uuid,
  statements: readonly Uuid[],
  reason: 'retracted' | 'undone',
  note: string | null,
): Promise<ActReport | null> {
  const [first] = statements;
  if (first === undefined) return null;
  const name = `memory.${ACTS[reason]}`;
  return act<null>(pool, options, accountId, first, name, note, (all, slot, decision) => {
    const known = new Set(all.map((statement) => statement.id));
    const own = statements.filter((id) => known.has(id));
    return planVoid(all, own, reason, decision, slot.usual);
  });
}

/** What settling an entry writes. */
async function settled(
  pool: StorePool,
  options: MemoryWriterOptions,
  accountId: Uuid,
  entry: ReviewEntry,
  outcome: ReviewOutcome,
): Promise<SettleReport> {
  if (outcome === 'accepted' && entry.claim !== null) {
    const { subject, predicate, value, kind, from, saidAt, start, end } = entry.claim;
    const docid = `${DOC_ID_PREFIX}${entry.docid ?? ''}` as DocId;
    const source = { docid, saidAt, start, end };
    const draft: FactDraft = { scope: entry.scope, subject, predicate, value, kind, from, source };
    const author: Author = { authority: 'person', name: 'person' };
    const { recordedAt, written, refused, changes } = await write(pool, options, accountId, [draft], author);
    return { acts: [{ recordedAt, written, takenBack: [], changes }], refused: refused.get(0) ?? null };
  }
  const acts: ActReport[] = [];
  if (outcome === 'reopened') {
    for (const fact of entry.closed) {
      const report = await reopen(pool, options, accountId, fact);
      if (typeof report === 'object') acts.push(report);
    }
  }
  if (outcome === 'dismissed' && entry.statements.length > 0) {
    for (const statement of entry.statements) {
      const report = await takeBack(pool, options, accountId, [statement], 'retracted', null);
      if (report !== null) acts.push(report);
    }
  }
  return { acts, refused: null };
}

const ACTS = { retracted: 'retract', undone: 'undo' } as const;

async function write(
  pool: StorePool,
  { clock, accountKey }: MemoryWriterOptions,
  accountId: Uuid,
  drafts: readonly FactDraft[],
  author: Author,
): Promise<WriteReport> {
  const key = await accountKey(accountId);
  const { read, refused } = await readDrafts(drafts, key);
  return transaction(pool, async (connection) => {
    const scope = await beginWrite(connection, clock, accountId);
    const standingDrafts = await standing(scope, read);
    const stays = new Set(standingDrafts);
    const gone = read.filter((draft) => !stays.has(draft));
    const slotIds = await findSlots(scope, standingDrafts);
    const statements = statementsOf(scope, standingDrafts, slotIds, author, key);
    const slots = await readSlots(connection, accountId, [...new Set(slotIds)]);
    const known = new Set(slots.flatMap((slot) => saidIn(slot).map((said) => said.id)));
    const added = statements.filter(({ said }) => !known.has(said.id));
    const name = author.authority === 'person' ? 'memory.state' : 'memory.learn';
    const changes =
      added.length === 0 ? [] : await applyToSlots(scope, slots, added, { act: name, actor: author.name });
    if (author.authority !== 'person')
      await askToReview(scope, { drafts: standingDrafts, slots, slotIds, added, changes });
    return {
      recordedAt: scope.at,
      written: added.map(({ said }) => said.id),
      known: statements.length - added.length,
      refused: new Map([...refused, ...gone.map(({ index }) => [index, 'gone'] as const)]),
      changes,
    };
  });
}

async function correct(
  pool: StorePool,
  options: MemoryWriterOptions,
  accountId: Uuid,
  fact: Uuid,
  { value, from, note }: Correction,
): Promise<ActReport | null> {
  const text = plainText(value).trim();
  if (text === '') throw refused('A fact needs a value.', 'Say what it is, or retract it.');
  if (await isSecretText([text], await options.accountKey(accountId)))
    throw refused('The value looks like a secret.', 'Keep secrets out of memory: models read it.');
  return act(pool, options, accountId, fact, 'memory.correct', note, (all, slot, decision) => {
    const before = foldSlot(all, slot.usual);
    const window = windowWith(before, fact);
    if (window === undefined) return null;
    const taken = planVoid(all, supportOf(before, fact), 'corrected', decision, slot.usual);
    const start = requireMoment(from ?? window.from);
    const anew = { kind: 'value', value: toValue(text), from: start, ...byPerson(decision) } as const;
    return planOf(all, [...taken.statements, anew], slot.usual);
  });
}

type Decide<T> = (
  all: readonly Statement[],
  slot: KnownSlot,
  decision: { readonly at: Millis; readonly newId: () => Uuid },
) => ActPlan | T;

/** A person's act on the slot that a statement belongs to. Null: there is none. */
function act<T>(
  pool: StorePool,
  options: MemoryWriterOptions,
  accountId: Uuid,
  statement: Uuid,
  name: string,
  note: string | null,
  decide: Decide<T>,
): Promise<ActReport | T | null> {
  const find = (connection: pg.PoolClient) => slotIdOf(connection, accountId, statement);
  return actOnSlot(pool, options, accountId, find, name, note, decide);
}

/** One decision about one slot, at the recorded time of its write. What is not a plan is answered as it is. */
function actOnSlot<T>(
  pool: StorePool,
  { clock }: MemoryWriterOptions,
  accountId: Uuid,
  find: (connection: pg.PoolClient) => Promise<Uuid | undefined>,
  name: string,
  note: string | null,
  decide: Decide<T>,
): Promise<ActReport | T | null> {
  return transaction(pool, async (connection) => {
    const scope = await beginWrite(connection, clock, accountId);
    const id = await find(connection);
    const [slot] = id === undefined ? [] : await readSlots(connection, accountId, [id]);
    if (slot === undefined) return null;
    const plan = decide(saidIn(slot), slot, { at: scope.at, newId: () => newId(clock) });
    if (!isPlan(plan)) return plan;
    return carryOut(scope, slot, plan, name, note);
  });
}

async function carryOut(
  scope: WriteScope,
  slot: KnownSlot,
  plan: ActPlan,
  name: string,
  note: string | null,
): Promise<ActReport> {
  const kept = {
    slot: slot.id,
    author: 'person',
    spanEnd: 0,
    note: note === null ? null : plainText(note),
    recordedAt: scope.at,
  };
  const added: StoredStatement[] = plan.statements.map((said) => ({ said, ...kept }));
  const changes =
    added.length === 0 ? [] : await applyToSlots(scope, [slot], added, { act: name, actor: 'person' });
  const written = plan.statements.map((said) => said.id);
  return { recordedAt: scope.at, written, takenBack: plan.takenBack, changes };
}

function isPlan(value: unknown): value is ActPlan {
  return typeof value === 'object' && value !== null && 'statements' in value;
}

function saidIn(slot: KnownSlot): readonly Statement[] {
  return slot.statements.map(({ said }) => said);
}

async function slotOf(pool: StorePool, accountId: Uuid, statement: Uuid): Promise<KnownSlot | undefined> {
  const id = await slotIdOf(pool, accountId, statement);
  return id === undefined ? undefined : (await readSlots(pool, accountId, [id]))[0];
}

async function slotIdOf(
  from: Pick<pg.Pool, 'query'>,
  accountId: Uuid,
  statement: Uuid,
): Promise<Uuid | undefined> {
  const { rows } = await from.query<{ slot_id: Uuid }>(
    'SELECT slot_id FROM statement WHERE account_id = $1 AND id = $2',
    [accountId, statement],
  );
  return rows[0]?.slot_id;
}

function requireMoment(at: Millis): Millis {
  if (isMoment(at)) return at;
  throw refused('The time is outside the years 1 to 9999.', 'Give another one.');
}

function refused(message: string, hint: string): ContextModeError {
  return new ContextModeError('bad_request', message, { hint });
}
