import { hexOf, type Item, type Slice } from '../../conversation/index.ts';
import type { Millis } from '../../kernel/clock.ts';
import { faultOf } from '../../kernel/errors.ts';
import type { Uuid } from '../../kernel/ids.ts';
import {
  type FrozenChoices,
  type Generation,
  type LayoutContent,
  type Moment,
  NOTHING_DUE,
  RETRIEVAL_TOOL,
  RETRIEVAL_TOOL_RULES,
  type RecallStore,
  type RecallSwitches,
  retrievalToolJson,
} from '../../recall/index.ts';
import type { ProtocolAdapter, ReadRequest } from '../adapter.ts';
import { estimateBytes, promptTokens, startingCalibration } from '../estimate/index.ts';
import { hintsFor } from '../reading/hints.ts';
import { type Edit as NamedEdit, validateAnthropic, validateOpenai } from '../validator/index.ts';
import { type ArchivedChain, archivedChain, type ChainSource } from './archived.ts';
import { type Conversation, goesOnBehind, newestMark, readConversation } from './conversation.ts';
import { decide, type Sizes } from './decide.ts';
import { type NewLayout, newLayout } from './new-layout.ts';
import type { BodyPlan, ComposedBody, NotComposed, PlannedLayout, ViewRun } from './plan.ts';
import type { PreviewedLayout, UndoWish } from './prepared.ts';
import type { RequestRules } from './protocol-rules.ts';
import {
  bringsUnseen,
  type InForce,
  inForce,
  layoutBefore,
  NO_CHOICES,
  recollect,
  settleBeginning,
} from './recollect.ts';
import { type IndexTexts, standingLayout } from './standing-layout.ts';
import type { ThreadMemory } from './threads.ts';

/** What requests are put together with. */
export interface ComposeParts {
  readonly recall: RecallStore;
  readonly archive: ChainSource & { accountKey(accountId: Uuid): Promise<Uint8Array> };
  readonly indices: IndexTexts;
  /** The store's version, and what a person switched on, as fresh as they have to be. */
  readonly versionOf: (accountId: Uuid) => Promise<string>;
  readonly switchesOf: (accountId: Uuid, memory: ThreadMemory) => Promise<RecallSwitches>;
}

/** A request that may be changed. */
export interface RequestToCompose extends RequestRules {
  readonly accountId: Uuid;
  readonly at: Millis;
  readonly adapter: ProtocolAdapter;
  readonly read: ReadRequest;
  /** Decoded. */
  readonly body: Buffer;
  readonly memory: ThreadMemory;
  /** It carries the thread's history and is none of its turns: it gets the layout in force and never makes one. */
  readonly isSide: boolean;
}

/** A request as it goes out. */
export interface Composed {
  readonly conversation: Conversation;
  readonly memory: ThreadMemory;
  /** The client's own buffer where nothing was changed. */
  readonly body: Buffer;
  readonly named: readonly NamedEdit[];
  readonly runs: readonly ViewRun[];
  readonly choices: FrozenChoices;
  readonly force: InForce | null;
  /** Whether this request made the generation in force, and why nothing was made where it did not. */
  readonly made: boolean;
  readonly because: string | null;
  readonly unedited: { readonly reason: string; readonly detail: string } | null;
  readonly sizes: Sizes;
  readonly sent: number;
  /** How the request was read, for what follows from its answer. */
  readonly request: RequestToCompose;
  readonly timeZone: string;
}

/** Says that the time for the preparation is over: nothing may be committed any more. */
export interface Deadline {
  isOver: boolean;
}

class Late extends Error {
  override readonly name = 'Late';
}

/**
 * Puts a request together: what it was sent with before is put back, and at one of three moments it gets a new layout. What
 * changes the provider's view is committed before this returns. Where a check fails the request stays as it was without
 * what failed.
 * @throws where store or archive do not answer
 */
export async function composeRequest(
  parts: ComposeParts,
  request: RequestToCompose,
  deadline: Deadline,
): Promise<Composed> {
  const { accountId, adapter, read, body, memory, isSide } = request;
  const key = await parts.archive.accountKey(accountId);
  const before = memory.conversation;
  const conversation = await readConversation(key, adapter, read, body, before);
  const behind = before === null ? null : goesOnBehind(before, conversation);
  const version = await parts.versionOf(accountId);
  await recollect(parts.recall, accountId, memory, conversation, version, behind !== null);
  const switches = await parts.switchesOf(accountId, memory);
  if (!isSide && !deadline.isOver)
    await settleBeginning(parts.recall, accountId, memory, conversation, {
      at: request.at,
      choices: async () => choicesOf(switches),
    });
  if (behind !== null && bringsUnseen(conversation, behind)) memory.isUnseen = true;
  return new Work(parts, request, deadline, { key, conversation, switches }).run();
}

/**
 * Another form of a request that the provider refused: as too large, under a layout that is cut to half of what it takes
 * at most; for what we made of it, the client's own bytes without any reasoning, and nothing more is changed in the thread.
 * Null: there is none. @throws where store or archive do not answer
 */
export async function composeAgain(
  parts: ComposeParts,
  { request, conversation, sizes }: Composed,
  refused: { readonly as: 'too_large'; readonly maximum: number | null } | { readonly as: 'ours' },
): Promise<Composed | null> {
  const key = await parts.archive.accountKey(request.accountId);
  const switches = await parts.switchesOf(request.accountId, request.memory);
  const work = new Work(parts, request, { isOver: false }, { key, conversation, switches });
  if (refused.as === 'ours') return work.fallBack(sizes);
  return work.shrink(Math.floor((refused.maximum ?? sizes.current) / 2), sizes);
}

/** What would be made of a thread's newest request; null: no layout can be. @throws where the archive does not answer */
export async function previewOf(parts: ComposeParts, memory: ThreadMemory): Promise<PreviewedLayout | null> {
  const work = await workOn(parts, memory);
  return work === null ? null : work.preview();
}

/** Wishes the layout in force away. @throws where the archive does not answer */
export async function undoLayout(parts: ComposeParts, memory: ThreadMemory): Promise<UndoWish> {
  const work = await workOn(parts, memory);
  return work === null ? { undone: false, why: 'unknown_state' } : work.wishUndone();
}

async function workOn(parts: ComposeParts, memory: ThreadMemory): Promise<Work | null> {
  const { latest, conversation } = memory;
  if (latest === null || conversation === null) return null;
  const key = await parts.archive.accountKey(latest.accountId);
  const switches = await parts.switchesOf(latest.accountId, memory);
  return new Work(parts, latest, { isOver: false }, { key, conversation, switches });
}

/** What a conversation is sent with by what is switched on. */
function choicesOf({ tool, recall }: RecallSwitches): FrozenChoices {
  return { ...NO_CHOICES, tool: recall && tool ? RETRIEVAL_TOOL_RULES : null };
}

/** What of ours stands in a request: the generation in force and its layout there. */
interface Standing {
  readonly force: InForce | null;
  readonly planned: PlannedLayout | null;
  readonly choices: FrozenChoices;
}

class Work {
  readonly #parts: ComposeParts;
  readonly #request: RequestToCompose;
  readonly #deadline: Deadline;
  readonly #key: Uint8Array;
  readonly #conversation: Conversation;
  readonly #switches: RecallSwitches;
  readonly #outside: number;
  readonly #factor: number;
  #chain: Promise<ArchivedChain | null> | null = null;
  #headTokens: number | null = null;

  constructor(
    parts: ComposeParts,
    request: RequestToCompose,
    deadline: Deadline,
    known: {
      readonly key: Uint8Array;
      readonly conversation: Conversation;
      readonly switches: RecallSwitches;
    },
  ) {
    this.#parts = parts;
    this.#request = request;
    this.#deadline = deadline;
    this.#key = known.key;
    this.#conversation = known.conversation;
    this.#switches = known.switches;
    this.#factor = (request.memory.calibration ?? startingCalibration(request.read.model ?? '')).factor;
    this.#outside = outsideTokens(request.body, known.conversation);
  }

  async run(): Promise<Composed> {
    const { memory, isSide, at } = this.#request;
    const found = await this.#standing(inForce(memory, this.#conversation));
    if (typeof found === 'string') return this.#asSent(found, '');
    const sizes = this.#sizes(found);
    const composed = isSide ? await this.#compose(found, sizes, null) : await this.#decided(found, sizes);
    if (!isSide) {
      memory.latest = this.#request;
      memory.conversation = this.#conversation;
      memory.lastAt = at;
    }
    return composed;
  }

  /** A layout under another limit, for a request that was too large. */
  async shrink(limit: number, sizes: Sizes): Promise<Composed | null> {
    const made = await this.#make('too_large', { ...sizes, limit });
    return typeof made === 'string' ? null : made;
  }

  /** The client's own bytes without reasoning: what it was bound to is not sent. */
  async fallBack(sizes: Sizes): Promise<Composed | null> {
    const { memory, at } = this.#request;
    const madeAt = newestMark(this.#conversation);
    if (madeAt === null) return null;
    const tokens = { tokensBefore: sizes.current, tokensAfter: sizes.client };
    const generation: Generation = {
      madeAt,
      reason: 'fallback',
      layout: null,
      choices: NO_CHOICES,
      thread: memory.name,
      at,
      ...tokens,
    };
    memory.isResting = true;
    const force = { generation, element: this.#conversation.elements.length };
    const composed = await this.#compose(
      { force, planned: null, choices: NO_CHOICES },
      sizes,
      null,
      sizes.client,
      true,
    );
    const kept = await this.#commit(generation);
    // Where a layout was made at the very same place, what goes out now is described by no generation.
    memory.isUnseen = kept.reason !== 'fallback';
    return composed.unedited === null ? composed : null;
  }

  async preview(): Promise<PreviewedLayout | null> {
    const { memory, read } = this.#request;
    const standing = await this.#standing(inForce(memory, this.#conversation));
    if (typeof standing === 'string') return null;
    const sizes = this.#sizes(standing);
    const plan = await this.#plan(sizes);
    if (typeof plan === 'string') return null;
    const moment = this.#moment(sizes);
    const { keepRecent, contextLimit, minGain, timeZone } = this.#switches;
    return {
      model: read.model ?? 'unknown',
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

  async wishUndone(): Promise<UndoWish> {
    const { memory } = this.#request;
    const force = inForce(memory, this.#conversation);
    if (force === null || force.generation.layout === null) return { undone: false, why: 'nothing' };
    const before = await this.#standing(this.#undone(force, force.generation));
    if (typeof before === 'string') return { undone: false, why: 'unknown_state' };
    const { estimated, limit } = this.#sizes(before);
    const tokens = Math.ceil(estimated * this.#factor);
    if (limit !== null && tokens > limit) return { undone: false, why: 'over_limit', tokens, limit };
    memory.isUnwanted = true;
    return { undone: true };
  }

  /** The generation that takes a layout back: the one before it, again. */
  #undone(force: InForce, from: Generation): InForce {
    const { memory } = this.#request;
    const layout = layoutBefore(memory, this.#conversation, force);
    return { generation: { ...from, reason: 'undo', layout }, element: this.#conversation.marks.length - 1 };
  }

  async #undo(standing: Standing, sizes: Sizes): Promise<Composed | null> {
    const { memory, at } = this.#request;
    const madeAt = newestMark(this.#conversation);
    if (standing.force === null || madeAt === null) return null;
    const { generation } = this.#undone(standing.force, standing.force.generation);
    const next = await this.#standing({ generation, element: this.#conversation.marks.lastIndexOf(madeAt) });
    if (typeof next === 'string') return null;
    const after = this.#sizes(next);
    const tokensAfter = Math.ceil(after.estimated * this.#factor);
    if (after.limit !== null && tokensAfter > after.limit) return null;
    const checked = await this.#compose(next, after, null, tokensAfter);
    if (checked.unedited !== null) return null;
    const kept = await this.#commit({
      ...generation,
      madeAt,
      thread: memory.name,
      at,
      tokensBefore: sizes.current,
      tokensAfter,
    });
    const winner = await this.#standing(this.#forceOf(kept));
    if (typeof winner === 'string') return null;
    return { ...(await this.#compose(winner, after, null, tokensAfter)), made: true };
  }

  /** Makes what is due, or leaves the request under what stands. */
  async #decided(standing: Standing, sizes: Sizes): Promise<Composed> {
    const { memory } = this.#request;
    if (memory.isUnwanted) {
      memory.isUnwanted = false;
      const undone = await this.#undo(standing, sizes);
      if (undone !== null) return undone;
    }
    const rests = memory.isResting ? 'resting' : this.#switches.recall ? 'paused' : 'off';
    if (memory.isResting || !this.#switches.recall || this.#switches.paused)
      return this.#settled(standing, sizes, rests);
    const moment = this.#moment(sizes);
    if (moment.act === 'none') {
      memory.moment = moment.state;
      return this.#settled(standing, sizes, moment.because);
    }
    const made = await this.#make(moment.reason, sizes);
    if (typeof made === 'string') return this.#settled(standing, sizes, made);
    memory.moment = NOTHING_DUE;
    return made;
  }

  #moment(sizes: Sizes): Moment {
    const { memory, read, at, cache } = this.#request;
    return decide({
      memory,
      factor: this.#factor,
      conversation: this.#conversation,
      switches: this.#switches,
      sizes,
      model: read.model,
      at,
      cacheLifetime: cache.lifetimeMs,
    });
  }

  /** The request under what stands; a generation is begun first where answers came that none describes. */
  async #settled(standing: Standing, sizes: Sizes, because: string): Promise<Composed> {
    const { memory, at } = this.#request;
    const madeAt = newestMark(this.#conversation);
    const isBound = standing.planned !== null || standing.choices.tool !== null;
    if (!memory.isUnseen || !isBound || madeAt === null) {
      memory.isUnseen &&= isBound;
      return this.#compose(standing, sizes, because);
    }
    const generation: Generation = {
      madeAt,
      reason: 'unseen',
      layout: standing.force?.generation.layout ?? null,
      choices: standing.choices,
      thread: memory.name,
      at,
      tokensBefore: sizes.current,
      tokensAfter: sizes.current,
    };
    const kept = await this.#commit(generation);
    const next = await this.#standing(this.#forceOf(kept));
    if (typeof next === 'string') return this.#asSent(next, because);
    memory.isUnseen = false;
    return this.#compose(next, sizes, because);
  }

  /** Makes a layout, checks the request under it, and commits it; else why not. */
  async #make(reason: Generation['reason'], sizes: Sizes): Promise<Composed | string> {
    const { memory, at } = this.#request;
    const madeAt = newestMark(this.#conversation);
    if (madeAt === null) return 'no_place';
    const plan = await this.#plan(sizes);
    if (typeof plan === 'string') return plan;
    const isForced = reason === 'window' || reason === 'too_large';
    if (plan.tokens >= sizes.current && reason !== 'too_large') return 'gain_too_small';
    if (!isForced && sizes.current - plan.tokens < this.#switches.minGain) return 'gain_too_small';
    if (sizes.limit !== null && plan.tokens > sizes.limit) return 'too_big';
    const generation: Generation = {
      madeAt,
      reason,
      layout: plan.content,
      choices: choicesOf(this.#switches),
      thread: memory.name,
      at,
      tokensBefore: sizes.current,
      tokensAfter: plan.tokens,
    };
    const element = this.#conversation.marks.lastIndexOf(madeAt);
    const next: Standing = {
      force: { generation, element },
      planned: plan.planned,
      choices: generation.choices,
    };
    const checked = await this.#compose(next, sizes, null, plan.tokens);
    if (checked.unedited !== null) return `${checked.unedited.reason}: ${checked.unedited.detail}`;
    this.#parts.indices.keep(plan.content.indexHash, plan.planned.index);
    const kept = await this.#commit(generation);
    if (kept.layout?.indexHash === plan.content.indexHash) {
      memory.isUnseen = false;
      return { ...checked, made: true };
    }
    const winner = await this.#standing(this.#forceOf(kept));
    return typeof winner === 'string' ? winner : this.#compose(winner, sizes, null);
  }

  /** The layout that would be made now; else why there is none. */
  async #plan(sizes: Sizes): Promise<NewLayout | string> {
    const chain = await this.#archived();
    if (chain === null) return 'not_archived';
    return newLayout({
      conversation: this.#conversation,
      chain,
      settings: this.#switches,
      limit: sizes.limit,
      fixed: sizes.fixed,
      factor: this.#factor,
      memory: null,
      cacheMark: this.#request.cache.mark,
      stays: (element) => this.#stays(element),
      floor: this.#floor(),
      parse: (slice) => this.#parse(slice),
      folder: this.#request.read.identity.place.folder,
    });
  }

  async #commit(generation: Generation): Promise<Generation> {
    if (this.#deadline.isOver) throw new Late('the time for the preparation is over');
    const { memory, accountId } = this.#request;
    const kept = await this.#parts.recall.keepGeneration(accountId, generation);
    memory.generations.set(hexOf(kept.madeAt), kept);
    // What was committed too late was not sent: the next request begins anew.
    if (this.#deadline.isOver) memory.isUnseen = true;
    return kept;
  }

  #forceOf(generation: Generation): InForce {
    const hex = hexOf(generation.madeAt);
    const element = this.#conversation.marks.findLastIndex((mark) => mark !== null && hexOf(mark) === hex);
    return { generation, element };
  }

  /** What stands in the request under a generation; else why it cannot. */
  async #standing(force: InForce | null): Promise<Standing | string> {
    const { memory } = this.#request;
    const choices = force?.generation.choices ?? memory.choices ?? NO_CHOICES;
    const content: LayoutContent | null = force?.generation.layout ?? null;
    if (content === null) return { force, planned: null, choices };
    const planned = await standingLayout(content, this.#conversation, this.#parts.indices, {
      key: this.#key,
      parse: (slice) => this.#parse(slice),
      chain: () => this.#archived(),
    });
    return typeof planned === 'string' ? planned : { force, planned, choices };
  }

  async #compose(
    { force, planned, choices }: Standing,
    sizes: Sizes,
    because: string | null,
    sent: number = sizes.current,
    fallBack = false,
  ): Promise<Composed> {
    const { adapter, body, read, memory } = this.#request;
    const layout = planned === null ? null : this.#withOlder(planned, force);
    if (layout !== null && 'unknown' in layout) return this.#asSent('unknown_kind', layout.unknown, sizes);
    const plan: BodyPlan = {
      tool: choices.tool === null ? null : retrievalToolJson(adapter.protocol),
      layout,
      anchors: this.#conversation.anchors,
      // Without our tool a request may hold no call of it.
      hidden:
        choices.tool === null
          ? []
          : [...memory.hidden.values()].flatMap(({ data }) => (data === null ? [] : [data])),
      results: [],
      fallBack,
      leavesReasoning: this.#leavesReasoning(force),
    };
    const composed = this.#request.compose(body, read.scan, read.elements, plan);
    if ('unknown' in composed) return this.#asSent('unknown_kind', composed.unknown, sizes);
    const fault = composed.named.length === 0 ? null : this.#fault(composed, choices);
    if (fault !== null) return this.#asSent('check_failed', fault, sizes);
    return {
      conversation: this.#conversation,
      memory,
      body: composed.body,
      named: composed.named,
      runs: composed.named.length === 0 ? [] : composed.runs,
      choices,
      force,
      made: false,
      because,
      unedited: null,
      sizes,
      sent,
      request: this.#request,
      timeZone: this.#switches.timeZone,
    };
  }

  /** A layout with what it keeps of the older part: read once, so that it stays the same for the layout's life. */
  #withOlder(planned: PlannedLayout, force: InForce | null): PlannedLayout | NotComposed {
    const { memory } = this.#request;
    const of = `${force === null ? '' : hexOf(force.generation.madeAt)} ${planned.at}`;
    if (memory.older?.of !== of) {
      const part = this.#request.olderPart(planned.at);
      if ('unknown' in part) return part;
      memory.older = { of, part };
    }
    return { ...planned, older: memory.older.part };
  }

  /** What the validator says against a body; null: nothing. */
  #fault(composed: ComposedBody, choices: FrozenChoices): string | null {
    const validate = this.#request.adapter.protocol === 'anthropic' ? validateAnthropic : validateOpenai;
    const verdict = validate({
      client: this.#request.body,
      edited: composed.body,
      edits: composed.named,
      ownTool: choices.tool === null ? null : RETRIEVAL_TOOL,
      latestThinking: this.#request.reasoning === 'keep_turn' ? 'turn-untouched' : 'untouched-or-none',
      window: null,
      estimate: estimateBytes,
    });
    return verdict.ok ? null : `${verdict.rule} at ${verdict.where}: ${verdict.message}`;
  }

  /** The client's own bytes, where something of ours was to be in them: the answer will be one that no generation describes. */
  #asSent(reason: string, detail: string, sizes: Sizes = this.#sizes(NOTHING_STANDS)): Composed {
    const { memory, body } = this.#request;
    memory.isUnseen = true;
    return {
      conversation: this.#conversation,
      memory,
      body,
      named: [],
      runs: [],
      choices: NO_CHOICES,
      force: null,
      made: false,
      because: null,
      unedited: { reason, detail },
      sizes,
      sent: sizes.client,
      request: this.#request,
      timeZone: this.#switches.timeZone,
    };
  }

  /** Reasoning made before the generation in force; that of the running turn stays where the model demands it. */
  #leavesReasoning(force: InForce | null): (element: number) => boolean {
    if (force === null) return () => false;
    const turn =
      this.#request.reasoning === 'keep_turn'
        ? this.#conversation.facts.findLastIndex((facts) => facts.typed)
        : Number.POSITIVE_INFINITY;
    return (element) => element <= force.element && element < turn;
  }

  #sizes({ force, planned }: Standing): Sizes {
    const { facts } = this.#conversation;
    const sum = (from: number) => facts.slice(from).reduce((total, one) => total + one.tokens, 0);
    const client = Math.ceil((this.#outside + sum(0)) * this.#factor);
    const fixed = () => Math.ceil((this.#outside + this.#head()) * this.#factor);
    const running = planned === null ? 0 : (facts[planned.runningTyped ?? -1]?.tokens ?? 0);
    const index = force?.generation.layout?.indexTokens ?? 0;
    const estimated =
      planned === null
        ? client / this.#factor
        : this.#outside + this.#head() + sum(planned.at) + running + index / this.#factor;
    return {
      fixed: fixed(),
      client,
      estimated,
      current: this.#counted(force) ?? Math.ceil(estimated * this.#factor),
      limit: this.#request.limitOf(this.#switches.contextLimit),
    };
  }

  /** The prompt by the provider's own count of the request before and an estimate of what is new; null: there is none. */
  #counted(force: InForce | null): number | null {
    const { counted } = this.#request.memory;
    if (counted === null || counted.elements > this.#conversation.elements.length) return null;
    if (counted.madeAt !== (force === null ? null : hexOf(force.generation.madeAt))) return null;
    const news = this.#conversation.facts.slice(counted.elements);
    const answer = news.findIndex((facts) => facts.side !== 'assistant');
    const behind = news.slice(answer < 0 ? news.length : answer);
    const newElements = behind.reduce((sum, one) => sum + one.tokens, 0);
    const unchanged = { leftOut: 0, reasoningLeftOut: 0, reasoningKept: 0 };
    return promptTokens(
      { lastInput: counted.prompt, lastOutput: counted.answer, newElements, ...unchanged },
      { factor: this.#factor },
    );
  }

  #head(): number {
    this.#headTokens ??= this.#request.headTokens();
    return this.#headTokens;
  }

  #archived(): Promise<ArchivedChain | null> {
    const { accountId, memory, adapter, read, body } = this.#request;
    this.#chain ??= archivedChain(this.#parts, {
      accountId,
      key: this.#key,
      thread: memory.name,
      adapter,
      read,
      body,
    });
    return this.#chain;
  }

  #parse({ start, end }: Slice): readonly Item[] {
    const { adapter, read, body } = this.#request;
    return adapter.parseMessage(body.subarray(start, end), hintsFor(adapter, read, start)).items;
  }

  #stays(element: number): boolean {
    return this.#request.adapter.staysInView(this.#bytesOf(element));
  }

  #floor(): number {
    const { adapter } = this.#request;
    return (
      this.#conversation.elements.findLastIndex((_slice, index) =>
        adapter.closesWindow(this.#bytesOf(index)),
      ) + 1
    );
  }

  #bytesOf(element: number): Buffer {
    const slice = this.#conversation.elements[element];
    return this.#request.body.subarray(slice?.start ?? 0, slice?.end ?? 0);
  }
}

const NOTHING_STANDS: Standing = { force: null, planned: null, choices: NO_CHOICES };

/** Estimated tokens of a body without its elements. */
function outsideTokens(body: Buffer, { elements }: Conversation): number {
  const first = elements[0]?.start ?? body.length;
  const last = elements.at(-1)?.end ?? body.length;
  return estimateBytes(body.subarray(0, first)) + estimateBytes(body.subarray(last));
}

/** Why a composition failed, in one line for the console. */
export function failureOf(thrown: unknown): { readonly reason: string; readonly detail: string } {
  return { reason: thrown instanceof Late ? 'deadline' : 'fault', detail: faultOf(thrown) };
}
