import { hexOf } from '../../conversation/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import type { HiddenRecord, RecallStore } from '../../recall/index.ts';
import { maskJson } from '../../redaction/index.ts';
import {
  calibrated,
  estimateBytes,
  estimateText,
  inputTokens,
  outputTokens,
  startingCalibration,
} from '../estimate/index.ts';
import { type HiddenLoop, sendHidden } from '../hidden/hidden-call.ts';
import type { HiddenRound } from '../hidden/types.ts';
import type { Timers } from '../keep-alive.ts';
import { type Retrieval, retrievalLoop } from '../retrieval/index.ts';
import type { TappedRequest } from '../tap.ts';
import type { AnswerHandler, UpstreamCall, UpstreamRequest, Upstreams } from '../upstream.ts';
import type { Composed, ComposeParts } from './compose-request.ts';

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
  readonly upstreams: Pick<Upstreams, 'send'>;
  /** As the recorder is told of it. */
  readonly request: TappedRequest;
  /** As it would go out unchanged. */
  readonly upstream: UpstreamRequest;
  readonly handler: AnswerHandler;
}

/** Sends a composed request, answers what it asks of our tool, and remembers what the provider counted. */
export function sendComposed(parts: SendParts, composed: Composed): UpstreamCall {
  const { upstream, upstreams, handler, timers } = parts;
  const isChanged = composed.named.length > 0;
  const request = isChanged
    ? { ...upstream, headers: headersOfEdited(upstream.headers, composed.body.length), body: composed.body }
    : upstream;
  return sendHidden(
    upstreams,
    request,
    observed(loopOf(parts, composed, request), composed),
    handler,
    timers,
  );
}

function loopOf(parts: SendParts, composed: Composed, request: UpstreamRequest): HiddenLoop {
  const { store, clock, timers, log, metrics } = parts;
  const { accountId } = parts.request;
  const { memory, conversation, sizes, sent } = composed;
  const { adapter, reasoning, isSide } = composed.request;
  const anchor = conversation.states.at(-1)?.chain ?? '';
  const isMessages = adapter.protocol === 'anthropic';
  return retrievalLoop({
    retrieval: store.retrieval,
    store: {
      keepHidden: (account, record) => store.recall.keepHidden(account, anchored(record, anchor)),
    },
    asking: { accountId, thread: memory.name, timeZone: composed.timeZone },
    clock,
    timers,
    mask: async (json) => (await maskJson(json, await store.archive.accountKey(accountId))).text,
    first: {
      protocol: adapter.protocol,
      request,
      client: composed.request.body,
      named: composed.named,
      latestThinking: reasoning === 'keep_turn' ? 'turn-untouched' : 'untouched-or-none',
      window: null,
      estimate: estimateBytes,
    },
    chain: isMessages ? (conversation.chains.at(-1) ?? '') : '',
    rounds: roundsOfTurn(composed),
    room: sizes.limit === null ? null : Math.max(0, sizes.limit - sent),
    estimate: estimateText,
    keeps: !isSide,
    remember: (records) => {
      for (const record of records) memory.hidden.set(record.id, anchored(record, anchor));
    },
    failed: (reason, detail) => {
      metrics.faults.inc({ where: `retrieval_${reason}` });
      log.error({ id: parts.request.id, reason, detail }, 'a call of our tool could not be answered');
    },
  });
}

/** Records are found by the chain before their answer, which no other conversation has. */
function anchored(record: HiddenRecord, anchor: string): HiddenRecord {
  return { ...record, anchors: [anchor] };
}

/** Hidden rounds that the running turn has already. */
function roundsOfTurn({ memory, conversation }: Composed): number {
  const typed = conversation.facts.findLastIndex((facts) => facts.typed);
  const chains = new Set(conversation.states.slice(Math.max(0, typed)).map((state) => state.chain));
  let rounds = 0;
  for (const { anchors, data } of memory.hidden.values()) {
    if (data === null || !anchors.some((anchor) => chains.has(anchor))) continue;
    const { places } = data as { readonly places?: readonly unknown[] };
    rounds += Math.max(1, places?.length ?? 1);
  }
  return rounds;
}

/** A loop whose rounds tell the thread's memory what the provider counted. */
function observed(loop: HiddenLoop, composed: Composed): HiddenLoop {
  let isFirst = true;
  const see = (round: HiddenRound) => {
    remember(round, composed, isFirst);
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

function remember({ usage }: HiddenRound, composed: Composed, isFirst: boolean): void {
  const { memory, conversation, force, sizes, made, sent } = composed;
  const prompt = inputTokens(usage);
  if (prompt === null) return;
  if (isFirst) {
    const before = memory.calibration ?? startingCalibration(composed.request.read.model ?? '');
    const estimated = made ? sent / before.factor : sizes.estimated;
    memory.calibration = calibrated(before, { estimated, counted: prompt });
  }
  if (composed.request.isSide || memory.conversation !== conversation) return;
  memory.counted = {
    elements: conversation.elements.length,
    madeAt: force === null ? null : hexOf(force.generation.madeAt),
    prompt,
    answer: outputTokens(usage),
  };
}

/** Headers of a body that was put together: it goes as it is, and its answer has to be read as it comes. */
function headersOfEdited(headers: readonly string[], length: number): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name = '', value = ''] = [headers[at], headers[at + 1]];
    const lower = name.toLowerCase();
    if (lower === 'content-length') kept.push(name, String(length));
    else if (lower === 'accept-encoding') kept.push(name, 'identity');
    else if (lower !== 'content-encoding') kept.push(name, value);
  }
  return kept;
}
