import { z } from 'zod';
import { DOC_ID_PREFIX } from '../conversation/index.ts';
import type { Millis } from '../kernel/clock.ts';
import { ContextModeError } from '../kernel/errors.ts';
import { isUuid, type Uuid } from '../kernel/ids.ts';
import type { ActReport, FactDraft, FactFilter, ListedSlot, Scope } from '../memory/index.ts';
import {
  arity,
  fact,
  factAct,
  memoryAct,
  memoryCounts,
  reopenPreview,
  reviewEntry,
  scopeKind,
  slot,
  slotHistory,
} from './memory-schemas.ts';
import {
  wireAct,
  wireFact,
  wireHistory,
  wireMemoryAct,
  wireReview,
  wireSlot,
  wireWindow,
} from './memory-wire.ts';
import { pageOf } from './schemas.ts';
import { type ApiContext, changing, reading, router } from './trpc.ts';

const moment = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text) as Millis);
const words = z.string().trim().min(1).max(500);

/** What a list of facts takes: filters that must all fit. */
export const factsInput = z.object({
  status: z.enum(['open', 'closed', 'all']).default('open').describe('as of `validAt`'),
  validAt: moment.nullish().describe('what was true then; left out: now'),
  knownAt: moment.nullish().describe('what was held for true then; left out: now'),
  q: z.string().max(500).optional().describe('stands in subject, predicate or value'),
  project: z.string().optional().describe("id: the repository's facts, its worktrees' and its threads'"),
  worktree: z.string().optional(),
  scope: scopeKind.optional(),
  docid: z.string().optional().describe('only what was drawn from this document'),
  session: z.string().optional().describe('only what was drawn from documents of this session'),
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('slots of a page'),
  cursor: z.string().nullish(),
});

/** A fact by its id. */
export const factInput = z.object({ id: z.string().describe('of the fact') });
const slotInput = z.object({ id: z.string().describe('of the slot') });

/** What states a fact by hand. */
export const addInput = z.object({
  subject: words,
  predicate: words,
  object: words,
  validFrom: moment.optional().describe('left out: now'),
  arity: arity.optional().describe('left out: by the predicate'),
  scope: scopeKind.default('project'),
  place: z.string().optional().describe('id of the project, worktree or thread; left out: the only project'),
});

/** What closes a fact. */
export const closeInput = factInput.extend({ at: moment.optional().describe('left out: now') });
/** What corrects a fact. */
export const correctInput = factInput.extend({
  object: words,
  validFrom: moment.optional().describe('left out: from when it was held to be true'),
  note: z.string().max(2000).optional().describe('why'),
});
/** What retracts a fact. */
export const retractInput = factInput.extend({ note: z.string().max(2000).optional() });
/** What undoes an act: its statements, of one slot. */
export const undoInput = z.object({
  statements: z
    .union([z.array(z.string()).min(1).max(1000), z.string().transform((text) => text.split(','))])
    .describe('`written` of the act; in a query, comma-separated'),
});
/** What settles an entry of the queue. */
export const settleInput = z.object({
  id: z.string(),
  outcome: z
    .enum(['accepted', 'dismissed', 'reopened'])
    .describe(
      'accepted: it stands, and a claim is written; dismissed: what it wrote is retracted; reopened: what a batch closed is true again',
    ),
});
/** A page of what happened. */
export const pageInput = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().nullish(),
});
/** A page of the queue. */
export const reviewInput = pageInput.extend({
  open: z.stringbool().or(z.boolean()).default(true).describe('only what nobody settled'),
});

/** Facts of slots, page by page. */
export const factPage = pageOf(fact);
/** What came of settling an entry. */
export const settled = z.object({
  acts: z.array(factAct),
  refused: z.enum(['secret', 'gone', 'unfit']).nullable().describe('why a claim was not written'),
});

function idIn(text: string, what: string): Uuid {
  if (isUuid(text)) return text;
  throw notThere(what);
}

function notThere(what: string): ContextModeError {
  return new ContextModeError('not_found', `There is no ${what} with this id.`, {
    hint: 'It may have been erased, or the fact goes by another id now. Reload the list at /api/v1/facts.',
  });
}

function filterOf(input: z.output<typeof factsInput>): FactFilter {
  const { status, validAt, knownAt, q, project, worktree, scope, docid, session, limit, cursor } = input;
  return {
    status,
    validAt: validAt ?? null,
    knownAt: knownAt ?? null,
    limit,
    cursor: cursor ?? null,
    ...(q === undefined ? {} : { q }),
    ...(project === undefined ? {} : { projectId: idIn(project, 'project') }),
    ...(worktree === undefined ? {} : { worktreeId: idIn(worktree, 'worktree') }),
    ...(scope === undefined ? {} : { scope }),
    ...(docid === undefined ? {} : { docid: docid.replace(DOC_ID_PREFIX, '') }),
    ...(session === undefined ? {} : { sessionId: idIn(session, 'session') }),
  };
}

async function scopeIn(ctx: ApiContext, kind: Scope['kind'], place: string | undefined): Promise<Scope> {
  if (place !== undefined) return { kind, id: idIn(place, kind) };
  const { archive, accountId } = ctx.services;
  const [only, another] = await archive.listProjects(accountId);
  if (kind === 'project' && only !== undefined && another === undefined) return { kind, id: only.id };
  throw new ContextModeError('bad_request', `It is not said which ${kind} the fact belongs to.`, {
    hint: 'Give its id as `place`; projects are listed at /api/v1/projects.',
  });
}

async function stated(ctx: ApiContext, input: z.output<typeof addInput>) {
  const { memory, accountId } = ctx.services;
  const draft: FactDraft = {
    scope: await scopeIn(ctx, input.scope, input.place),
    subject: input.subject,
    predicate: input.predicate,
    value: input.object,
    kind: 'value',
    from: input.validFrom ?? null,
    source: null,
    ...(input.arity === undefined ? {} : { arity: input.arity }),
  };
  const report = await memory.writer.write(accountId, [draft], { authority: 'person', name: 'person' });
  const refused = report.refused.get(0);
  if (refused !== undefined) throw refusal(refused);
  return wireAct(report);
}

const REFUSALS = {
  secret: ['bad_request', 'It looks like a secret.', 'Keep secrets out of memory: models read it.'],
  gone: ['not_found', 'The place that it belongs to is not there.', 'Reload the page.'],
  unfit: [
    'bad_request',
    'It names nothing, or a moment outside the years 1 to 9999.',
    'Say it in other words.',
  ],
} as const;

function refusal(why: keyof typeof REFUSALS): ContextModeError {
  const [code, message, hint] = REFUSALS[why];
  return new ContextModeError(code, message, { hint });
}

async function done(act: Promise<ActReport | null>, what = 'fact') {
  const report = await act;
  if (report === null) throw notThere(what);
  return wireAct(report);
}

const NO_REOPEN = {
  unknown: ['not_found', 'There is no fact with this id.', 'Reload the list.'],
  taken_back: ['conflict', 'The fact was taken back, not closed.', 'Undo what took it back.'],
  open: ['conflict', 'The fact is open.', 'There is nothing to reopen.'],
  event: ['conflict', 'An event is never open.', 'State it anew.'],
} as const;

async function reopened({ services }: ApiContext, id: string) {
  const { memory, accountId } = services;
  const report = isUuid(id) ? await memory.writer.reopen(accountId, id) : 'unknown';
  if (typeof report === 'object') return wireAct(report);
  const [code, message, hint] = NO_REOPEN[report];
  throw new ContextModeError(code, message, { hint });
}

async function historyOf({ services }: ApiContext, slotId: Uuid | null) {
  const { reader } = services.memory;
  if (slotId === null) throw notThere('fact');
  const [found, record] = await Promise.all([
    reader.find(services.accountId, slotId),
    reader.slot(services.accountId, slotId),
  ]);
  if (record === null) throw notThere('slot');
  const { slot: own } = record;
  const none: ListedSlot = {
    ...own,
    arity: own.usual,
    facts: [],
    place: { scope: own.scope, name: '', projectId: null, sessionId: null },
  };
  return wireHistory(found ?? none, record);
}

type Before = { readonly at: Millis; readonly id: Uuid };

function cursorOf(last: Before | undefined): string | null {
  return last === undefined ? null : Buffer.from(`${last.at} ${last.id}`).toString('base64url');
}

function beforeIn(cursor: string | null | undefined): Before | null {
  if (cursor == null) return null;
  const [at, id = ''] = Buffer.from(cursor, 'base64url').toString().split(' ');
  if (Number.isSafeInteger(Number(at)) && isUuid(id)) return { at: Number(at) as Millis, id };
  throw new ContextModeError('bad_request', 'The cursor is none of ours.', {
    hint: 'Take `next` of the page before.',
  });
}

async function reviewPage({ services }: ApiContext, input: z.output<typeof reviewInput>) {
  const { memory, accountId } = services;
  const { open, limit, cursor } = input;
  const entries = await memory.reader.review(accountId, open, beforeIn(cursor), limit + 1);
  const page = entries.slice(0, limit);
  const items = await Promise.all(
    page.map(async (entry) => {
      const ids = await Promise.all(
        [...entry.statements, ...entry.closed].map((id) => memory.reader.slotOf(accountId, id)),
      );
      const slots = await Promise.all(
        [...new Set(ids)].map((id) => (id === null ? null : memory.reader.find(accountId, id))),
      );
      return wireReview(
        entry,
        slots.filter((one) => one !== null),
      );
    }),
  );
  return { items, next: entries.length > limit ? cursorOf(page.at(-1)) : null };
}

/** Memory: what is known, on both clocks, and what a person does to it. */
export const memoryRouter = router({
  slots: reading
    .input(factsInput)
    .output(pageOf(slot))
    .query(async ({ ctx, input }) => {
      const { memory, accountId } = ctx.services;
      const { items, next } = await memory.reader.list(accountId, filterOf(input));
      return { items: items.map(wireSlot), next };
    }),

  facts: reading
    .input(factsInput)
    .output(factPage)
    .query(async ({ ctx, input }) => {
      const { memory, accountId } = ctx.services;
      const { items, next } = await memory.reader.list(accountId, filterOf(input));
      return { items: items.flatMap((one) => one.facts.map((each) => wireFact(one, each))), next };
    }),

  slot: reading
    .input(slotInput)
    .output(slotHistory)
    .query(({ ctx, input }) => historyOf(ctx, idIn(input.id, 'slot'))),

  history: reading
    .input(factInput)
    .output(slotHistory)
    .query(async ({ ctx, input }) => {
      const { memory, accountId } = ctx.services;
      return historyOf(ctx, await memory.reader.slotOf(accountId, idIn(input.id, 'fact')));
    }),

  add: changing
    .input(addInput)
    .output(factAct)
    .mutation(({ ctx, input }) => stated(ctx, input)),

  close: changing
    .input(closeInput)
    .output(factAct)
    .mutation(({ ctx, input }) => {
      const { memory, accountId } = ctx.services;
      return done(memory.writer.close(accountId, idIn(input.id, 'fact'), input.at ?? null));
    }),

  previewReopen: reading
    .input(factInput)
    .output(reopenPreview)
    .query(async ({ ctx, input }) => {
      const { memory, accountId } = ctx.services;
      const found = await memory.writer.previewReopen(accountId, idIn(input.id, 'fact'));
      return typeof found === 'string'
        ? { possible: false, why: found, takenBack: [] }
        : { possible: true, why: null, takenBack: found.map(wireWindow) };
    }),

  reopen: changing
    .input(factInput)
    .output(factAct)
    .mutation(({ ctx, input }) => reopened(ctx, input.id)),

  trueAgain: changing
    .input(factInput)
    .output(factAct)
    .mutation(({ ctx, input }) => {
      const { memory, accountId } = ctx.services;
      return done(memory.writer.trueAgain(accountId, idIn(input.id, 'fact')));
    }),

  correct: changing
    .input(correctInput)
    .output(factAct)
    .mutation(({ ctx, input }) => {
      const { memory, accountId } = ctx.services;
      const { object: value, validFrom: from = null, note = null } = input;
      return done(memory.writer.correct(accountId, idIn(input.id, 'fact'), { value, from, note }));
    }),

  retract: changing
    .input(retractInput)
    .output(factAct)
    .mutation(({ ctx, input }) => {
      const { memory, accountId } = ctx.services;
      const { id, note = null } = input;
      return done(memory.writer.takeBack(accountId, [idIn(id, 'fact')], 'retracted', note));
    }),

  undo: changing
    .input(undoInput)
    .output(factAct)
    .mutation(({ ctx, input }) => {
      const { memory, accountId } = ctx.services;
      const ids = input.statements.map((id) => idIn(id, 'statement'));
      return done(memory.writer.takeBack(accountId, ids, 'undone', null), 'statement');
    }),

  setArity: changing
    .input(slotInput.extend({ arity: z.enum(['one', 'many', 'event']) }))
    .output(factAct)
    .mutation(({ ctx, input }) => {
      const { memory, accountId } = ctx.services;
      return done(memory.writer.setArity(accountId, idIn(input.id, 'slot'), input.arity), 'slot');
    }),

  review: reading
    .input(reviewInput)
    .output(pageOf(reviewEntry))
    .query(({ ctx, input }) => reviewPage(ctx, input)),

  settle: changing
    .input(settleInput)
    .output(settled)
    .mutation(async ({ ctx, input }) => {
      const { memory, accountId } = ctx.services;
      const { id, outcome } = input;
      const report = await memory.writer.settle(accountId, idIn(id, 'entry of the queue'), outcome);
      if (report === null) throw notThere('open entry of the queue');
      return { acts: report.acts.map(wireAct), refused: report.refused };
    }),

  acts: reading
    .input(pageInput)
    .output(pageOf(memoryAct))
    .query(async ({ ctx, input }) => {
      const { memory, accountId } = ctx.services;
      const { limit, cursor } = input;
      const rows = await memory.reader.acts(accountId, beforeIn(cursor), limit + 1);
      const page = rows.slice(0, limit);
      return {
        items: page.map(wireMemoryAct),
        next: rows.length > limit ? cursorOf(page.at(-1)) : null,
      };
    }),

  counts: reading
    .input(z.object({}).optional())
    .output(memoryCounts)
    .query(({ ctx }) => ctx.services.memory.reader.counts(ctx.services.accountId)),
});
