import { faultOf } from '../../kernel/errors.ts';
import {
  type FrozenChoices,
  type Generation,
  NOTHING_DUE,
  RETRIEVAL_TOOL_RULES,
  type RecallSwitches,
  TRIMMING_RULES,
} from '../../recall/index.ts';
import { goesOnBehind, newestMark, readConversation } from './conversation.ts';
import { stubsToFill } from './fill-stubs.ts';
import { type MemoryChoice, memoryFor, NO_MEMORY } from './memory-part.ts';
import { decideNewResults } from './new-results.ts';
import {
  bringsUnseen,
  inForce,
  isBound,
  layoutBefore,
  NO_CHOICES,
  recollect,
  settleBeginning,
} from './recollect.ts';
import { RequestWork } from './request-work.ts';
import { recallState } from './thread-state.ts';
import {
  type Composed,
  type ComposeParts,
  type Deadline,
  Late,
  type RequestToCompose,
  type Sizes,
  type Standing,
} from './types.ts';

/**
 * Puts a request together: what it was sent with before is put back, and at one of three moments it gets a new layout. What
 * changes the provider's view is committed before this returns. Where a check fails the request stays as it was without
 * what failed.
 * @param isOnItsWay it has gone out as it came: it is only read, so that the next one is known
 * @throws where store or archive do not answer
 */
export async function composeRequest(
  parts: ComposeParts,
  request: RequestToCompose,
  deadline: Deadline,
  isOnItsWay = false,
): Promise<Composed> {
  const { accountId, adapter, read, body, memory, isSide, at } = request;
  const key = await parts.archive.accountKey(accountId);
  const before = memory.conversation;
  const conversation = await readConversation(key, adapter, read, body, before);
  const behind = before === null ? null : goesOnBehind(before, conversation);
  const [version, switched] = await Promise.all([
    parts.versionOf(accountId),
    parts.switchesOf(accountId, memory),
    recallState(parts.recall, accountId, memory, parts.isAlone),
  ]);
  const switches = request.isPaused ? { ...switched, paused: true } : switched;
  const bringsAnswers = behind !== null && bringsUnseen(conversation, behind);
  await recollect(parts.recall, accountId, memory, conversation, version, behind !== null && !bringsAnswers);
  deadline.isBound = isBound(memory);
  // What a side request with another history asked for is not what the thread's next turn needs.
  if (isSide && behind === null) memory.version = null;
  // What is on its way has none.
  const freshMemory = async () =>
    isOnItsWay ? NO_MEMORY : memoryFor(parts, request, conversation, switches);
  if (!isSide && !request.isPaused && !deadline.isOver)
    await settleBeginning(parts.recall, accountId, memory, conversation, {
      at,
      choices: async () => ({ ...choicesBy(switches), ...(await freshMemory()) }),
      memory: freshMemory,
    });
  const work = new RequestWork(parts, request, deadline, { key, conversation, switches });
  if (bringsAnswers && !(await work.answeredHere(behind + 1))) memory.isUnseen = true;
  const force = inForce(memory, conversation);
  // What the provider refused of it rests in every process.
  if (force?.generation.reason === 'fallback') memory.isResting = true;
  const standing = await work.standing(force);
  if (typeof standing === 'string') return work.asSent(standing, '');
  if (isSide) return work.compose(standing, { sizes: work.sizes(standing), because: null });
  const composed = await work.results.orTakenBack(async () => {
    await decideNewResults(work, standing, behind !== null);
    const sizes = work.sizes(standing);
    return isOnItsWay
      ? work.compose(standing, { sizes, because: 'unread' })
      : decided(work, standing, sizes, deadline);
  });
  memory.latest = request;
  memory.conversation = conversation;
  memory.lastAt = at;
  return composed;
}

/** Why a composition failed, in one line for the console. */
export function failureOf(thrown: unknown): { readonly reason: string; readonly detail: string } {
  return { reason: thrown instanceof Late ? 'deadline' : 'fault', detail: faultOf(thrown) };
}

/** What a conversation is sent with by what is switched on. */
function choicesBy({ tool, recall, trimming }: RecallSwitches) {
  const hasTool = recall && tool;
  return {
    ...NO_CHOICES,
    tool: hasTool ? RETRIEVAL_TOOL_RULES : null,
    // What is cut from an output is read back with the tool.
    trimming: hasTool && trimming ? TRIMMING_RULES : null,
  };
}

/** The memory part among choices. */
function memoryIn(choices: FrozenChoices | null | undefined): MemoryChoice {
  return { memory: choices?.memory ?? null, facts: choices?.facts ?? [] };
}

/** Makes what is due, or leaves the request under what stands. */
async function decided(
  work: RequestWork,
  standing: Standing,
  sizes: Sizes,
  deadline: Deadline,
): Promise<Composed> {
  const { memory } = work.request;
  if (memory.isUnwanted) {
    memory.isUnwanted = false;
    const undone = await undo(work, standing, sizes);
    if (undone !== null) return undone;
  }
  if (memory.isResting) return settled(work, standing, sizes, 'resting');
  if (!work.switches.recall) return settled(work, standing, sizes, 'off');
  if (work.switches.paused) return settled(work, standing, sizes, 'paused');
  const moment = work.moment(sizes);
  if (moment.act === 'none') {
    memory.moment = moment.state;
    return settled(work, standing, sizes, moment.because);
  }
  // Where the layout is not made in time the request goes out under what stands.
  if (!memory.isUnseen) deadline.standing = work.compose(standing, { sizes, because: 'deadline' });
  const made = await makeLayout(work, moment.reason, sizes);
  if (typeof made === 'string') return settled(work, standing, sizes, made);
  memory.moment = NOTHING_DUE;
  return made;
}

/** The request under what stands; a generation is begun first where answers came that none describes. */
async function settled(
  work: RequestWork,
  standing: Standing,
  sizes: Sizes,
  because: string,
): Promise<Composed> {
  const { memory, at } = work.request;
  const madeAt = newestMark(work.conversation);
  const { tool, memory: part } = standing.choices;
  const isOurs = standing.planned !== null || tool !== null || part !== null;
  if (!memory.isUnseen || !isOurs || madeAt === null) {
    memory.isUnseen &&= isOurs;
    return work.compose(standing, { sizes, because });
  }
  const kept = await work.commit({
    madeAt,
    reason: 'unseen',
    layout: standing.force?.generation.layout ?? null,
    choices: standing.choices,
    thread: memory.name,
    at,
    tokensBefore: sizes.current,
    tokensAfter: sizes.current,
  });
  const next = await work.standing(work.forceOf(kept));
  if (typeof next === 'string') return work.asSent(next, because);
  memory.isUnseen = false;
  return work.compose(next, { sizes, because });
}

/** Makes a layout, checks the request under it, and commits it; else why not. */
export async function makeLayout(
  work: RequestWork,
  reason: Generation['reason'],
  sizes: Sizes,
): Promise<Composed | string> {
  const { memory, at } = work.request;
  const madeAt = newestMark(work.conversation);
  if (madeAt === null) return 'no_place';
  const plan = await work.plan(sizes);
  if (typeof plan === 'string') return plan;
  const isForced = reason === 'window' || reason === 'too_large';
  if (plan.tokens >= sizes.current && reason !== 'too_large') return 'gain_too_small';
  if (!isForced && sizes.current - plan.tokens < work.switches.minGain) return 'gain_too_small';
  if (sizes.limit !== null && plan.tokens > sizes.limit) return 'too_big';
  const generation: Generation = {
    madeAt,
    reason,
    layout: plan.content,
    // The conversation's own part, for the time when the layout is taken back.
    choices: { ...choicesBy(work.switches), ...memoryIn(memory.choices) },
    thread: memory.name,
    at,
    tokensBefore: sizes.current,
    tokensAfter: plan.tokens,
  };
  const next: Standing = {
    force: work.forceOf(generation),
    planned: plan.planned,
    choices: generation.choices,
  };
  work.results.decide(stubsToFill(work, plan.planned, () => true));
  const checked = work.compose(next, { sizes, because: null, sent: plan.tokens });
  if (checked.unedited !== null) {
    work.results.withdraw();
    return `${checked.unedited.reason}: ${checked.unedited.detail}`;
  }
  work.keepIndex(plan.content.indexHash, plan.planned.index);
  const kept = await work.commit(generation).catch((thrown: unknown) => {
    work.results.withdraw();
    throw thrown;
  });
  await work.results.commit();
  if (kept.layout?.indexHash !== plan.content.indexHash) {
    const winner = await work.standing(work.forceOf(kept));
    return typeof winner === 'string' ? winner : work.compose(winner, { sizes, because: null });
  }
  memory.isUnseen = false;
  return { ...checked, made: true };
}

/** Takes the layout in force back: the one before it stands again, in a generation of its own. Null: it does not fit. */
async function undo(work: RequestWork, { force, choices }: Standing, sizes: Sizes): Promise<Composed | null> {
  const { memory, at } = work.request;
  const madeAt = newestMark(work.conversation);
  if (force === null || madeAt === null) return null;
  const layout = layoutBefore(memory, work.conversation, force);
  const generation: Generation = {
    madeAt,
    reason: 'undo',
    layout,
    choices,
    thread: memory.name,
    at,
    tokensBefore: sizes.current,
    tokensAfter: sizes.current,
  };
  const next = await work.standing(work.forceOf(generation));
  if (typeof next === 'string') return null;
  const { estimated, limit } = work.sizes(next);
  const sent = Math.ceil(estimated * work.factor);
  if (limit !== null && sent > limit) return null;
  const checked = work.compose(next, { sizes, because: null, sent });
  if (checked.unedited !== null) return null;
  const kept = await work.commit({ ...generation, tokensAfter: sent });
  const winner = await work.standing(work.forceOf(kept));
  if (typeof winner === 'string') return null;
  return { ...work.compose(winner, { sizes, because: null, sent }), made: true };
}
