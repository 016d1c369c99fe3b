import { z } from 'zod';
import { ContextModeError } from '../kernel/errors.ts';
import { isUuid, type Uuid } from '../kernel/ids.ts';
import { type SetSwitches, SWITCH_BOUNDS } from '../recall/index.ts';
import { heldSwitches, keptOf, type Level, type SaidAt, type Scopes } from './switches.ts';
import type { ApiContext } from './trpc.ts';

const preset = z.enum(['lean', 'balanced', 'roomy']);
const bounded = ([least, most]: readonly [number, number]) => z.int().min(least).max(most);
const { keepRecent, contextLimit, minGain } = SWITCH_BOUNDS;

/** What can be set of Recall at each scope: null takes it away, so that the wider scope holds; left out it stays. */
export const recallChanges = z.object({
  recall: z.boolean().nullish().describe('layouts are made'),
  preset: preset.nullish().describe('how much of the newest conversation stays; takes `keepRecent` away'),
  keepRecent: bounded(keepRecent).nullish().describe('the same as a number of tokens; takes `preset` away'),
  contextLimit: z
    .union([bounded(contextLimit), z.literal('auto')])
    .nullish()
    .describe('tokens that a prompt is not to pass; `auto`: by the rule'),
  minGain: bounded(minGain)
    .nullish()
    .describe('tokens below which no layout is made for a pause or by the cost rule'),
  retrievalTool: z.boolean().nullish().describe('new conversations get the tool context-mode-search'),
  trimming: z.boolean().nullish().describe('new conversations get long outputs of commands cut'),
  memory: z.boolean().nullish().describe('turns are learned from, and new conversations get facts'),
  timeZone: z.string().min(1).max(64).nullish().describe('IANA name of the zone of the times in an index'),
});

/** The same for a session, which can also be paused. */
export const sessionRecallChanges = recallChanges.extend({
  paused: z.boolean().nullish().describe('no new layout is made; what is in force stays'),
});

const level = z.enum(['default', 'account', 'project', 'session']);

/** What holds of Recall at a scope, what of it is said there, and where the rest comes from. */
export const recallState = z
  .object({
    recall: z.boolean(),
    preset: preset.nullable().describe('null: a number of tokens is set'),
    keepRecent: z.int().describe('tokens'),
    contextLimit: z
      .int()
      .nullable()
      .describe('tokens; null: 0.80 of the window, or 0.95 of what the agent compacts at'),
    minGain: z.int(),
    retrievalTool: z.boolean(),
    trimming: z.boolean(),
    memory: z.boolean(),
    timeZone: z.string(),
    paused: z.boolean(),
    from: z
      .object({
        recall: level,
        keepRecent: level,
        contextLimit: level,
        minGain: level,
        retrievalTool: level,
        trimming: level,
        memory: level,
        timeZone: level,
        paused: level,
      })
      .describe('who says each of them'),
  })
  .meta({ id: 'RecallSettings' });

/** What holds of Recall, as it leaves. */
export type WireRecallState = z.infer<typeof recallState>;
/** A change of it, as it comes. */
export type WireRecallChanges = z.infer<typeof sessionRecallChanges>;

/** The scope of the account. */
export function accountScope({ services }: ApiContext): Scopes {
  return { own: ['account', services.accountId], wider: [] };
}

/** The scope of a project. @throws ContextModeError `not_found` */
export async function projectScope(ctx: ApiContext, text: string): Promise<Scopes> {
  const { archive, accountId } = ctx.services;
  const all = isUuid(text) ? await archive.listProjects(accountId) : [];
  const found = all.find(({ id }) => id === text);
  if (found === undefined) throw notThere('project');
  return { own: ['project', found.id], wider: [['account', accountId]] };
}

/** The scope of a session, inside its project. @throws ContextModeError `not_found` */
export async function sessionScope(ctx: ApiContext, text: string): Promise<Scopes> {
  const { archive, accountId } = ctx.services;
  const found = isUuid(text) ? await archive.getSession(accountId, text) : null;
  if (found === null) throw notThere('session');
  const project = found.project === null ? [] : [['project', found.project.id] as const];
  return { own: ['session', found.id], wider: [['account', accountId], ...project] };
}

/** What holds at a scope. */
export async function recallStateOf(ctx: ApiContext, scopes: Scopes): Promise<WireRecallState> {
  const all = [...scopes.wider, scopes.own];
  const said = await Promise.all(all.map(([name, id]) => saidAt(ctx, name, id)));
  return wireState(said);
}

/** Sets what is given at a scope, and tells what holds then. */
export async function changeRecall(
  ctx: ApiContext,
  scopes: Scopes,
  given: WireRecallChanges,
): Promise<WireRecallState> {
  const [name, id] = scopes.own;
  const changes = changesOf(given);
  if (Object.keys(changes).length > 0) {
    const { switches, accountId, clock } = ctx.services;
    const next = { ...(await switches.read(accountId, id)), ...changes };
    if (!(await switches.write(accountId, id, next, clock.now()))) throw notThere(name);
  }
  return recallStateOf(ctx, scopes);
}

async function saidAt(ctx: ApiContext, name: Level, id: Uuid): Promise<SaidAt[number]> {
  const { switches, accountId } = ctx.services;
  return [name, await switches.read(accountId, id)];
}

/** The store's words for what was given. @throws ContextModeError `bad_request` where two sizes are */
export function changesOf(given: WireRecallChanges): Partial<SetSwitches> {
  const { preset, keepRecent, retrievalTool, ...same } = given;
  if (given.preset && given.keepRecent) {
    throw new ContextModeError('bad_request', 'Both `preset` and `keepRecent` say how much is kept.', {
      hint: 'Give one of them.',
    });
  }
  const size = preset ?? keepRecent;
  const entries = Object.entries({
    ...same,
    tool: retrievalTool,
    keepRecent: size ?? (preset === null || keepRecent === null ? null : undefined),
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function wireState(said: SaidAt): WireRecallState {
  const { values, from } = heldSwitches(said);
  const kept = keptOf(values.keepRecent);
  return {
    recall: values.recall,
    preset: kept.preset,
    keepRecent: kept.tokens,
    contextLimit: values.contextLimit,
    minGain: values.minGain,
    retrievalTool: values.tool,
    trimming: values.trimming,
    memory: values.memory,
    timeZone: values.timeZone,
    paused: values.paused,
    from: {
      recall: from.recall,
      keepRecent: from.keepRecent,
      contextLimit: from.contextLimit,
      minGain: from.minGain,
      retrievalTool: from.tool,
      trimming: from.trimming,
      memory: from.memory,
      timeZone: from.timeZone,
      paused: from.paused,
    },
  };
}

function notThere(what: string): ContextModeError {
  return new ContextModeError('not_found', `There is no ${what} with this id.`, {
    hint: 'It may have been deleted. Reload the page.',
  });
}
