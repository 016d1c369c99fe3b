import type {
  AgentName,
  Identity,
  Item,
  MessageHash,
  PlaceClaim,
  RequestKind,
  Role,
  SliceHash,
  StoredMessage,
  Usage,
} from '../conversation/index.ts';
import type { Millis } from '../kernel/clock.ts';
import type { Uuid } from '../kernel/ids.ts';
import type { RequestView } from './view.ts';

/** Where a session works, as the archive resolved it. */
export interface Place {
  readonly projectId: Uuid;
  readonly worktreeId: Uuid;
}

/** A thread as the recorder needs it. */
export interface ThreadState {
  readonly sessionId: Uuid;
  readonly threadId: Uuid;
  readonly place: Place | null;
  /** Newest message of the thread's chain, null before the first. */
  readonly head: MessageHash | null;
  /** `lastMessage` of the thread's newest request, null before the first: a request that ends there again is a retry. */
  readonly lastRequestMessage: MessageHash | null;
  /** How often something was deleted in the account: what is known from before another count may be gone. */
  readonly erasures: number;
}

/** An item ready to be written: text and body are masked. */
export interface MaskedItem extends Item {
  /** UTF-8 bytes of the text before masking, and their keyed hash. */
  readonly originalSize: number;
  readonly originalHash: Uint8Array;
  readonly masked: boolean;
}

/** A message to be appended to a thread's chain. */
export interface NewMessage {
  readonly hash: MessageHash;
  readonly parent: MessageHash;
  readonly role: Role;
  /** `received` from the agent, or `produced` by the provider. */
  readonly origin: 'received' | 'produced';
  readonly items: readonly MaskedItem[];
  /** When it was said, where that is not the batch's time: messages of an agent's own files. */
  readonly at?: Millis;
}

/**
 * An event of a session's log that is not an item. Head moves and compactions stand before the messages of their batch,
 * the others behind. A head move says with `message` where the chain went on from (null: from the start); whether the
 * head moved is decided by the store under the session's lock: a move that did not happen is left out, one that the
 * batch does not name is added.
 */
export interface NewMark {
  readonly kind: 'head_move' | 'client_compaction' | 'partial_answer' | 'request_failed';
  readonly message: MessageHash | null;
  /** Small facts about the event, without content. */
  readonly data: Readonly<Record<string, string | number | boolean | null>>;
}

/** One request's part of the archive, written in one transaction. */
export interface RecordBatch {
  readonly accountId: Uuid;
  readonly thread: ThreadState | null;
  readonly at: Millis;
  /** New messages in chain order, parents before children. Those that exist already write nothing. */
  readonly messages: readonly NewMessage[];
  /** Other forms under which known messages were seen. */
  readonly aliases: readonly {
    readonly parent: MessageHash;
    readonly slice: SliceHash;
    readonly message: MessageHash;
  }[];
  readonly marks: readonly NewMark[];
  /** The thread's `erasures` when the chain was looked up; null where nothing was looked up. */
  readonly asOf: number | null;
  /** The newest message of the chain after this batch; null leaves the thread's head as it is. */
  readonly head: MessageHash | null;
  /** Messages that memory is to look at; of these only the ones that are new in the session. Left out: none. */
  readonly learns?: readonly MessageHash[];
  /** The agent's working folder (masked), which relative paths of its calls start from; absent or null: not known. */
  readonly folder?: string | null;
}

/** What is kept of one request through a door, whether or not it could be placed. */
export interface RequestRecord {
  readonly id: Uuid;
  readonly accountId: Uuid;
  readonly thread: ThreadState | null;
  readonly door: string;
  readonly method: string;
  readonly path: string;
  readonly agent: AgentName;
  readonly agentVersion: string | null;
  readonly kind: RequestKind;
  readonly model: string | null;
  readonly stream: boolean;
  readonly receivedAt: Millis;
  readonly requestBytes: number;
  readonly preambleHash: Uint8Array | null;
  /** Newest message of the request's own chain. */
  readonly lastMessage: MessageHash | null;
  /** True if the chain equals that of the thread's request before. */
  readonly retry: boolean;
  /** Why it was not archived, or not with certainty placed; null: it was. */
  readonly note: string | null;
  /** What the model saw of it; null: what its client sent, and nothing was to be changed. */
  readonly view: RequestView | null;
}

/** What is known of a request once its answer has ended. */
export interface RequestOutcome {
  readonly id: Uuid;
  readonly accountId: Uuid;
  readonly status: number | null;
  /** How the answer ended. */
  readonly ending: 'complete' | 'client_gone' | 'upstream_fault' | 'upstream_unreachable' | 'refused';
  readonly responseBytes: number;
  /** Milliseconds from the request's last byte in to the upstream's response head, first body byte, end. */
  readonly headMs: number | null;
  readonly firstByteMs: number | null;
  readonly totalMs: number;
  /** Milliseconds of these that were the gateway's own before the request left. */
  readonly ownMs: number;
  readonly providerRequestId: string | null;
  readonly stopReason: string | null;
  readonly usage: Usage | null;
  readonly error: { readonly type: string; readonly message: string } | null;
}

/** An answer of the provider, whole or broken off, and the messages that it became. */
export interface AnswerRecord {
  readonly id: Uuid;
  readonly accountId: Uuid;
  readonly requestId: Uuid;
  readonly providerId: string | null;
  readonly state: 'complete' | 'partial';
  readonly messages: readonly MessageHash[];
}

/** A part of a request that is not a message: its field's name and its JSON bytes, masked. */
export interface PreamblePart {
  readonly name: string;
  readonly body: Uint8Array;
}

/** What is asked of a chain whose agent names no session. */
export interface ChainQuestion {
  /** The newest message of the chain that is stored; null: none is. */
  readonly newest: MessageHash | null;
  /** Ids of the tool calls in it that are new, looked for where no message is known. */
  readonly calls: readonly string[];
}

/** The session that a chain was found in. */
export interface ChainSession {
  readonly clientSessionId: string;
  /** Its main line. */
  readonly threadId: Uuid;
  /** The message that was asked for is the newest of that line. */
  readonly atHead: boolean;
}

/** What the recorder asks of the store. Every call may be slow or fail; no agent waits for one. */
export interface ArchiveWriter {
  /** The account's key for hashes and masks (32 bytes), made at the first call. */
  accountKey(accountId: Uuid): Promise<Uint8Array>;
  resolvePlace(accountId: Uuid, claim: PlaceClaim, at: Millis): Promise<Place | null>;
  /** Finds or makes session and thread; null where the identity names no session. */
  openThread(
    accountId: Uuid,
    identity: Identity,
    place: Place | null,
    at: Millis,
  ): Promise<ThreadState | null>;
  /** Whether there is a session of that agent under the agent's own name for it. */
  hasSession(accountId: Uuid, agent: AgentName, clientSessionId: string): Promise<boolean>;
  /** Messages that were seen under these raw slices, by hex of the slice hash. One query. */
  lookUpSlices(
    accountId: Uuid,
    slices: readonly SliceHash[],
  ): Promise<ReadonlyMap<string, readonly { readonly parent: MessageHash; readonly message: MessageHash }[]>>;
  /**
   * The stored children of a message (candidates for another form of the same message), newest first, at most 20;
   * the one named `wanted` is among them if it is stored there, however old it is.
   */
  childrenOf(
    accountId: Uuid,
    parent: MessageHash,
    wanted?: MessageHash | null,
  ): Promise<readonly StoredMessage[]>;
  /** The session of an agent that a chain goes on in; null: none. For agents that name no session. */
  sessionOfChain(accountId: Uuid, agent: AgentName, question: ChainQuestion): Promise<ChainSession | null>;
  /** True if one of these messages is stored and is an answer. */
  holdsAnswer(accountId: Uuid, messages: readonly MessageHash[]): Promise<boolean>;
  saveRequest(record: RequestRecord): Promise<void>;
  /**
   * Keeps a preamble once under its hash, where a kept request refers to it. `partsOf` (masked parts, in order) is called
   * only where it is not kept yet.
   */
  savePreamble(
    accountId: Uuid,
    hash: Uint8Array,
    partsOf: () => Promise<readonly PreamblePart[]>,
  ): Promise<void>;
  append(batch: RecordBatch): Promise<{ readonly appended: number }>;
  saveAnswer(answer: AnswerRecord): Promise<void>;
  saveOutcome(outcome: RequestOutcome): Promise<void>;
  /** Sets what the model saw of a request in place of what was kept of it. */
  saveView(accountId: Uuid, requestId: Uuid, view: RequestView): Promise<void>;
  /**
   * Does a piece of what the account's search index waits for; harmless when repeated, and beside other writers. Answers
   * how many items were indexed, and whether more work waits.
   */
  index(accountId: Uuid): Promise<{ readonly indexed: number; readonly more: boolean }>;
  /** The accounts whose index waits for work. */
  accountsToIndex(): Promise<readonly Uuid[]>;
  /** Reads back what is not confirmed yet, compares hashes, sets the mark; returns how many were confirmed. */
  confirm(accountId: Uuid, limit: number): Promise<number>;
}
