import { DOC_ID_PREFIX } from '../../conversation/index.ts';
import type { Millis } from '../../kernel/clock.ts';
import { columnName, plainText } from '../../kernel/column-text.ts';
import { newId, type Uuid } from '../../kernel/ids.ts';
import { maskText } from '../../redaction/index.ts';
import { statementId } from '../identity.ts';
import { normalName, normalPredicate, type SlotName, slotName, toValue, usualArity } from '../normal-form.ts';
import type { Scope } from '../place.ts';
import type { Arity, Value } from '../types.ts';
import type { WriteScope } from './apply.ts';
import type { StoredStatement } from './rows.ts';
import type { Author, FactDraft, Refusal } from './types.ts';

/** A draft with the slot that it names, fit for the database. */
export interface ReadDraft {
  readonly index: number;
  readonly draft: FactDraft;
  readonly name: SlotName;
  readonly usual: Arity;
  readonly value: Value | null;
}

/** Reads drafts: their slots and values in normal form. What holds a secret or says nothing is refused. */
export async function readDrafts(
  drafts: readonly FactDraft[],
  accountKey: Uint8Array,
): Promise<{ readonly read: readonly ReadDraft[]; readonly refused: ReadonlyMap<number, Refusal> }> {
  const read: ReadDraft[] = [];
  const refused = new Map<number, Refusal>();
  for (const [index, draft] of drafts.entries()) {
    const one = readDraft(index, draft);
    if (one === null) refused.set(index, 'unfit');
    else if (await isSecret(draft, accountKey)) refused.set(index, 'secret');
    else read.push(one);
  }
  return { read, refused };
}

function readDraft(index: number, draft: FactDraft): ReadDraft | null {
  const subject = plainText(draft.subject).trim();
  const predicate = plainText(draft.predicate).trim();
  const text = draft.value === null ? null : plainText(draft.value).trim();
  if (normalName(subject) === '' || normalName(predicate) === '' || text === '') return null;
  if (text === null && draft.kind === 'value') return null;
  const moments = [draft.from, draft.source?.saidAt ?? null];
  if (!moments.every((at) => at === null || isMoment(at))) return null;
  const usual = draft.arity === 'pair' ? 'pair' : usualArity(normalPredicate(predicate));
  // Both ends name the slot of a pair: without the other one it names none.
  if (usual === 'pair' && text === null) return null;
  const name = slotName({ subject, predicate, object: text ?? '' }, usual);
  const value = text === null ? null : toValue(text);
  const pair = usual === 'pair' ? { text: `${subject} ↔ ${text}`, key: name.subject } : null;
  return { index, draft: { ...draft, subject, predicate }, name, usual, value: pair ?? value };
}

const MASK = '[masked:';

/** True where the words of a draft look like a secret, alone or together: a name beside what follows it tells more. */
async function isSecret({ subject, predicate, value }: FactDraft, accountKey: Uint8Array): Promise<boolean> {
  const together = [`${subject} ${predicate}: ${value}`, `${subject}=${value}`, `${predicate}=${value}`];
  return isSecretText([subject, predicate, value ?? '', ...together], accountKey);
}

/** True where one of some texts looks like a secret, or had one that is masked already. */
export async function isSecretText(texts: readonly string[], accountKey: Uint8Array): Promise<boolean> {
  // One look at all of them, each in a paragraph of its own, takes a fraction of the time of one at each.
  const all = texts.join('\n\n');
  return all.includes(MASK) || Object.keys((await maskText(all, accountKey)).counts).length > 0;
}

/** Slots by scope and name, made where there are none. Answers the id of each draft's slot. */
export async function findSlots(
  { connection, accountId, clock, at }: WriteScope,
  drafts: readonly ReadDraft[],
): Promise<readonly Uuid[]> {
  const column = <T>(pick: (draft: ReadDraft) => T) => drafts.map(pick);
  const subjects = column(({ name }) => columnName(name.subject));
  const predicates = column(({ name }) => columnName(name.predicate));
  const scopes = column(({ draft }) => draft.scope.id);
  await connection.query(MAKE_SLOTS, [
    accountId,
    new Date(at),
    column(() => newId(clock)),
    column(({ draft }) => draft.scope.kind),
    scopes,
    column(({ draft }) => draft.subject),
    column(({ draft }) => draft.predicate),
    subjects,
    predicates,
    column(({ usual }) => usual),
  ]);
  const { rows } = await connection.query<{ id: Uuid }>(FIND_SLOTS, [
    accountId,
    scopes,
    subjects,
    predicates,
  ]);
  return rows.map((row) => row.id);
}

const MAKE_SLOTS = `
INSERT INTO slot (account_id, id, scope_kind, scope_id, subject, predicate, subject_key, predicate_key, usual_arity,
  created_at)
SELECT $1, g.*, $2 FROM unnest($3::uuid[], $4::text[], $5::uuid[], $6::text[], $7::text[], $8::text[], $9::text[],
  $10::text[]) AS g
ON CONFLICT (account_id, scope_id, subject_key, predicate_key) DO NOTHING`;

const FIND_SLOTS = `
SELECT s.id FROM unnest($2::uuid[], $3::text[], $4::text[]) WITH ORDINALITY AS g(scope_id, subject, predicate, n)
JOIN slot s ON s.account_id = $1 AND s.scope_id = g.scope_id AND s.subject_key = g.subject
  AND s.predicate_key = g.predicate
ORDER BY g.n`;

/** Drafts whose document and place are there; a deletion waits for the account's lock, so that they stay there. */
export async function standing(
  { connection, accountId }: WriteScope,
  drafts: readonly ReadDraft[],
): Promise<readonly ReadDraft[]> {
  const docids = drafts.flatMap(({ draft }) => (draft.source === null ? [] : [digitsOf(draft.source.docid)]));
  const items = await connection.query<{ docid: string }>(
    'SELECT docid FROM item WHERE account_id = $1 AND docid = ANY($2::text[])',
    [accountId, docids],
  );
  const places = await connection.query<Scope>(
    `SELECT kind, id FROM (
       SELECT 'project' AS kind, id FROM project WHERE account_id = $1 AND id = ANY($2::uuid[])
       UNION ALL SELECT 'worktree', id FROM worktree WHERE account_id = $1 AND id = ANY($2::uuid[])
       UNION ALL SELECT 'thread', id FROM thread WHERE account_id = $1 AND id = ANY($2::uuid[])) places`,
    [accountId, drafts.map(({ draft }) => draft.scope.id)],
  );
  const found = new Set(items.rows.map((row) => row.docid));
  const known = new Set(places.rows.map(({ kind, id }) => `${kind} ${id}`));
  return drafts.filter(
    ({ draft: { scope, source } }) =>
      known.has(`${scope.kind} ${scope.id}`) && (source === null || found.has(digitsOf(source.docid))),
  );
}

/** Whether a document and a place are there, under the account's lock. */
export async function isThere(
  { connection, accountId }: WriteScope,
  { kind, id }: Scope,
  docid: string,
): Promise<boolean> {
  const { rows } = await connection.query(
    `SELECT 1 FROM item i WHERE i.account_id = $1 AND i.docid = $2
       AND EXISTS (SELECT 1 FROM ${kind} p WHERE p.account_id = $1 AND p.id = $3)`,
    [accountId, digitsOf(docid), id],
  );
  return rows.length > 0;
}

/** A document's id as the tables have it. */
export function digitsOf(docid: string): string {
  return docid.startsWith(DOC_ID_PREFIX) ? docid.slice(DOC_ID_PREFIX.length) : docid;
}

/**
 * The statements of drafts, each with its slot. One that was drawn or imported has the id that follows from its source; a
 * person's has a new one.
 */
export function statementsOf(
  scope: WriteScope,
  drafts: readonly ReadDraft[],
  slots: readonly Uuid[],
  { authority, name: author }: Author,
  accountKey: Uint8Array,
): readonly StoredStatement[] {
  const counted = new Map<string, number>();
  const statements: StoredStatement[] = [];
  const placed = drafts
    .flatMap((read, index) => {
      const slot = slots[index];
      return slot === undefined ? [] : [{ read, slot, from: read.draft.from ?? scope.at }];
    })
    .toSorted((one, other) => one.from - other.from || startOf(one.read) - startOf(other.read));
  for (const { read, slot, from } of placed) {
    const { draft, value, usual } = read;
    const saidAt = authority === 'person' ? scope.at : (draft.source?.saidAt ?? from);
    const docid = draft.source === null ? null : digitsOf(draft.source.docid);
    const idOf = (kind: 'value' | 'end' | 'arity', key: string): Uuid => {
      if (authority === 'person') return newId(scope.clock);
      const source = docid ?? `${author} ${saidAt} ${from}`;
      const name = JSON.stringify([source, slot, kind, key]);
      const nth = counted.get(name) ?? 0;
      counted.set(name, kind === 'arity' ? 0 : nth + 1);
      return statementId(accountKey, { source, slot, kind, key, nth });
    };
    const told = { authority, saidAt, docid, offset: startOf(read) };
    const kept = { slot, author, spanEnd: draft.source?.end ?? 0, note: null, recordedAt: scope.at };
    if (draft.kind === 'end') {
      statements.push({
        said: { kind: 'end', id: idOf('end', value?.key ?? ''), value, from, ...told },
        ...kept,
      });
    } else if (value !== null) {
      statements.push({
        said: { kind: 'value', id: idOf('value', value.key), value, from, ...told },
        ...kept,
      });
    }
    if (draft.arity !== undefined && draft.arity !== 'pair' && draft.arity !== usual && usual !== 'pair') {
      const id = idOf('arity', draft.arity);
      statements.push({ said: { kind: 'arity', id, arity: draft.arity, ...told }, ...kept });
    }
  }
  return [...new Map(statements.map((statement) => [statement.said.id, statement])).values()];
}

function startOf({ draft }: ReadDraft): number {
  return draft.source?.start ?? 0;
}

/** True for a moment that a column of time holds. */
export function isMoment(at: Millis): boolean {
  return Number.isSafeInteger(at) && at >= FIRST_MOMENT && at <= LAST_MOMENT;
}

const FIRST_MOMENT = Date.parse('0001-01-01T00:00:00Z');
const LAST_MOMENT = Date.parse('9999-12-31T00:00:00Z');
