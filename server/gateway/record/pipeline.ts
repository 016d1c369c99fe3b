import {
  type ArchiveWriter,
  type MaskedItem,
  type MessageHash,
  type Place,
  StaleRead,
  type ThreadState,
} from '../../archive/index.ts';
import {
  answerNeeds,
  chainAnswer,
  hexOf,
  type Identity,
  isSideRequest,
  type ResolvedChain,
  resolveChain,
  rootHash,
  type SliceMapping,
} from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { maskNameOrNull } from '../../redaction/index.ts';
import type { ProtocolAdapter, ReadRequest } from '../adapter.ts';
import { anthropicAdapter } from '../anthropic/index.ts';
import { answeredRequest, type RequestToBook, requestToBook } from '../booking/answered.ts';
import type { AnsweredRequest, Booker } from '../booking/booker.ts';
import { MAX_ANSWER_BYTES } from '../collect.ts';
import type { SeenByModel } from '../compose/seen.ts';
import { type DecodeOptions, decodeBody } from '../decode.ts';
import { openaiAdapter } from '../openai/index.ts';
import { hintsFor } from '../reading/hints.ts';
import type { TappedRequest } from '../tap.ts';
import { mayGoOnFromFiles, saidOfAgent } from '../transcripts/said.ts';
import { AwaitedBodies, keepAwaited } from './awaited.ts';
import { createGate } from './gate.ts';
import { turnsToLearn } from './learns.ts';
import { isRetry, moveMarks, sideMarks } from './marks.ts';
import { maskItems } from './mask-items.ts';
import { maskingWriter } from './masking-writer.ts';
import { messagesOf } from './new-messages.ts';
import { preambleHashOf, savePreamble } from './preamble.ts';
import { PrefixCache } from './prefix-cache.ts';
import type { RecordedAnswer } from './protocol.ts';
import { aboutRequest, headOf, ownThread, recordOf, standsAlone } from './request-record.ts';
import { identityByHistory, isPlacedByHistory } from './unnamed.ts';
import { requestView, viewWithSecond } from './view-of.ts';

/** Writes what goes through the doors into the archive. Its functions may be called again for the same event. */
export interface Pipeline {
  /**
   * Archives what a request holds before it is sent; its record is written by `request`, which knows what the model saw.
   * Gives the reason why it could not be archived; null: it was.
   */
  early(event: TappedRequest): Promise<string | null>;
  /** Archives a request. Gives the reason why it could not be archived; null: it was, or there was nothing to. */
  request(event: TappedRequest): Promise<string | null>;
  /** Archives an answer and closes the request's record, after its request. */
  answer(event: RecordedAnswer): Promise<string | null>;
  /** Books what an archived answer cost. Nothing waits for it but the next booking of its conversation. */
  book(id: Uuid): Promise<void>;
}

/**
 * Most bytes that a request's body may unfold to: what a provider takes at most, so that a small body which unfolds to
 * far more takes neither memory nor the recorder's time.
 */
const REQUEST_LIMIT = 33 * 1024 * 1024;
/** Most bytes that an answer's body may unfold to: what is held of one that comes plain. */
const ANSWER_LIMIT = MAX_ANSWER_BYTES;
/** Bodies that are unfolded at once: each may take its whole limit. */
const UNFOLDED_AT_ONCE = 1;
/** Bytes of requests that are kept to recognise the ones that repeat them. */
const PREFIX_BYTES = 96 * 1024 * 1024;

/** Bytes of bodies that are kept until their answers are booked; a request without its own is booked uncompared. */
const AWAITED_BYTES = 96 * 1024 * 1024;

/** Why a request of a new session is not archived while the disk is nearly full. */
const NO_ROOM = 'disk_low';

/** Where a request belongs. */
interface Placed {
  readonly thread: ThreadState | null;
  readonly root: MessageHash;
}

/** A request whose messages are in the archive, as its record tells of them. */
interface Taken {
  readonly adapter: ProtocolAdapter;
  readonly body: Uint8Array;
  readonly read: ReadRequest;
  readonly thread: ThreadState | null;
  readonly chain: Pick<ResolvedChain<MaskedItem>, 'positions' | 'head'>;
  readonly retry: boolean;
  readonly preambleHash: Uint8Array | null;
}

/** What the answer needs to know of its request. */
interface Pending {
  readonly adapter: ProtocolAdapter;
  readonly thread: ThreadState | null;
  readonly parent: MessageHash;
  /** What the model saw of it, and the messages behind its elements. */
  readonly seen: SeenByModel | null;
  readonly positions: readonly MessageHash[];
  readonly bytes: number;
  /** Without its body, which is kept beside where there is room. */
  readonly toBook: RequestToBook;
}

/**
 * Makes the pipeline over a store.
 * @param mayBegin asked for each request whether there is room for another session; those that have begun go on
 * @param booker the ledger; null: nothing is booked
 */
export function createPipeline(
  store: ArchiveWriter,
  mayBegin: () => Promise<boolean> = async () => true,
  booker: Booker | null = null,
): Pipeline {
  const writer = maskingWriter(store);
  const pending = new Map<string, Pending>();
  const answered = new Map<string, AnsweredRequest>();
  const bodies = new AwaitedBodies(AWAITED_BYTES);
  const archivedEarly = new Map<string, Taken>();
  const prefixes = new PrefixCache(PREFIX_BYTES);
  const unfolding = createGate(UNFOLDED_AT_ONCE);
  const unfolded = (bytes: Uint8Array, encoding: string, options: DecodeOptions) =>
    encoding === ''
      ? decodeBody(bytes, encoding, options)
      : unfolding(() => decodeBody(bytes, encoding, options));

  async function early(event: TappedRequest): Promise<string | null> {
    const taken = await take(event, false);
    if (typeof taken !== 'object' || taken === null) return taken ?? 'unreadable';
    keepAwaited(archivedEarly, event.id, taken);
    return null;
  }

  async function request(event: TappedRequest): Promise<string | null> {
    const taken = archivedEarly.get(event.id) ?? (await take(event, true));
    if (typeof taken !== 'object' || taken === null) return taken;
    const { adapter, body, read, thread, chain, retry, preambleHash } = taken;
    await writer.saveRequest({
      ...recordOf(event, 'generation'),
      ...aboutRequest(read),
      thread,
      preambleHash,
      lastMessage: chain.head,
      retry,
      note: read.identity.uncertain,
      view: event.seen == null ? null : requestView(event.seen, chain.positions),
    });
    // Behind the request, so that a preamble is kept only while a request refers to it.
    if (preambleHash !== null) await savePreamble(writer, event.accountId, preambleHash, body, read);
    archivedEarly.delete(event.id);
    const toBook = requestToBook(event, { adapter, read, body }, thread?.threadId ?? null);
    if (booker !== null) bodies.keep(event.id, body);
    keepAwaited(pending, event.id, {
      adapter,
      thread,
      parent: chain.head,
      seen: event.seen ?? null,
      positions: chain.positions,
      bytes: event.body.byteLength,
      toBook: { ...toBook, body: null },
    });
    return null;
  }

  /**
   * Archives the messages of a request. Else the reason why it was not, null where there was nothing to; then its record is
   * written where `records` says so.
   */
  async function take(event: TappedRequest, records: boolean): Promise<Taken | string | null> {
    const head = headOf(event);
    const adapter = event.door === 'anthropic' ? anthropicAdapter : openaiAdapter;
    const route = adapter.routeOf(head);
    const encoding = head.headers.get('content-encoding') ?? '';
    const body = await unfolded(event.body, encoding, { limit: REQUEST_LIMIT });
    const found =
      body === null || body.length === 0 || route === 'other' ? null : adapter.readRequest(head, body);
    const read = body === null || found === null ? null : await named(event, adapter, body, found);
    const unread =
      route === 'other' ? null : body === null ? 'undecodable' : read === null ? 'unreadable' : null;
    if (body === null || read === null || route !== 'generation') {
      if (records)
        await writer.saveRequest({ ...recordOf(event, route), ...aboutRequest(read), note: unread });
      return unread;
    }
    const hasRoom = await mayBegin();
    if (!hasRoom && !(await hasBegun(event.accountId, read.identity))) return NO_ROOM;
    const placed = await placeRequest(event, read);
    const chain = await resolve(event, adapter, body, read, placed);
    if (!hasRoom && placed.thread === null && beginsAt(chain, placed.root)) return NO_ROOM;
    const retry = isRetry(placed.thread, chain);
    await append(event, read, placed, chain, retry);
    if (placed.thread !== null) {
      const { threadId, erasures } = placed.thread;
      const { elements } = read;
      prefixes.keep(threadId, { body, elements, positions: chain.positions, root: placed.root, erasures });
    }
    const preambleHash = preambleHashOf(await writer.accountKey(event.accountId), body, read);
    const { positions, head: newest } = chain;
    return {
      adapter,
      body,
      read,
      thread: placed.thread,
      chain: { positions, head: newest },
      retry,
      preambleHash,
    };
  }

  async function append(
    event: TappedRequest,
    read: ReadRequest,
    placed: Placed,
    chain: ResolvedChain<MaskedItem>,
    retry: boolean,
  ): Promise<void> {
    const key = await writer.accountKey(event.accountId);
    await writer.append({
      accountId: event.accountId,
      thread: placed.thread,
      at: event.receivedAt,
      messages: await messagesOf(chain.added, 'received', key),
      aliases: chain.aliases,
      marks:
        isSideRequest(read.identity.kind) || retry
          ? sideMarks(read.identity, chain)
          : moveMarks(placed.thread, chain, placed.root),
      asOf: placed.thread?.erasures ?? null,
      head: hexOf(chain.head) === hexOf(placed.root) ? null : chain.head,
      folder: await maskNameOrNull(read.identity.place.folder, key),
      learns:
        isSideRequest(read.identity.kind) || retry ? [] : turnsToLearn(chain, placed.thread?.head ?? null),
    });
  }

  async function answer(event: RecordedAnswer): Promise<string | null> {
    const known = pending.get(event.id);
    const adapter = known?.adapter ?? (event.door === 'anthropic' ? anthropicAdapter : openaiAdapter);
    const partial = event.ending !== 'complete';
    const body =
      event.body === null
        ? null
        : await unfolded(event.body, event.contentEncoding, { limit: ANSWER_LIMIT, partial });
    const read =
      body === null || event.status === null
        ? null
        : adapter.readAnswer(event.status, event.contentType, body);
    if (known !== undefined && read !== null && read.messages.length > 0 && event.status === 200) {
      const complete = read.complete && !partial;
      const chained = chainAnswer(await writer.accountKey(event.accountId), known.parent, read.messages);
      const last = chained.at(-1);
      if (last !== undefined) {
        await writer.append({
          accountId: event.accountId,
          thread: known.thread,
          at: event.endedAt,
          messages: await messagesOf(chained, 'produced', await writer.accountKey(event.accountId)),
          aliases: [],
          marks: complete
            ? []
            : [{ kind: 'partial_answer', message: last.hash, data: { ending: event.ending } }],
          asOf: null,
          head: complete ? last.hash : null,
        });
      }
      await writer.saveAnswer({
        id: event.id,
        accountId: event.accountId,
        requestId: event.id,
        providerId: read.providerId,
        state: complete ? 'complete' : 'partial',
        messages: chained.map((one) => one.hash),
      });
    }
    if (known !== undefined && event.again != null)
      await writer.saveView(event.accountId, event.id, viewWithSecond(known.seen, event.again, known));
    await writer.saveOutcome({
      id: event.id,
      accountId: event.accountId,
      status: event.status,
      ending: event.ending,
      responseBytes: event.responseBytes,
      headMs: event.headMs,
      firstByteMs: event.firstByteMs,
      totalMs: event.totalMs,
      ownMs: event.ownMs,
      providerRequestId: event.providerRequestId,
      stopReason: read?.stopReason ?? null,
      usage: read?.usage ?? null,
      error: read?.error ?? null,
    });
    if (known !== undefined && booker !== null)
      keepAwaited(answered, event.id, answeredRequest(known.toBook, event, read));
    pending.delete(event.id);
    return event.body === null ? 'answer_too_large' : body === null ? 'answer_undecodable' : null;
  }

  async function book(id: Uuid): Promise<void> {
    const request = answered.get(id);
    if (request !== undefined) await booker?.book({ ...request, body: bodies.of(id) });
    answered.delete(id);
    bodies.drop(id);
  }

  /** The request with the session that its history tells, where its agent names none. */
  async function named(
    event: TappedRequest,
    adapter: ProtocolAdapter,
    body: Uint8Array,
    read: ReadRequest,
  ): Promise<ReadRequest> {
    if (!isPlacedByHistory(read.identity)) return read;
    if (event.session !== undefined)
      return { ...read, identity: { ...read.identity, clientSessionId: event.session, uncertain: null } };
    const { accountId, id, receivedAt } = event;
    const place = await writer.resolvePlace(accountId, read.identity.place, receivedAt);
    const root = rootHash(await writer.accountKey(accountId), place?.projectId ?? null);
    const chain = await resolve(event, adapter, body, read, { thread: null, root });
    const isAwaited = (threadId: Uuid, message: MessageHash) =>
      [...pending.values()].some(
        ({ thread, parent }) => thread?.threadId === threadId && hexOf(parent) === hexOf(message),
      );
    const { identity } = read;
    return {
      ...read,
      identity: await identityByHistory(writer, { accountId, id, identity, chain, root, isAwaited }),
    };
  }

  /** Whether a request belongs to a session that is there; what names none is told by its chain, later. */
  async function hasBegun(accountId: Uuid, { agent, clientSessionId }: Identity): Promise<boolean> {
    return clientSessionId === null || writer.hasSession(accountId, agent, clientSessionId);
  }

  async function placeRequest(event: TappedRequest, read: ReadRequest): Promise<Placed> {
    const { accountId, receivedAt } = event;
    const open = async () => {
      const place: Place | null = await writer.resolvePlace(accountId, read.identity.place, receivedAt);
      return {
        place,
        thread: await writer.openThread(accountId, ownThread(read.identity), place, receivedAt),
      };
    };
    // A place that is remembered may have been deleted; the refusal makes it forgotten.
    const { place, thread } = await open().catch((thrown: unknown) => {
      if (thrown instanceof StaleRead) return open();
      throw thrown;
    });
    const settled = standsAlone(read.identity) ? null : (thread?.place ?? place);
    return { thread, root: rootHash(await writer.accountKey(accountId), settled?.projectId ?? null) };
  }

  async function resolve(
    event: TappedRequest,
    adapter: ProtocolAdapter,
    body: Uint8Array,
    read: ReadRequest,
    { thread, root }: Placed,
  ): Promise<ResolvedChain<MaskedItem>> {
    const { accountId } = event;
    const key = await writer.accountKey(accountId);
    const { elements } = read;
    const start =
      thread === null
        ? null
        : prefixes.startOf(thread.threadId, { body, elements, root, erasures: thread.erasures });
    const goesOn = thread?.head != null || mayGoOnFromFiles(body, elements);
    const saidOf = goesOn ? saidOfAgent(read.identity.agent) : null;
    const walk = resolveChain<MaskedItem>({
      key,
      root: start?.at ?? root,
      ...(saidOf === null ? {} : { saidOf }),
      elements: elements.slice(start?.count ?? 0).map((slice) => body.subarray(slice.start, slice.end)),
      parse: (element) =>
        adapter.parseMessage(element, hintsFor(adapter, read, element.byteOffset - body.byteOffset)),
      forms: adapter.forms,
    });
    const chain = await answerNeeds<MaskedItem>(walk, {
      slices: (slices): Promise<ReadonlyMap<string, readonly SliceMapping[]>> =>
        writer.lookUpSlices(accountId, slices),
      children: (parent, wanted) => writer.childrenOf(accountId, parent, wanted),
      masked: (items) => maskItems(items, key),
    });
    return start === null ? chain : { ...chain, positions: [...start.positions, ...chain.positions] };
  }

  return { early, request, answer, book };
}

/** Whether nothing of a chain was known: its first message is new. */
function beginsAt(chain: ResolvedChain<MaskedItem>, root: MessageHash): boolean {
  const [first] = chain.added;
  return first !== undefined && hexOf(first.parent) === hexOf(root);
}
