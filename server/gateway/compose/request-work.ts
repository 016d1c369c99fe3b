import { hexOf, type Item, type Slice } from '../../conversation/index.ts';
import type { Millis } from '../../kernel/clock.ts';
import {
  type FrozenChoices,
  type Generation,
  type Moment,
  RETRIEVAL_TOOL,
  type RecallSwitches,
  retrievalToolJson,
} from '../../recall/index.ts';
import { type Calibration, estimateBytes, estimateText, startingCalibration } from '../estimate/index.ts';
import { PiecedBody } from '../pieced-body.ts';
import { hintsFor } from '../reading/hints.ts';
import { validateAnthropic, validateOpenai } from '../validator/index.ts';
import { type ArchivedChain, archivedChain } from './archived.ts';
import { anchorsOf, type Conversation, firstAnswer } from './conversation.ts';
import { decide } from './decide.ts';
import { keptResultIn } from './kept-results.ts';
import { memoryFor, plannedMemory } from './memory-part.ts';
import { type NewLayout, newLayout } from './new-layout.ts';
import type { BodyPlan, ComposedBody, NotComposed, PlannedLayout, PlannedResult } from './plan.ts';
import { NO_CHOICES } from './recollect.ts';
import { ResultsWork } from './results-work.ts';
import { sizesOf } from './sizes.ts';
import { standingLayout } from './standing-layout.ts';
import {
  type Composed,
  type ComposeParts,
  type Deadline,
  type InForce,
  Late,
  type RequestToCompose,
  type Sizes,
  type Standing,
} from './types.ts';

/** How a request is put together, beside what stands in it. */
export interface ComposeOptions {
  readonly sizes: Sizes;
  /** Why nothing new was made; null: it was, or nothing had to be decided. */
  readonly because: string | null;
  /** Tokens that go out, estimated; left out: those of the sizes. */
  readonly sent?: number;
  /** The form in which a request goes out once more when the provider has refused the first. */
  readonly fallBack?: boolean;
}

/** How the provider counts a thread: as its own answers taught, else those to the same model, else as it begins. */
export function calibrationOf(
  { calibrations }: Pick<ComposeParts, 'calibrations'>,
  { memory, read }: RequestToCompose,
): Calibration {
  const model = read.model ?? '';
  return memory.calibration ?? calibrations.get(model) ?? startingCalibration(model);
}

/** The work on one request: what stands in it, its sizes, what could be made of it, and its body. */
export class RequestWork {
  readonly request: RequestToCompose;
  readonly conversation: Conversation;
  readonly switches: RecallSwitches;
  /** What the thread's estimates are multiplied with to be the provider's counts. */
  readonly factor: number;
  /** Results that are sent with another text. */
  readonly results: ResultsWork;
  readonly #parts: ComposeParts;
  readonly #deadline: Deadline;
  /** The account's. */
  readonly key: Uint8Array;
  #chain: Promise<ArchivedChain | null> | null = null;

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
    this.request = request;
    this.conversation = known.conversation;
    this.switches = known.switches;
    this.factor = calibrationOf(parts, request).factor;
    this.#parts = parts;
    this.#deadline = deadline;
    this.key = known.key;
    this.results = new ResultsWork(parts.recall, request, known.conversation, { deadline, key: known.key });
  }

  /** The sizes of the request under what stands. */
  sizes(standing: Standing): Sizes {
    const limit = this.request.limitOf(this.switches.contextLimit);
    const { factor } = this;
    const sizes = sizesOf(this.request, this.results.sized(), standing, { factor, limit });
    return { ...sizes, client: sizes.client + Math.ceil(this.results.saved() * factor) };
  }

  /** Whether a layout is made now, by what is cheap to know. */
  moment(sizes: Sizes): Moment {
    const { memory, read, at, cache } = this.request;
    return decide({
      memory,
      factor: this.factor,
      conversation: this.results.sized(),
      switches: this.switches,
      sizes,
      model: read.model,
      at,
      cacheLifetime: cache.lifetimeMs,
    });
  }

  /** The layout that would be made now; else why there is none. */
  async plan(sizes: Sizes): Promise<NewLayout | string> {
    const chain = await this.archived();
    if (chain === null) return 'not_archived';
    const { adapter } = this.request;
    const fresh = await memoryFor(this.#parts, this.request, this.conversation, this.switches);
    const closes = this.conversation.elements.findLastIndex((slice) =>
      adapter.closesWindow(this.bytesOf(slice)),
    );
    return newLayout({
      conversation: this.results.sized(),
      chain,
      settings: this.switches,
      limit: sizes.limit,
      fixed: sizes.fixed + Math.ceil(estimateText(fresh.memory ?? '') * this.factor),
      factor: this.factor,
      memory: fresh.memory,
      facts: fresh.facts ?? [],
      cacheMark: this.request.cache.mark,
      stays: (element) => adapter.staysInView(this.bytesOf(this.conversation.elements[element])),
      floor: closes + 1,
      parse: (slice) => this.#parse(slice),
      folder: this.request.read.identity.place.folder,
    });
  }

  /** Commits a generation, and gives the one that holds at its place. @throws Late where there is no time left */
  async commit(generation: Generation): Promise<Generation> {
    if (this.#deadline.isOver) throw new Late('the time for the preparation is over');
    const { memory, accountId } = this.request;
    if (memory.choices === null) await this.#keepAdopted(generation.at);
    const kept = await this.#parts.recall.keepGeneration(accountId, generation);
    memory.generations.set(hexOf(kept.madeAt), kept);
    this.#deadline.hasCommitted = true;
    return kept;
  }

  /**
   * A conversation that began elsewhere is known from here on, in its forks too: something of ours stands in it. Kept before
   * that is, so that nothing can stand in a conversation that is not known.
   */
  async #keepAdopted(at: Millis): Promise<void> {
    const { memory, accountId } = this.request;
    const began = firstAnswer(this.conversation);
    if (began === null) return;
    const beginning = { thread: memory.name, began, choices: NO_CHOICES };
    await this.#parts.recall.keepBeginning(accountId, beginning, at);
    memory.choices = NO_CHOICES;
    memory.beginnings.set(hexOf(began), NO_CHOICES);
    memory.answered = hexOf(began);
  }

  /** Remembers the text of an index that was made. */
  keepIndex(hash: string, text: string): void {
    this.#parts.indices.keep(hash, text);
  }

  /** A generation in force, at its place in the request. */
  forceOf(generation: Generation): InForce {
    const hex = hexOf(generation.madeAt);
    const element = this.conversation.marks.findLastIndex((mark) => mark !== null && hexOf(mark) === hex);
    return { generation, element };
  }

  /** What stands in the request under a generation; else why it cannot. */
  async standing(force: InForce | null): Promise<Standing | string> {
    const choices = force?.generation.choices ?? this.request.memory.choices ?? NO_CHOICES;
    const content = force?.generation.layout ?? null;
    if (content === null) return { force, planned: null, choices };
    const planned = await standingLayout(content, this.conversation, this.#parts.indices, {
      key: this.key,
      parse: (slice) => this.#parse(slice),
      chain: () => this.#chainUnder(force),
    });
    return typeof planned === 'string' ? planned : { force, planned, choices };
  }

  /** The request with what stands in it, checked; where it cannot be, as its client sent it, with the reason. */
  compose({ force, planned, choices }: Standing, options: ComposeOptions): Composed {
    const { adapter, body, read, memory } = this.request;
    const { sizes, because, sent = sizes.current, fallBack = false } = options;
    const layout = planned === null ? null : this.#withOlder(planned, force);
    if (layout !== null && 'unknown' in layout) return this.asSent('unknown_kind', layout.unknown);
    const records = [...memory.hidden.values()].flatMap(({ data }) =>
      data === null || keptResultIn(data) !== null ? [] : [data],
    );
    // Without our tool a request may hold no call of it.
    const hidden = choices.tool === null ? [] : records;
    const part =
      layout === null && !fallBack ? plannedMemory(this.request, this.conversation, choices) : null;
    const plan: BodyPlan = {
      ...(part === null ? {} : { memory: part }),
      tool: choices.tool === null ? null : retrievalToolJson(adapter.protocol),
      layout,
      ...(hidden.length === 0 ? {} : { anchors: anchorsOf(this.conversation, adapter) }),
      hidden,
      results: fallBack ? [] : this.#resultsUnder(choices, force),
      fallBack,
      leavesReasoning: this.#leavesReasoning(force),
    };
    const composed = this.request.compose(body, read.scan, read.elements, plan);
    if ('unknown' in composed) return this.asSent('unknown_kind', composed.unknown);
    const isChanged = composed.named.length > 0;
    const fault = isChanged ? this.#fault(composed, choices) : null;
    if (fault !== null) return this.asSent('check_failed', fault);
    return {
      ...this.#common(sizes),
      body: composed.body,
      named: composed.named,
      runs: isChanged ? composed.runs : [],
      plan: isChanged ? plan : null,
      choices,
      force,
      because,
      sent,
    };
  }

  /** The client's own bytes, where something of ours was to be in them: the answer will be one that no generation describes. */
  asSent(reason: string, detail: string): Composed {
    this.request.memory.isUnseen = true;
    return {
      ...this.#common(this.sizes({ force: null, planned: null, choices: NO_CHOICES })),
      unedited: { reason, detail },
    };
  }

  /**
   * The request's elements in the archive; null where its session is not there yet.
   * @param anew the archive holds more of it since it was last asked
   */
  archived(anew = false): Promise<ArchivedChain | null> {
    if (anew) this.#chain = null;
    const { accountId, memory, adapter, read, body } = this.request;
    this.#chain ??= archivedChain(this.#parts, {
      accountId,
      key: this.key,
      thread: memory.name,
      adapter,
      read,
      body,
    });
    return this.#chain;
  }

  /**
   * The request's elements as the archive has them where a generation was made: in a fork that the archive does not know
   * yet, or has in another project, the documents that an index refers to are those.
   */
  async #chainUnder(force: InForce | null): Promise<ArchivedChain | null> {
    const { accountId, memory, adapter, read, body } = this.request;
    const made = force?.generation.thread ?? memory.name;
    if (made.session === memory.name.session) return this.archived();
    const question = { accountId, key: this.key, thread: made, adapter, read, body };
    return (await archivedChain(this.#parts, question)) ?? this.archived();
  }

  /**
   * Whether all answers from an element on were given by a gateway of this store, to requests that went out as they were
   * meant to: another gateway than this may have been asked meanwhile.
   */
  async answeredHere(from: number): Promise<boolean> {
    const { accountId, memory } = this.request;
    const since = memory.lastAt;
    const chain = since === null ? null : await this.archived();
    if (chain === null || since === null) return false;
    const answers = this.conversation.facts.flatMap(({ print }, element) => {
      const position = chain.positions[element];
      return element < from || print === null || position === undefined ? [] : [position];
    });
    const given = await this.#parts.recall.answered(accountId, memory.name, since as Millis, answers);
    const known = new Set(given.map((hash) => hexOf(hash)));
    return answers.every((hash) => known.has(hexOf(hash)));
  }

  /** The bytes of an element. */
  bytesOf(slice: Slice | undefined): Buffer {
    return this.request.body.subarray(slice?.start ?? 0, slice?.end ?? 0);
  }

  /** What is the same of every outcome; as it stands, of a request as its client sent it. */
  #common(sizes: Sizes): Composed {
    const { memory, body } = this.request;
    return {
      request: this.request,
      conversation: this.conversation,
      memory,
      body: new PiecedBody([body]),
      named: [],
      runs: [],
      plan: null,
      choices: NO_CHOICES,
      force: null,
      made: false,
      because: null,
      unedited: null,
      sizes,
      sent: sizes.client,
      timeZone: this.switches.timeZone,
    };
  }

  /** A layout with what it keeps of the older part: read once, so that it stays the same for the layout's life. */
  #withOlder(planned: PlannedLayout, force: InForce | null): PlannedLayout | NotComposed {
    const { memory } = this.request;
    const of = `${force === null ? '' : hexOf(force.generation.madeAt)} ${planned.at}`;
    if (memory.older?.of !== of) {
      const part = this.request.olderPart(planned.at);
      if ('unknown' in part) return part;
      memory.older = { of, part };
    }
    return { ...planned, older: memory.older.part };
  }

  /** What the validator says against a body; null: nothing. */
  #fault(composed: ComposedBody, choices: FrozenChoices): string | null {
    const validate = this.request.adapter.protocol === 'anthropic' ? validateAnthropic : validateOpenai;
    const { outlines } = this.conversation;
    const verdict = composed.body.inOne((edited) =>
      validate({
        ...(outlines === null ? {} : { known: { scan: this.request.read.scan, outlines } }),
        client: this.request.body,
        edited,
        edits: composed.named,
        ownTool: choices.tool === null ? null : RETRIEVAL_TOOL,
        latestThinking: this.request.reasoning === 'keep_turn' ? 'turn-untouched' : 'untouched-or-none',
        window: null,
        estimate: estimateBytes,
      }),
    );
    return verdict.ok ? null : `${verdict.rule} at ${verdict.where}: ${verdict.message}`;
  }

  /** Reasoning made before the generation in force; that of the running turn stays where the model demands it. */
  #leavesReasoning(force: InForce | null): (element: number) => boolean {
    if (force === null) return () => false;
    const turn =
      this.request.reasoning === 'keep_turn'
        ? this.conversation.facts.findLastIndex((facts) => facts.typed)
        : Number.POSITIVE_INFINITY;
    return (element) => element <= force.element && element < turn;
  }

  /** What is left out of an output is read back with our tool; a stub is filled once a layout has been made. */
  #resultsUnder({ tool }: FrozenChoices, force: InForce | null): readonly PlannedResult[] {
    const hasLayouts = force !== null && force.generation.reason !== 'fallback';
    return this.results
      .sent()
      .map(({ planned }) => planned)
      .filter(({ kind }) => (kind === 'trimmed-result' ? tool !== null : hasLayouts));
  }

  #parse({ start, end }: Slice): readonly Item[] {
    const { adapter, read, body } = this.request;
    return adapter.parseMessage(body.subarray(start, end), hintsFor(adapter, read, start)).items;
  }
}
