import { fieldNamed, isSideRequest, type Scan, viewOf } from '../../conversation/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import type { RecallStore, RecallSwitches, ThreadName } from '../../recall/index.ts';
import type { ProtocolAdapter, ReadRequest, RequestHead } from '../adapter.ts';
import { anthropicAdapter } from '../anthropic/index.ts';
import { decodeBody } from '../decode.ts';
import type { Calibration } from '../estimate/index.ts';
import type { Timers } from '../keep-alive.ts';
import { openaiAdapter } from '../openai/index.ts';
import { headOf } from '../record/request-record.ts';
import type { Retrieval } from '../retrieval/index.ts';
import type { TappedRequest } from '../tap.ts';
import type { UpstreamRequest } from '../upstream.ts';
import { composeRequest, failureOf } from './compose-request.ts';
import { Fresh } from './fresh.ts';
import { previewOf, undoLayout } from './other-acts.ts';
import { asItCame, type Composer, type Prepared, type UndoWish } from './prepared.ts';
import { rulesOf } from './protocol-rules.ts';
import { seenOf } from './seen.ts';
import { sendComposed } from './send-composed.ts';
import { IndexTexts } from './standing-layout.ts';
import { Threads } from './threads.ts';
import type { Composed, ComposeParts, Deadline, ThreadMemory } from './types.ts';

/** What a composer works on once the database is open. */
export interface ComposerStore {
  readonly recall: RecallStore;
  readonly archive: ComposeParts['archive'];
  readonly retrieval: Retrieval;
}

/** What a composer is made of. */
export interface ComposerOptions {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Null while the store is not open. */
  readonly store: () => ComposerStore | null;
  /** True where no other gateway works on the same store. */
  readonly isAlone: boolean;
  /** Milliseconds that all of a preparation may take. */
  readonly deadlineMs?: number;
}

/** All that is done before a request goes out has this long. */
const DEADLINE_MS = 300;
/** How much longer a request waits for its layout that would pass the limit without. */
const PATIENCE_MS = 5_000;
/** How long what a person switched, and, where no other gateway writes, the store's version, is taken as known. */
const FRESH_MS = 1_000;
/** Most bytes that a request's body may unfold to. */
const BODY_LIMIT = 33 * 1024 * 1024;

/** Makes the composer of a process. */
export function createComposer(options: ComposerOptions): Composer {
  const { clock, timers, log, metrics, deadlineMs = DEADLINE_MS } = options;
  const threads = new Threads();
  const indices = new IndexTexts();
  const calibrations = new Map<string, Calibration>();
  const versions = new Fresh<string>(clock, options.isAlone ? FRESH_MS : 0);
  const switches = new Fresh<RecallSwitches>(clock, FRESH_MS);

  function prepare(request: TappedRequest, upstream: UpstreamRequest): Promise<Prepared> | null {
    const store = options.store();
    if (store === null || request.body.byteLength === 0) return null;
    const head = headOf(request);
    const adapter = request.door === 'anthropic' ? anthropicAdapter : openaiAdapter;
    if (adapter.routeOf(head) === 'other') return null;
    const deadline: Deadline = { isOver: false, standing: null };
    const work = compose(store, request, head, adapter, deadline);
    return new Promise((resolve) => {
      const late = () => {
        deadline.isOver = true;
        metrics.faults.inc({ where: 'compose_deadline' });
        const { standing } = deadline;
        resolve(
          standing === null
            ? asItCame(upstream, { reason: 'deadline', detail: `more than ${deadlineMs} ms` })
            : prepared(store, standing, request, upstream),
        );
      };
      let timer = timers.after(deadlineMs, () => {
        // What would pass the limit is sure to be refused: it waits for the layout a little longer.
        if (deadline.standing !== null && isTooLarge(deadline.standing))
          timer = timers.after(PATIENCE_MS, late);
        else late();
      });
      work.then(
        (composed) => {
          timers.cancel(timer);
          resolve(
            composed === null ? asItCame(upstream, null) : prepared(store, composed, request, upstream),
          );
        },
        (thrown) => {
          timers.cancel(timer);
          const failure = failureOf(thrown);
          metrics.faults.inc({ where: 'compose' });
          log.error({ id: request.id, ...failure }, 'a request goes out as it came');
          const { standing } = deadline;
          resolve(
            standing === null ? asItCame(upstream, failure) : prepared(store, standing, request, upstream),
          );
        },
      );
    });
  }

  function partsOf(store: ComposerStore, accountId: Uuid, name: ThreadName): ComposeParts {
    return {
      recall: store.recall,
      archive: store.archive,
      indices,
      calibrations,
      versionOf: () => versions.get(accountId, () => store.recall.version(accountId)),
      switchesOf: () => switches.get(keyOf(accountId, name), () => store.recall.switches(accountId, name)),
    };
  }

  async function compose(
    store: ComposerStore,
    request: TappedRequest,
    head: RequestHead,
    adapter: ProtocolAdapter,
    deadline: Deadline,
  ): Promise<Composed | null> {
    const encoding = head.headers.get('content-encoding') ?? '';
    const decoded = await decodeBody(request.body, encoding, { limit: BODY_LIMIT });
    const body = decoded === null ? null : viewOf(decoded);
    const read = body === null ? null : adapter.readRequest(head, body);
    if (body === null || read === null) return null;
    const name = threadOf(adapter, read, body);
    if (name === null) return null;
    const { accountId } = request;
    const memory = threads.of(accountId, name);
    const parts = partsOf(store, accountId, name);
    return inTurn(memory, deadline, () =>
      composeRequest(
        parts,
        {
          accountId,
          at: request.receivedAt,
          adapter,
          read,
          body,
          memory,
          isSide: isSideRequest(read.identity.kind),
          ...rulesOf(adapter, head, read, body),
        },
        deadline,
      ),
    );
  }

  function prepared(
    store: ComposerStore,
    composed: Composed,
    request: TappedRequest,
    upstream: UpstreamRequest,
  ): Prepared {
    if (composed.unedited !== null) {
      metrics.faults.inc({ where: 'compose_check' });
      log.warn({ id: request.id, ...composed.unedited }, 'a request goes out as it came');
    }
    return {
      seen: seenOf(composed),
      send: (upstreams, handler) =>
        sendComposed(
          {
            store,
            clock,
            timers,
            log,
            metrics,
            compose: partsOf(store, request.accountId, composed.memory.name),
            upstreams,
            request,
            upstream,
            handler,
          },
          composed,
        ),
    };
  }

  async function ofThread<Result>(
    accountId: Uuid,
    thread: ThreadName,
    act: (parts: ComposeParts, memory: ThreadMemory) => Promise<Result>,
    unknown: Result,
  ): Promise<Result> {
    const store = options.store();
    const memory = threads.known(accountId, thread);
    return store === null || memory === null ? unknown : act(partsOf(store, accountId, thread), memory);
  }

  return {
    prepare,
    preview: (accountId, thread) => ofThread(accountId, thread, previewOf, null),
    undo: (accountId, thread) =>
      ofThread<UndoWish>(accountId, thread, undoLayout, { undone: false, why: 'unknown_state' }),
    switched: () => switches.clear(),
    forget() {
      threads.clear();
      indices.clear();
      versions.clear();
      switches.clear();
    },
  };
}

function isTooLarge({ sizes, sent }: Composed): boolean {
  return sizes.limit !== null && sent > sizes.limit;
}

/**
 * Does a thread's work behind what it does already. Where that takes longer than the deadline allows, the request has gone
 * out as it came: then its answer is one that no generation describes.
 */
async function inTurn<Result>(
  memory: ThreadMemory,
  deadline: Deadline,
  work: () => Promise<Result>,
): Promise<Result> {
  const before = memory.turn;
  const mine = before.then(async () => {
    try {
      return await work();
    } catch (thrown) {
      memory.isUnseen ||= deadline.standing === null;
      throw thrown;
    } finally {
      // What went out under what stands is described by that.
      memory.isUnseen ||= deadline.isOver && deadline.standing === null;
    }
  });
  memory.turn = mine.catch(() => undefined);
  return mine;
}

/** The thread of a request that may be changed; null: it may not. */
function threadOf(
  adapter: ProtocolAdapter,
  { identity, scan }: ReadRequest,
  body: Buffer,
): ThreadName | null {
  const { kind, clientSessionId, clientThreadId, agent, uncertain } = identity;
  const carriesHistory =
    !isSideRequest(kind) || kind === 'suggestion' || kind === 'compaction' || kind === 'count';
  if (!carriesHistory || clientSessionId === null || uncertain !== null) return null;
  if (adapter.protocol === 'openai' && !saysNotToStore(scan, body)) return null;
  return { agent, session: clientSessionId, thread: clientThreadId ?? '' };
}

/** Whether a Responses request says that the provider keeps nothing of it. */
function saysNotToStore(scan: Scan, body: Buffer): boolean {
  const store = fieldNamed(scan, 'store');
  return store !== null && body.toString('latin1', store.value.start, store.value.end) === 'false';
}

function keyOf(accountId: Uuid, { agent, session, thread }: ThreadName): string {
  return [accountId, agent, session, thread].join('\0');
}
