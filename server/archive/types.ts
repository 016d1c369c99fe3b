import type {
  AgentName,
  DocId,
  Identity,
  Item,
  ItemKind,
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

export type { DocId, MessageHash, SliceHash, StoredMessage } from '../conversation/index.ts';

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

/** A page of rows and where the next begins; `next` null at the end. */
export interface Page<Row> {
  readonly items: readonly Row[];
  readonly next: string | null;
}

/** A session as lists show it; `head` is the main thread's newest message, null where there is none. */
export interface SessionRow {
  readonly id: Uuid;
  readonly clientSessionId: string | null;
  readonly agent: AgentName;
  readonly agentVersion: string | null;
  readonly title: string;
  readonly project: { readonly id: Uuid; readonly name: string } | null;
  readonly worktree: { readonly id: Uuid; readonly path: string; readonly branch: string | null } | null;
  readonly startedAt: Millis;
  readonly lastSeenAt: Millis;
  readonly turns: number;
  readonly requests: number;
  readonly head: string | null;
  readonly threads: number;
}

/** A row of a session's log: an item or a mark, its text cut where the reader says. */
export interface LogRow {
  readonly seq: number;
  readonly at: Millis;
  readonly kind: ItemKind | NewMark['kind'];
  readonly role: Role | null;
  /** Main line or the sub-agent's id. */
  readonly thread: string;
  readonly docid: DocId | null;
  readonly tool: string | null;
  readonly mainInput: string | null;
  readonly body: string;
  /** Characters of the whole body; `body` may be clipped. */
  readonly length: number;
  readonly durationMs: number | null;
  readonly data: Readonly<Record<string, string | number | boolean | null>> | null;
  /** Number of images and files that hang on the item. */
  readonly media: number;
  readonly callId: string | null;
  readonly isError: boolean;
}

/** Where a text stands in a log. */
export interface LogMatches {
  /** How often it stands there, in how many rows. */
  readonly total: number;
  readonly matched: number;
  /** The rows, oldest first, at most as many as were asked for; `count` is how often it stands in the row. */
  readonly items: readonly { readonly seq: number; readonly docid: DocId | null; readonly count: number }[];
}

/** Another document that is of interest to the reader of one. */
export interface DocumentMention {
  readonly docid: DocId;
  readonly at: Millis;
}

/** That a file which a document shows was changed later. */
export interface FileChange extends DocumentMention {
  /** The file, absolute, and what was done to it. */
  readonly path: string;
  readonly kind: 'write' | 'edit' | 'delete' | 'move';
}

/** Where a document stands in the log of a session. */
export interface DocumentPlace {
  readonly docid: DocId;
  readonly seq: number;
}

/** What an id returns: an item, or a tool call with its result, and what stands around it. */
export interface Document {
  readonly docid: DocId;
  readonly kind: ItemKind;
  readonly role: Role;
  readonly tool: string | null;
  /** A tool call's input as it was sent, as JSON text; null for other kinds. */
  readonly input: string | null;
  /** The text from `offset`; of a tool call: the text of its result. */
  readonly text: string;
  readonly offset: number;
  /** Characters of the whole text. */
  readonly length: number;
  /** The offset at which to read on; null where `text` reaches the end. */
  readonly nextOffset: number | null;
  /** Bytes of the whole stored text and the SHA-256 of these stored bytes. */
  readonly bytes: number;
  readonly sha256: string;
  readonly at: Millis;
  readonly durationMs: number | null;
  readonly sessionId: Uuid;
  readonly seq: number;
  /** Log position of a call's result; null where there is none, and for other kinds. */
  readonly resultSeq: number | null;
  readonly place: { readonly project: string; readonly path: string; readonly branch: string | null } | null;
  readonly masked: boolean;
  readonly confirmed: boolean;
  readonly media: readonly { readonly hash: string; readonly mime: string; readonly bytes: number }[];
  /** Where it is a read of a file: the newest later change of that file in the same worktree. */
  readonly changed?: FileChange;
  /** The newest read of that file after the change. */
  readonly fresh?: DocumentMention;
  /** The sessions whose logs hold it, first seen first: the first twenty, and how many there are. */
  readonly sessions: {
    readonly total: number;
    readonly items: readonly { readonly sessionId: Uuid; readonly title: string; readonly seq: number }[];
  };
  /** The documents before and behind it in the log of `sessionId`. */
  readonly previous: DocumentPlace | null;
  readonly next: DocumentPlace | null;
}

/** A request through a door, as lists show it. */
export interface RequestRow {
  readonly id: Uuid;
  readonly sessionId: Uuid | null;
  readonly thread: string | null;
  readonly door: string;
  readonly path: string;
  readonly kind: RequestKind;
  readonly agent: AgentName;
  readonly model: string | null;
  readonly stream: boolean;
  readonly retry: boolean;
  readonly receivedAt: Millis;
  readonly status: number | null;
  readonly ending: RequestOutcome['ending'] | null;
  readonly headMs: number | null;
  readonly firstByteMs: number | null;
  readonly totalMs: number | null;
  readonly ownMs: number | null;
  readonly requestBytes: number;
  readonly responseBytes: number | null;
  readonly usage: Usage | null;
  readonly error: { readonly type: string; readonly message: string } | null;
  readonly note: string | null;
}

/** What is looked for, and where. Every filter that is given must fit one and the same event of a hit. */
export interface SearchFilter {
  /** Words in any order, `"a phrase"`, `-not`, `prefix*`. */
  readonly q: string;
  readonly sessionId?: Uuid;
  readonly projectId?: Uuid;
  /** A thread as {@link LogRow.thread} spells it: `main`, or the sub-agent's id. */
  readonly thread?: string;
  readonly kinds?: readonly ItemKind[];
  readonly role?: Role;
  /** Name of the tool: of a call, and of the call that a result answers. */
  readonly tool?: string;
  /** A file's path or the end of one (`billing/quota.ts`), of a call and of its result. */
  readonly path?: string;
  /** From this moment on, and before that one. */
  readonly from?: Millis;
  readonly to?: Millis;
  readonly limit: number;
  readonly cursor?: string;
}

/** A document that fits a search, as the newest event that fits the filters shows it. */
export interface SearchHit {
  readonly docid: DocId;
  readonly sessionId: Uuid;
  readonly seq: number;
  readonly sessionTitle: string;
  readonly project: { readonly id: Uuid; readonly name: string } | null;
  readonly thread: string;
  readonly kind: ItemKind;
  readonly role: Role;
  readonly tool: string | null;
  readonly path: string | null;
  readonly at: Millis;
  /** Characters (code points) into the item's own text at which the best match begins. */
  readonly offset: number;
  /** About 300 characters around the match; `marks` are ranges `[start, end)` in UTF-16 units of `text`. */
  readonly snippet: { readonly text: string; readonly marks: readonly (readonly [number, number])[] };
  /** What the hits are ordered by, highest first; comparable inside one answer only. */
  readonly score: number;
}

/** A page of hits, best first. */
export interface SearchAnswer extends Page<SearchHit> {
  /** What a person should know of how the answer came about, in sentences. */
  readonly notes: readonly string[];
}

/** What console and scripts read. Every call is limited to one account in SQL. */
export interface ArchiveReader {
  /**
   * Looks for documents, best first.
   * @throws ContextModeError `bad_request` where the query says nothing to look for, or cannot be read.
   */
  search(accountId: Uuid, filter: SearchFilter): Promise<SearchAnswer>;
  listSessions(
    accountId: Uuid,
    filter: {
      readonly agent?: AgentName;
      readonly projectId?: Uuid;
      readonly text?: string;
      readonly from?: Millis;
      readonly to?: Millis;
      readonly limit: number;
      readonly cursor?: string;
    },
  ): Promise<Page<SessionRow>>;
  getSession(accountId: Uuid, sessionId: Uuid): Promise<SessionRow | null>;
  /**
   * Rows oldest first; with more matches than `limit` the newest are given. `match` is found anywhere: as a pattern of
   * SQL's LIKE with ASCII case ignored, or with `matchMode` `literal` as it is written, in capitals or not.
   */
  readLog(
    accountId: Uuid,
    sessionId: Uuid,
    filter: {
      readonly match?: string;
      readonly matchMode?: 'like' | 'literal';
      readonly kinds?: readonly string[];
      readonly before?: number;
      readonly after?: number;
      readonly limit: number;
      readonly clip: number;
    },
  ): Promise<{ readonly matched: number; readonly showing: number; readonly rows: readonly LogRow[] }>;
  readEvent(accountId: Uuid, sessionId: Uuid, seq: number): Promise<LogRow | null>;
  /** Where a text stands in a session's log, as it is written, in capitals or not. */
  findMatches(
    accountId: Uuid,
    sessionId: Uuid,
    filter: { readonly text: string; readonly after?: number; readonly limit: number },
  ): Promise<LogMatches>;
  /** A unique prefix of an id is enough; an ambiguous one gives its candidates. */
  readDocument(
    accountId: Uuid,
    docid: string,
    part: { readonly offset?: number; readonly length?: number },
  ): Promise<
    { readonly found: Document } | { readonly ambiguous: readonly DocId[] } | { readonly missing: true }
  >;
  /** The exact stored bytes of a document's text. */
  readRaw(accountId: Uuid, docid: string): Promise<Uint8Array | null>;
  /** A part of these bytes, and how many there are; ids as for `readDocument`. */
  readBytes(
    accountId: Uuid,
    docid: string,
    part: { readonly offset: number; readonly length: number },
  ): Promise<
    | { readonly found: { readonly docid: DocId; readonly bytes: Uint8Array; readonly total: number } }
    | { readonly ambiguous: readonly DocId[] }
    | { readonly missing: true }
  >;
  readBlob(
    accountId: Uuid,
    hash: string,
  ): Promise<{ readonly mime: string; readonly bytes: Uint8Array } | null>;
  listRequests(
    accountId: Uuid,
    filter: { readonly sessionId?: Uuid; readonly limit: number; readonly cursor?: string },
  ): Promise<Page<RequestRow>>;
  getRequest(accountId: Uuid, requestId: Uuid): Promise<RequestRow | null>;
  listProjects(
    accountId: Uuid,
  ): Promise<readonly { readonly id: Uuid; readonly name: string; readonly sessions: number }[]>;
  /** A session as JSON Lines, one object a line, header first; enough to rebuild it with the same ids. */
  exportSession(accountId: Uuid, sessionId: Uuid): AsyncIterable<string>;
  /** Removes a session really: events, then what no event refers to. Recorded in the audit without content. */
  deleteSession(accountId: Uuid, sessionId: Uuid, at: Millis): Promise<boolean>;
  /** Per agent, the last request that came through a door; and the newest requests that the provider refused. */
  connections(accountId: Uuid): Promise<
    readonly {
      readonly agent: AgentName;
      readonly agentVersion: string | null;
      readonly lastSeenAt: Millis;
      readonly requests: number;
      readonly lastStatus: number | null;
      readonly lastError: { readonly type: string; readonly message: string } | null;
    }[]
  >;
}

/** What became of a session that an import brought. */
export interface ImportedSession {
  readonly id: Uuid;
  readonly title: string;
  /** `imported`: it is new; `extended`: it was there, and more of it came; `present`: all of it was there. */
  readonly state: 'imported' | 'extended' | 'present';
  /** Events that were written. */
  readonly events: number;
}

/** How sessions are carried from one archive into another. */
export interface ArchiveTransfer {
  /**
   * Takes sessions in from the lines of exports, one behind the other, each in a transaction of its own. Ids stay what
   * they are; what is there already is not written again. A session that was made under another key is refused, or with
   * `foreign` taken as it is: it can be read, and its agent's next request begins a session of its own.
   * @throws ContextModeError `bad_request` or `conflict` that names the line; the sessions before it are in
   */
  importSessions(
    accountId: Uuid,
    lines: AsyncIterable<string>,
    options: { readonly foreign: boolean },
  ): AsyncGenerator<ImportedSession>;
  /** The key that ids, hashes and masks of the account are made with (32 bytes): secret. */
  readKey(accountId: Uuid): Promise<Uint8Array>;
  /**
   * Makes a key that was read elsewhere the account's own. `same`: it was already.
   * @throws ContextModeError `conflict` where the account holds anything, `bad_request` where it is no key
   */
  takeKey(accountId: Uuid, key: Uint8Array): Promise<'taken' | 'same'>;
}
