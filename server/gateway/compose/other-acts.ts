import { hexOf } from '../../conversation/index.ts';
import type { Generation, LayoutPreview, RecallStore, UndoResult } from '../../recall/index.ts';
import { makeLayout } from './compose-request.ts';
import { newestMark } from './conversation.ts';
import { inForce, layoutBefore, NO_CHOICES } from './recollect.ts';
import { RequestWork } from './request-work.ts';
import { keepState } from './thread-state.ts';
import type { Composed, ComposeParts, RequestToCompose, ThreadMemory } from './types.ts';

/** Why a provider refused a request, as far as another form of it may help. */
export type RefusedAs =
  | { readonly as: 'too_large'; readonly maximum: number | null }
  | { readonly as: 'ours' };

/**
 * Another form of a request that the provider refused: as too large, under a layout that is cut to half of what it takes
 * at most; for what we made of it, the client's own bytes without any reasoning, and nothing more is made in the thread.
 * Null: there is none, or no layout is to be made. @throws where store or archive do not answer
 */
export async function composeAgain(
  parts: ComposeParts,
  { request, sizes }: Composed,
  refused: RefusedAs,
): Promise<Composed | null> {
  const work = await workOn(parts, request);
  if (work === null) return null;
  if (refused.as === 'ours') return fallBack(work, parts.recall);
  if (!work.switches.recall || work.switches.paused || request.isPaused) return null;
  const limit = Math.floor((refused.maximum ?? sizes.current) / 2);
  const made = await makeLayout(work, 'too_large', { ...sizes, limit });
  return typeof made === 'string' ? null : made;
}

/** The client's own bytes without reasoning: what it was bound to is not sent. */
async function fallBack(work: RequestWork, recall: RecallStore): Promise<Composed | null> {
  const { memory, at, accountId } = work.request;
  const madeAt = newestMark(work.conversation);
  if (madeAt === null) return null;
  const sizes = work.sizes({ force: null, planned: null, choices: NO_CHOICES });
  const generation: Generation = {
    madeAt,
    reason: 'fallback',
    layout: null,
    choices: NO_CHOICES,
    thread: memory.name,
    at,
    tokensBefore: sizes.client,
    tokensAfter: sizes.client,
  };
  memory.isResting = true;
  keepState(recall, accountId, memory);
  const force = { generation, element: work.conversation.elements.length };
  const composed = work.compose(
    { force, planned: null, choices: NO_CHOICES },
    { sizes, because: null, sent: sizes.client, fallBack: true },
  );
  const kept = await work.commit(generation);
  // Where a layout was made at the very same place, what goes out now is described by no generation.
  memory.isUnseen = kept.reason !== 'fallback';
  return composed.unedited === null ? composed : null;
}

/** What would be made of a thread's newest request; null: no layout can be. @throws where the archive does not answer */
export async function previewOf(parts: ComposeParts, memory: ThreadMemory): Promise<LayoutPreview | null> {
  const work = await workOn(parts, memory.latest);
  const standing = await work?.standing(inForce(memory, work.conversation));
  if (work === null || standing === undefined || typeof standing === 'string') return null;
  const sizes = work.sizes(standing);
  const plan = await work.plan(sizes);
  if (typeof plan === 'string') return null;
  const moment = work.moment(sizes);
  const { keepRecent, contextLimit, minGain, timeZone } = work.switches;
  return {
    model: work.request.read.model ?? 'unknown',
    tokensNow: sizes.current,
    tokensThen: plan.tokens,
    limit: sizes.limit,
    indexTokens: plan.content.indexTokens,
    leaves: plan.leaves,
    boundary: hexOf(plan.content.boundaryMessage),
    cacheMark: plan.content.cacheMark,
    due: moment.act === 'layout' ? moment.reason : null,
    settings: { keepRecent, contextLimit, minGain, timeZone },
  };
}

/** Wishes the layout in force away: the next request is put together without it. @throws where the archive does not answer */
export async function undoLayout(parts: ComposeParts, memory: ThreadMemory): Promise<UndoResult> {
  const work = await workOn(parts, memory.latest);
  if (work === null) return { undone: false, why: 'unknown_state' };
  const force = inForce(memory, work.conversation);
  if (force === null || force.generation.layout === null) return { undone: false, why: 'nothing' };
  const layout = layoutBefore(memory, work.conversation, force);
  const before = await work.standing({ ...force, generation: { ...force.generation, layout } });
  if (typeof before === 'string') return { undone: false, why: 'unknown_state' };
  const { estimated, limit } = work.sizes(before);
  const tokens = Math.ceil(estimated * work.factor);
  if (limit !== null && tokens > limit) return { undone: false, why: 'over_limit', tokens, limit };
  memory.isUnwanted = true;
  return { undone: true };
}

async function workOn(parts: ComposeParts, request: RequestToCompose | null): Promise<RequestWork | null> {
  const conversation = request?.memory.conversation ?? null;
  if (request === null || conversation === null) return null;
  const { accountId, memory } = request;
  const key = await parts.archive.accountKey(accountId);
  const switches = await parts.switchesOf(accountId, memory);
  return new RequestWork(
    parts,
    request,
    { isOver: false, standing: null, isBound: null, hasCommitted: false },
    { key, conversation, switches },
  );
}
