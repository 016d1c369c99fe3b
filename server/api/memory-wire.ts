import { DOC_ID_PREFIX } from '../conversation/index.ts';
import type { Millis } from '../kernel/clock.ts';
import type {
  ActReport,
  FactVersion,
  ListedFact,
  ListedSlot,
  MemoryAct,
  ReviewEntry,
  SlotRecord,
  StoredStatement,
  Window,
  WriteReport,
} from '../memory/index.ts';
import type {
  WireFact,
  WireFactAct,
  WireMemoryAct,
  WireReviewEntry,
  WireSlot,
  WireSlotHistory,
} from './memory-schemas.ts';
import { isoOf } from './wire.ts';

const isoOrNull = (at: Millis | null) => (at === null ? null : isoOf(at));
const docidOf = (digits: string | null) => (digits === null ? null : `${DOC_ID_PREFIX}${digits}`);

function wireVersion(version: FactVersion) {
  return {
    id: version.fact,
    object: version.value.text,
    arity: version.arity,
    validFrom: isoOf(version.validFrom),
    validTo: isoOrNull(version.validTo),
    recordedFrom: isoOf(version.recordedFrom),
    recordedTo: isoOrNull(version.recordedTo),
    cause: version.cause,
    causeFact: version.causedBy,
    endCause: version.endCause,
    endedBy: version.endedBy,
    closedBy: version.closedBy,
  };
}

/** A slot as it leaves. */
export function wireSlot(found: ListedSlot): WireSlot {
  return {
    id: found.id,
    subject: found.subject,
    predicate: found.predicate,
    arity: found.arity,
    place: wirePlace(found),
    facts: found.facts.map((one) => wireFact(found, one)),
  };
}

function wirePlace({ place }: ListedSlot): WireSlot['place'] {
  const { scope, name, projectId, sessionId } = place;
  return { kind: scope.kind, id: scope.id, name, projectId, sessionId };
}

/** A fact of a slot as it leaves. */
export function wireFact(found: ListedSlot, { version, source }: ListedFact): WireFact {
  return {
    ...wireVersion(version),
    slot: found.id,
    subject: found.subject,
    predicate: found.predicate,
    scope: found.place.scope.kind,
    place: wirePlace(found),
    source: { ...source, saidAt: isoOf(source.saidAt), docid: docidOf(source.docid) },
  };
}

/** All of a slot as it leaves. */
export function wireHistory(found: ListedSlot, record: SlotRecord): WireSlotHistory {
  const { voided, leftOut } = record;
  return {
    slot: wireSlot(found),
    versions: record.versions.map(wireVersion),
    statements: record.statements.map((one) => ({
      ...wireStatement(one),
      voidedBy: voided.get(one.said.id) ?? null,
      leftOutBy: leftOut.get(one.said.id) ?? null,
    })),
  };
}

function wireStatement({ said, author, spanEnd, note, recordedAt }: StoredStatement) {
  return {
    id: said.id,
    kind: said.kind,
    object: 'value' in said ? (said.value?.text ?? null) : null,
    from: 'from' in said ? isoOf(said.from) : null,
    target: said.kind === 'void' ? said.target : null,
    reason: said.kind === 'void' ? said.reason : null,
    arity: said.kind === 'arity' ? said.arity : null,
    source: {
      authority: said.authority,
      author,
      saidAt: isoOf(said.saidAt),
      docid: docidOf(said.docid),
      start: said.offset,
      end: spanEnd,
    },
    note,
    recordedAt: isoOf(recordedAt),
  };
}

/** A stretch that an act takes back, as it leaves. */
export function wireWindow({ fact, value, from, to }: Window) {
  return { fact, object: value.text, validFrom: isoOf(from), validTo: isoOrNull(to) };
}

/** What an act did, as it leaves. */
export function wireAct(report: ActReport | WriteReport): WireFactAct {
  const { recordedAt, written, changes } = report;
  return {
    recordedAt: isoOf(recordedAt),
    written: [...written],
    takenBack: 'takenBack' in report ? report.takenBack.map(wireWindow) : [],
    opened: changes.flatMap(({ slot, opened }) => opened.map((one) => ({ ...wireVersion(one), slot }))),
    closed: changes.flatMap(({ slot, closed }) => closed.map((one) => ({ ...wireVersion(one), slot }))),
  };
}

/** An entry of the queue as it leaves, with the slots that it is about. */
export function wireReview(entry: ReviewEntry, slots: readonly ListedSlot[]): WireReviewEntry {
  const { claim } = entry;
  return {
    id: entry.id,
    kind: entry.kind,
    why: [...entry.why],
    scope: entry.scope.kind,
    docid: docidOf(entry.docid),
    statements: [...entry.statements],
    closed: [...entry.closed],
    slots: slots.map(wireSlot),
    claim:
      claim === null
        ? null
        : {
            subject: claim.subject,
            predicate: claim.predicate,
            object: claim.value,
            kind: claim.kind,
            validFrom: isoOf(claim.from),
            saidAt: isoOf(claim.saidAt),
            start: claim.start,
            end: claim.end,
          },
    at: isoOf(entry.at),
    outcome: entry.outcome,
    settledAt: isoOrNull(entry.settledAt),
  };
}

/** An entry of the audit list as it leaves. */
export function wireMemoryAct(act: MemoryAct): WireMemoryAct {
  return { ...act, at: isoOf(act.at), counts: { ...act.counts } };
}
