import { z } from 'zod';

/** The shapes of memory that leave through tRPC and REST. */

const time = z.iso.datetime().describe('ISO 8601, UTC, milliseconds');
const id = z.string().describe('opaque');
const docid = z.string().describe('for /documents/{docid}');

/** How many values a slot holds. */
export const arity = z.enum(['one', 'many', 'event', 'pair']);
/** Whose facts they are. */
export const scopeKind = z.enum(['project', 'worktree', 'thread']);
/** Why a version began, or why it is no longer held for true. */
export const cause = z.enum([
  'asserted',
  'superseded',
  'ended',
  'late_history',
  'reopened',
  'retracted',
  'corrected',
  'undone',
  'arity_change',
  'erased',
]);
const authority = z.enum(['person', 'extractor', 'import']);

/** Where a slot belongs. */
export const factPlace = z.object({
  kind: scopeKind,
  id,
  name: z.string().describe("the project's name, the worktree's path, the session's title"),
  projectId: id.nullable(),
  sessionId: id.nullable(),
});

/** Who said what a fact stands on. */
export const factSource = z.object({
  authority,
  author: z.string().describe('which extractor or import in which version, or `person`'),
  saidAt: time,
  docid: docid.nullable().describe('null: by hand, or an import'),
  start: z.int().describe('UTF-16 units of the document, where its words begin'),
  end: z.int(),
});

const versionFields = {
  id: id.describe('of the fact: the statement that opened it'),
  object: z.string().describe('its value'),
  arity,
  validFrom: time,
  validTo: time.nullable().describe('null: it is still true; of an event the same as `validFrom`'),
  recordedFrom: time,
  recordedTo: time.nullable().describe('null: it is still held for true'),
  cause,
  causeFact: id.nullable().describe('the statement that was the reason'),
  endCause: cause.nullable(),
  endedBy: id.nullable(),
  closedBy: id.nullable().describe('the statement that ends it in valid time'),
};

/** A window of a slot as it was held for true. */
export const factVersion = z.object(versionFields).meta({ id: 'FactVersion' });

/** A fact as a list shows it. */
export const fact = z
  .object({
    ...versionFields,
    slot: id,
    subject: z.string(),
    predicate: z.string(),
    scope: scopeKind,
    place: factPlace,
    source: factSource,
  })
  .meta({ id: 'Fact' });

/** A slot with its facts. */
export const slot = z
  .object({
    id,
    subject: z.string(),
    predicate: z.string(),
    arity,
    place: factPlace,
    facts: z.array(fact).describe('newest valid time first'),
  })
  .meta({ id: 'Slot' });

/** A statement: what is kept for ever. */
export const statement = z
  .object({
    id,
    kind: z.enum(['value', 'end', 'reopen', 'void', 'arity']),
    object: z.string().nullable(),
    from: time.nullable(),
    target: id.nullable().describe('of a `void`: the statement that it takes back'),
    reason: z.enum(['retracted', 'corrected', 'undone']).nullable(),
    arity: arity.nullable(),
    voidedBy: id.nullable().describe('the statement that takes it back; null: it stands'),
    leftOutBy: id.nullable().describe('the reopen that leaves it out; null: none'),
    source: factSource,
    note: z.string().nullable(),
    recordedAt: time,
  })
  .meta({ id: 'Statement' });

/** All that is known of a slot. */
export const slotHistory = z.object({
  slot,
  versions: z
    .array(factVersion)
    .describe('also those that are no longer held for true, in order of recorded time'),
  statements: z.array(statement).describe('in order of recorded time'),
});

/** A stretch of valid time that an act takes back or cuts short, as it was before. */
export const takenBack = z.object({
  fact: id,
  object: z.string(),
  validFrom: time,
  validTo: time.nullable(),
});

/** What an act did. */
export const factAct = z
  .object({
    recordedAt: time,
    written: z.array(id).describe('the statements of the act: what undoes it is told these'),
    takenBack: z.array(takenBack),
    opened: z.array(factVersion.extend({ slot: id })),
    closed: z.array(factVersion.extend({ slot: id })),
  })
  .meta({ id: 'FactAct' });

/** What a reopen would take back; `why` says why there can be none. */
export const reopenPreview = z.object({
  possible: z.boolean(),
  why: z.enum(['unknown', 'taken_back', 'open', 'event']).nullable(),
  takenBack: z.array(takenBack),
});

/** Something that a person is asked to look at. */
export const reviewEntry = z
  .object({
    id,
    kind: z.enum(['batch', 'unsure', 'claim']),
    why: z.array(z.enum(['date', 'likeness', 'closes_many', 'closes_a_persons', 'answer_alone'])),
    scope: scopeKind,
    docid: docid.nullable(),
    statements: z.array(id),
    closed: z.array(id).describe('facts that the write closed'),
    slots: z.array(slot).describe('the slots of these, as they are now'),
    claim: z
      .object({
        subject: z.string(),
        predicate: z.string(),
        object: z.string().nullable(),
        kind: z.enum(['value', 'end']),
        validFrom: time,
        saidAt: time,
        start: z.int(),
        end: z.int(),
      })
      .nullable()
      .describe('what an answer says and nobody confirmed: nothing is written yet'),
    at: time,
    outcome: z.enum(['accepted', 'dismissed', 'reopened']).nullable(),
    settledAt: time.nullable(),
  })
  .meta({ id: 'ReviewEntry' });

/** An entry of the audit list. */
export const memoryAct = z
  .object({
    id,
    at: time,
    actor: z.string(),
    act: z.string().describe('`memory.` and what was done'),
    slot: id,
    counts: z.record(z.string(), z.number()),
  })
  .meta({ id: 'MemoryAct' });

/** How much there is. */
export const memoryCounts = z
  .object({
    turnsRead: z.int(),
    turnsSkipped: z.int().describe('nobody typed in them'),
    turnsFailed: z.int(),
    slots: z.int(),
    openFacts: z.int(),
    toReview: z.int(),
  })
  .meta({ id: 'MemoryCounts' });

/** A fact as it leaves. */
export type WireFact = z.infer<typeof fact>;
/** A slot as it leaves. */
export type WireSlot = z.infer<typeof slot>;
/** All of a slot as it leaves. */
export type WireSlotHistory = z.infer<typeof slotHistory>;
/** What an act did, as it leaves. */
export type WireFactAct = z.infer<typeof factAct>;
/** An entry of the queue as it leaves. */
export type WireReviewEntry = z.infer<typeof reviewEntry>;
/** An entry of the audit list as it leaves. */
export type WireMemoryAct = z.infer<typeof memoryAct>;
