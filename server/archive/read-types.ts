import type { AgentName, DocId, ItemKind, RequestKind, Role, Usage } from '../conversation/index.ts';
import type { Millis } from '../kernel/clock.ts';
import type { Uuid } from '../kernel/ids.ts';
import type { NewMark, RequestOutcome } from './record-types.ts';
import type { RequestView } from './view.ts';

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

/** A request by itself. */
export interface RequestDetail extends RequestRow {
  /** What the model saw of it; null: what its client sent, and nothing was to be changed. */
  readonly view: RequestView | null;
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
  getRequest(accountId: Uuid, requestId: Uuid): Promise<RequestDetail | null>;
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
