import { isSideRequest, viewOf } from '../../conversation/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import { once } from '../../kernel/once.ts';
import type { RecallStore, ThreadName, UndoResult } from '../../recall/index.ts';
import type { ProtocolAdapter, ReadRequest, RequestHead } from '../adapter.ts';
import { anthropicAdapter } from '../anthropic/index.ts';
import { Bookkeeping } from '../booking/bookkeeping.ts';
import type { Calibration } from '../estimate/index.ts';
import type { Timers } from '../keep-alive.ts';
import { openaiAdapter } from '../openai/index.ts';
import { headOf } from '../record/request-record.ts';
import { isPlacedByHistory } from '../record/unnamed.ts';
import type { Retrieval } from '../retrieval/index.ts';
import type { TappedRequest } from '../tap.ts';
import type { UpstreamRequest } from '../upstream.ts';
import { composeRequest, failureOf } from './compose-request.ts';
import { earlyArchiving } from './early-archiving.ts';
import { Failures } from './failures.ts';
import { bodyWithoutReasoning } from './falling-open.ts';
import { KnownValues } from './known-values.ts';
import { previewOf, undoLayout } from './other-acts.ts';
import { asItCame, type Composer, type Prepared } from './prepared.ts';
import { rulesOf } from './protocol-rules.ts';
import { isBound, knowsBeginning } from './recollect.ts';
import { SentForms, seenAsItCame, seenOf } from './seen.ts';
import { type SendParts, sendComposed } from './send-composed.ts';
import { IndexTexts } from './standing-layout.ts';
import { inTurn, Threads } from './threads.ts';
import {
  type Composed,
  type ComposeParts,
  type Deadline,
  Late,
  type RequestToCompose,
  type ThreadMemory,
} from './types.ts';
import { createUnfolder } from './unfolder.ts';
import { asFirst, type Placed, UnnamedSessions } from './unnamed.ts';
import { readingBehind, type SecondForms, sendWatched } from './watched.ts';
import { threadOf } from './which-thread.ts';

/** What a composer works on once the database is open. */
export interface ComposerStore {
  readonly recall: RecallStore;
  readonly archive: ComposeParts['archive'];
  readonly facts: ComposeParts['facts'];
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
  /** Archives a request that is not sent yet: true once the archive has read all of it back. Never rejects. */
  readonly archiveNow: (request: TappedRequest) => Promise<boolean>;
  /** Milliseconds that all of a preparation may take. */
  readonly deadlineMs?: number;
}

/** All that is done before a request goes out has this long. */
const DEADLINE_MS = 300;
/** How much longer a request waits that is sure to be refused as it came, or under what stands. */
const PATIENCE_MS = 5_000;
/** How often a deadline passes as long as it is not known whether anything of ours stands in the conversation. */
const UNKNOWN_TIMES = 1;
/** The same where the mirror answers for a database that does not: what takes long then is this process alone. */
const UNKNOWN_TIMES_ALONE = 2;
/** Bytes from which on a conversation that is new to this process is looked up by its beginning before it is read. */
const LONG_BYTES = 128 * 1024;
/** An element of more bytes keeps a conversation that nothing is known of as it came. */
const UNWIELDY_BYTES = 4 * 1024 * 1024;
/** Bytes of requests that are prepared at once: what comes beyond goes as it came, before it takes memory. */
const PREPARED_BYTES = 128 * 1024 * 1024;

/** A request that is being prepared. */
interface Preparation {
  readonly request: TappedRequest;
  readonly upstream: UpstreamRequest;
  readonly head: RequestHead;
  readonly adapter: ProtocolAdapter;
  readonly deadline: Deadline;
  /** How it was read; null: it is not yet, or may not be changed. */
  read: RequestToCompose | null;
  /** Its session, where its agent names none; null: the agent does, or nothing tells it. */
  placed: Placed | null;
}

/** A request in which nothing of ours stands: it goes out as it came, and is read while it is on its way. */
interface Unread extends Pick<SecondForms, 'read'> {
  readonly request: RequestToCompose;
}

function isUnread(made: Composed | Unread | null): made is Unread {
  return made !== null && 'read' in made;
}

/** Makes the composer of a process. */
export function createComposer(options: ComposerOptions): Composer {
  const { clock, timers, log, metrics, deadlineMs = DEADLINE_MS } = options;
  const threads = new Threads();
  const indices = new IndexTexts();
  const calibrations = new Map<string, Calibration>();
  const known = new KnownValues(clock, options.isAlone);
  const failures = new Failures(clock);
  const unfold = createUnfolder();
  const unnamed = new UnnamedSessions('pi');
  let preparedBytes = 0;

  function prepare(request: TappedRequest, upstream: UpstreamRequest): Promise<Prepared> | null {
    const store = options.store();
    const bytes = request.body.byteLength;
    if (store === null || bytes === 0 || known.isLeftAlone(store, request.accountId)) return null;
    const head = headOf(request);
    const adapter = request.door === 'anthropic' ? anthropicAdapter : openaiAdapter;
    if (adapter.routeOf(head) === 'other') return null;
    if (preparedBytes + bytes > PREPARED_BYTES) {
      failed('compose_full');
      return Promise.resolve(asItCame(upstream, { reason: 'busy', detail: 'too much is being prepared' }));
    }
    const deadline: Deadline = { isOver: false, standing: null, isBound: null, hasCommitted: false };
    const preparation: Preparation = { request, upstream, head, adapter, deadline, read: null, placed: null };
    preparedBytes += bytes;
    const work = compose(store, preparation).finally(() => {
      preparedBytes -= bytes;
    });
    return inTime(store, preparation, work).then((ready) => asFirst(preparation.placed, ready));
  }

  /** What a preparation gives, and within the deadline. */
  function inTime(
    store: ComposerStore,
    preparation: Preparation,
    work: Promise<Composed | Unread | null>,
  ): Promise<Prepared> {
    const { request, deadline } = preparation;
    const instead = (failure: NonNullable<Composed['unedited']>) =>
      deadline.standing === null
        ? fallingOpen(store, preparation, failure)
        : prepared(store, deadline.standing, preparation);
    return new Promise((resolve) => {
      const late = () => {
        deadline.isOver = true;
        failed('compose_deadline');
        resolve(instead({ reason: 'deadline', detail: `more than ${deadlineMs} ms` }));
      };
      const hurry = () => {
        if (isSureToBeRefused(deadline)) timer = timers.after(PATIENCE_MS, late);
        else late();
      };
      let unknown = options.isAlone ? UNKNOWN_TIMES_ALONE : UNKNOWN_TIMES;
      const due = () => {
        unknown -= 1;
        if (deadline.standing !== null || deadline.isBound !== null || unknown < 0) hurry();
        else timer = timers.after(deadlineMs, due);
      };
      let timer = timers.after(deadlineMs, due);
      work.then(
        (composed) => {
          timers.cancel(timer);
          if (deadline.isOver) return;
          if (composed === null) resolve(fallingOpen(store, preparation, null));
          else if (isUnread(composed)) resolve(unread(store, composed, preparation));
          else resolve(prepared(store, composed, preparation));
        },
        (thrown) => {
          timers.cancel(timer);
          const failure = failureOf(thrown);
          if (!(thrown instanceof Late))
            log.error({ id: request.id, ...failure }, 'a request goes out as it came');
          if (deadline.isOver) return;
          failed('compose');
          resolve(instead(failure));
        },
      );
    });
  }

  function failed(where: string): void {
    metrics.faults.inc({ where });
    failures.add();
  }

  function partsOf(
    store: ComposerStore,
    accountId: Uuid,
    name: ThreadName,
    folder: string | null = null,
  ): ComposeParts {
    return { ...known.of(store, accountId, name, folder), indices, calibrations, isAlone: options.isAlone };
  }

  async function compose(store: ComposerStore, preparation: Preparation): Promise<Composed | Unread | null> {
    const { request, head, adapter, deadline } = preparation;
    const decoded = await unfold(request.body, head.headers.get('content-encoding') ?? '', deadline);
    const body = decoded === null ? null : viewOf(decoded);
    const read = body === null ? null : adapter.readRequest(head, body);
    if (body === null || read === null) return null;
    const { accountId } = request;
    const name = threadOf(adapter, read, body) ?? (await placedByHistory(store, preparation, read, body));
    if (name === null) return null;
    const memory = threads.of(accountId, name);
    if (memory.conversation !== null) deadline.isBound = isBound(memory);
    const { folder } = read.identity.place;
    const parts = partsOf(store, accountId, name, folder);
    const toCompose: RequestToCompose = {
      ...earlyArchiving(options, request, deadlineMs),
      accountId,
      at: request.receivedAt,
      adapter,
      read,
      body,
      memory,
      isSide: isSideRequest(read.identity.kind),
      isPaused: request.isPaused === true,
      ...rulesOf(adapter, head, read, body),
    };
    preparation.read = toCompose;
    // Until that is known it can fall open in another form.
    if (await known.areLeftAlone(store, accountId, name, folder)) {
      preparation.read = null;
      return null;
    }
    const isUnwieldy = read.elements.some(({ start, end }) => end - start > UNWIELDY_BYTES);
    if (memory.conversation === null && (isUnwieldy || body.byteLength > LONG_BYTES)) {
      const isOurs = await knowsBeginning(parts, toCompose, isUnwieldy);
      // It would be read in one go, while all others wait.
      if (!isOurs && isUnwieldy) {
        preparation.read = null;
        return null;
      }
      if (!isOurs)
        return {
          request: toCompose,
          read: once(async () => (toCompose.isSide ? null : reading(parts, toCompose))),
        };
    }
    return inTurn(memory, deadline, () => composeRequest(parts, toCompose, deadline));
  }

  /** The thread of a request whose agent names no session; null: it names one, or nothing tells it. */
  async function placedByHistory(
    store: ComposerStore,
    preparation: Preparation,
    read: ReadRequest,
    body: Buffer,
  ): Promise<ThreadName | null> {
    if (!isPlacedByHistory(read.identity)) return null;
    const { request, adapter } = preparation;
    const { id, accountId } = request;
    const parts = known.of(store, accountId, UNNAMED);
    const question = { id, accountId, adapter, read, body };
    preparation.placed = await unnamed.place(parts, question, request.isPaused !== true);
    return preparation.placed?.name ?? null;
  }

  /** Reads a request that is on its way, so that the thread's next one is known. Never rejects. */
  function reading(parts: ComposeParts, request: RequestToCompose): Promise<Composed | null> {
    const { memory, id, body } = request;
    const deadline: Deadline = { isOver: false, standing: null, isBound: null, hasCommitted: false };
    preparedBytes += body.byteLength;
    return inTurn(memory, deadline, () => composeRequest(parts, request, deadline, true))
      .catch((thrown) => {
        failed('compose');
        log.error({ id, ...failureOf(thrown) }, 'a request on its way could not be read');
        return null;
      })
      .finally(() => {
        preparedBytes -= body.byteLength;
      });
  }

  /** A request as its client sent it; with the reason, where ours could not be put together. */
  function fallingOpen(
    store: ComposerStore,
    preparation: Preparation,
    unedited: Composed['unedited'],
  ): Prepared {
    const { upstream, read, adapter } = preparation;
    const asSent = asItCame(upstream, unedited);
    if (read === null) return asSent;
    const parts = sendParts(store, preparation, read.memory.name);
    const forms: SecondForms = {
      read: async () => (read.isSide ? null : reading(parts.compose, read)),
      withoutReasoning: () => bodyWithoutReasoning(read),
    };
    return {
      ...asSent,
      book: parts.book,
      forms: parts.forms,
      send: (upstreams, handler) => sendWatched({ ...parts, upstreams, handler }, adapter.protocol, forms),
    };
  }

  function sendParts(
    store: ComposerStore,
    { request, upstream }: Preparation,
    thread: ThreadName,
  ): Omit<SendParts, 'upstreams' | 'handler'> {
    const compose = partsOf(store, request.accountId, thread);
    return {
      store,
      clock,
      timers,
      log,
      metrics,
      compose,
      request,
      upstream,
      book: new Bookkeeping(),
      forms: new SentForms(),
    };
  }

  /** A request as its client sent it, since nothing of ours stands in it. */
  function unread(store: ComposerStore, { request, read }: Unread, preparation: Preparation): Prepared {
    const parts = sendParts(store, preparation, request.memory.name);
    const forms: SecondForms = { read, withoutReasoning: () => null };
    const { protocol } = preparation.adapter;
    return {
      seen: seenAsItCame(request.body.byteLength, 'unread'),
      book: parts.book,
      forms: parts.forms,
      send: (upstreams, handler) =>
        sendWatched({ ...parts, upstreams, handler: readingBehind(handler, read) }, protocol, forms),
    };
  }

  function prepared(store: ComposerStore, composed: Composed, preparation: Preparation): Prepared {
    const { request } = preparation;
    if (composed.unedited !== null) {
      failed('compose_check');
      log.warn({ id: request.id, ...composed.unedited }, 'a request goes out as it came');
      return { ...fallingOpen(store, preparation, composed.unedited), seen: seenOf(composed) };
    }
    const parts = sendParts(store, preparation, composed.memory.name);
    return {
      seen: seenOf(composed),
      book: parts.book,
      forms: parts.forms,
      send: (upstreams, handler) => sendComposed({ ...parts, upstreams, handler }, composed),
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
      ofThread<UndoResult>(accountId, thread, undoLayout, { undone: false, why: 'unknown_state' }),
    switched: () => known.switched(),
    trouble: () => failures.note(),
    forget() {
      threads.clear();
      indices.clear();
      known.clear();
      unnamed.clear();
    },
  };
}

/** No session in particular. */
const UNNAMED: ThreadName = { agent: 'pi', session: '', thread: '' };

/** Whether what goes out at the deadline would be refused: it passes the limit, or lacks what its answers are bound to. */
function isSureToBeRefused({ standing, isBound }: Deadline): boolean {
  return standing === null ? isBound === true : isTooLarge(standing);
}

function isTooLarge({ sizes, sent }: Composed): boolean {
  return sizes.limit !== null && sent > sizes.limit;
}
