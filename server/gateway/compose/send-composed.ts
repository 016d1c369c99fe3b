import { hexOf } from '../../conversation/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import type { HiddenRecord, RecallStore } from '../../recall/index.ts';
import { maskJson } from '../../redaction/index.ts';
import type { Bookkeeping } from '../booking/bookkeeping.ts';
import {
  type Calibration,
  calibrated,
  estimateBytes,
  estimateText,
  inputTokens,
  outputTokens,
} from '../estimate/index.ts';
import { type HiddenLoop, sendHidden } from '../hidden/hidden-call.ts';
import type { HiddenRound } from '../hidden/types.ts';
import type { Timers } from '../keep-alive.ts';
import type { Refusal } from '../refused/index.ts';
import { type FirstRequest, type Retrieval, retrievalLoop } from '../retrieval/index.ts';
import type { TappedRequest } from '../tap.ts';
import type { AnswerHandler, UpstreamCall, UpstreamRequest, Upstreams } from '../upstream.ts';
import { anchorsOf, outlineLater } from './conversation.ts';
import { editedRequest } from './edited-request.ts';
import { type Guard, sendGuarded } from './guarded-send.ts';
import { keptResultIn } from './kept-results.ts';
import { composeAgain } from './other-acts.ts';
import { calibrationOf } from './request-work.ts';
import { type SentForms, seenOf } from './seen.ts';
import { keepState } from './thread-state.ts';
import type { Composed, ComposeParts } from './types.ts';

/** What a composed request is sent with. */
export interface SendParts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly store: {
    readonly recall: RecallStore;
    readonly archive: ComposeParts['archive'];
    readonly retrieval: Retrieval;
  };
  /** For another form of a request that was refused. */
  readonly compose: ComposeParts;
  readonly upstreams: Pick<Upstreams, 'send'>;
  /** Told what goes out and what was billed for it. */
  readonly book: Bookkeeping;
  /** Told of a second form. */
  readonly forms: SentForms;
  /** As the recorder is told of it. */
  readonly request: TappedRequest;
  /** As it would go out unchanged. */
  readonly upstream: UpstreamRequest;
  readonly handler: AnswerHandler;
}

/**
 * Sends a composed request, answers what it asks of our tool, and remembers what the provider counted. Where the provider
 * refuses it for its size or for what we made of it, another form is tried once.
 */
export function sendComposed(parts: SendParts, composed: Composed): UpstreamCall {
  return new Sending(parts, composed).start();
}

/**
 * Sends a form of a request that was put together after the provider had refused the first; there is no further one.
 * @param onTheWire the form
 */
export function sendAgain(parts: SendParts, composed: Composed, onTheWire: UpstreamRequest): UpstreamCall {
  return new Sending(parts, composed).startAgain(onTheWire);
}

class Sending {
  readonly #parts: SendParts;
  /** What is on its way: another form takes the place of one that was refused. */
  #composed: Composed;
  #request: UpstreamRequest;
  #triedAgain = false;

  constructor(parts: SendParts, composed: Composed) {
    this.#parts = parts;
    this.#composed = composed;
    this.#request = requestOf(parts.upstream, composed);
    parts.book.sends(composed);
  }

  start(): UpstreamCall {
    const { upstreams, handler, timers } = this.#parts;
    const first = this.#request;
    const guard: Guard = {
      protocol: this.#composed.request.adapter.protocol,
      judge: (refusal) => this.#judge(refusal),
    };
    const guarded: Pick<Upstreams, 'send'> = {
      send: (request, answer) =>
        request === first
          ? sendGuarded(upstreams, request, guard, answer, timers)
          : upstreams.send(request, answer),
    };
    const call = sendHidden(guarded, first, this.#observed(this.#loop()), handler, timers);
    outlineLater(this.#composed.conversation);
    return call;
  }

  startAgain(onTheWire: UpstreamRequest): UpstreamCall {
    const { upstreams, handler, timers } = this.#parts;
    this.#request = onTheWire;
    this.#triedAgain = true;
    return sendHidden(upstreams, onTheWire, this.#observed(this.#loop()), handler, timers);
  }

  /** The form that is tried instead of one that was refused; null: the client gets the refusal. */
  async #judge(refusal: Refusal): Promise<UpstreamRequest | null> {
    const { compose, log, metrics, request, upstream } = this.#parts;
    const isOurs =
      (refusal.kind === 'binding' || refusal.kind === 'pairing') && this.#composed.named.length > 0;
    const isTooLarge = refusal.kind === 'too_large' && !this.#composed.request.isSide;
    if (this.#triedAgain || !(isOurs || isTooLarge)) return null;
    this.#triedAgain = true;
    metrics.faults.inc({ where: isOurs ? 'refused_edit' : 'refused_too_large' });
    log.warn(
      { id: request.id, refusal: refusal.kind },
      'the provider refused a request; another form is tried',
    );
    const again = await composeAgain(
      compose,
      this.#composed,
      refusal.kind === 'too_large' ? { as: 'too_large', maximum: refusal.maximum } : { as: 'ours' },
    );
    if (again === null) return null;
    this.#parts.forms.sends(refusal.kind, seenOf(again));
    this.#composed = again;
    this.#parts.book.sends(again);
    this.#request = requestOf(upstream, again);
    return this.#request;
  }

  #loop(): HiddenLoop {
    const { store, clock, timers, log, metrics, request, book } = this.#parts;
    const { accountId } = request;
    const { memory, conversation, sizes, sent } = this.#composed;
    const { adapter, isSide } = this.#composed.request;
    const anchor = conversation.states.at(-1)?.chain ?? '';
    const first = () => this.#first();
    const chain = () => {
      anchorsOf(conversation, adapter);
      return adapter.protocol === 'anthropic' ? (conversation.chains.at(-1) ?? '') : '';
    };
    return retrievalLoop({
      retrieval: store.retrieval,
      store: {
        keepHidden: (account, record) =>
          store.recall.keepHidden(account, anchored(record, anchor, request.id)),
      },
      asking: { accountId, thread: memory.name, timeZone: this.#composed.timeZone },
      clock,
      timers,
      mask: async (json) => (await maskJson(json, await store.archive.accountKey(accountId))).text,
      get first() {
        return first();
      },
      get chain() {
        return chain();
      },
      rounds: roundsOfTurn(this.#composed),
      room: sizes.limit === null ? null : Math.max(0, sizes.limit - sent),
      estimate: estimateText,
      keeps: !isSide,
      goesOnWith: (elements) => book.goesOnWith(elements),
      remember: (records) => {
        for (const record of records) memory.hidden.set(record.id, anchored(record, anchor, request.id));
      },
      failed: (reason, detail) => {
        metrics.faults.inc({ where: `retrieval_${reason}` });
        log.error({ id: request.id, reason, detail }, 'a call of our tool could not be answered');
      },
    });
  }

  #first(): FirstRequest {
    const { request, named } = this.#composed;
    return {
      protocol: request.adapter.protocol,
      request: this.#request,
      client: request.body,
      named,
      latestThinking: request.reasoning === 'keep_turn' ? 'turn-untouched' : 'untouched-or-none',
      window: null,
      estimate: estimateBytes,
    };
  }

  /** A loop whose rounds tell the thread's memory what the provider counted. */
  #observed(loop: HiddenLoop): HiddenLoop {
    let isFirst = true;
    const see = (round: HiddenRound) => {
      this.#parts.book.roundEnded(round);
      remember(round, this.#composed, this.#parts.compose.calibrations, isFirst);
      const { memory, request } = this.#composed;
      if (!request.isPaused) keepState(this.#parts.store.recall, request.accountId, memory);
      isFirst = false;
    };
    return {
      stream: loop.stream,
      whole: loop.whole,
      next: (round, headers) => {
        see(round);
        return loop.next(round, headers);
      },
      ended: (round) => {
        see(round);
        return loop.ended(round);
      },
    };
  }
}

/** A composed request on the wire: unchanged it is the client's own. */
export function requestOf(upstream: UpstreamRequest, { named, body }: Composed): UpstreamRequest {
  if (named.length === 0) return upstream;
  return editedRequest(upstream, body);
}

/** Records are found by the chain before their answer, which no other conversation has. */
function anchored(record: HiddenRecord, anchor: string, request: Uuid): HiddenRecord {
  return { ...record, anchors: [anchor], request };
}

/** Hidden rounds that the running turn has already. */
function roundsOfTurn({ memory, conversation }: Composed): number {
  const typed = conversation.facts.findLastIndex((facts) => facts.typed);
  const chains = new Set(conversation.states.slice(Math.max(0, typed)).map((state) => state.chain));
  let rounds = 0;
  for (const { anchors, data } of memory.hidden.values()) {
    if (data === null || keptResultIn(data) !== null || !anchors.some((anchor) => chains.has(anchor)))
      continue;
    const { places } = data as { readonly places?: readonly unknown[] };
    rounds += Math.max(1, places?.length ?? 1);
  }
  return rounds;
}

/** Models whose counts are remembered. */
const MOST_MODELS = 500;

function remember(
  { usage }: HiddenRound,
  composed: Composed,
  calibrations: Map<string, Calibration>,
  isFirst: boolean,
): void {
  const { memory, conversation, force, sizes, made, sent } = composed;
  const prompt = inputTokens(usage);
  if (prompt === null) return;
  if (isFirst) {
    const before = calibrationOf({ calibrations }, composed.request);
    const estimated = made ? sent / before.factor : sizes.estimated;
    memory.calibration = calibrated(before, { estimated, counted: prompt });
    if (calibrations.size > MOST_MODELS) calibrations.clear();
    calibrations.set(composed.request.read.model ?? '', memory.calibration);
  }
  if (composed.request.isSide || memory.conversation !== conversation) return;
  memory.counted = {
    elements: conversation.elements.length,
    madeAt: force === null ? null : hexOf(force.generation.madeAt),
    prompt,
    answer: outputTokens(usage),
  };
}
