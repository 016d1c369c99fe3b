import type { ItemKind, Role } from '../conversation/index.ts';
import type { Millis } from '../kernel/clock.ts';
import type { Uuid } from '../kernel/ids.ts';
import type { RecallSettings } from './limits.ts';
import type { FrozenChoices, GenerationReason } from './stored.ts';

/** A generation of a session's thread as a list shows it. Hashes are in hex. */
export interface LayoutRow {
  /** The mark of the place at which it was made: its name inside the account. */
  readonly message: string;
  /** `main`, or the sub-agent's id. */
  readonly thread: string;
  readonly reason: GenerationReason;
  readonly at: Millis;
  /** Estimated tokens of the prompt before and after. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** What stands in the place of the older part; null: the client's own bytes. */
  readonly content: {
    /** Oldest message of the recent part, and where it stands in the session's log (null: it is not in it). */
    readonly boundary: string;
    readonly boundarySeq: number | null;
    readonly indexTokens: number;
    readonly hasMemory: boolean;
    readonly settings: RecallSettings;
    readonly renderer: number;
  } | null;
  readonly choices: Pick<FrozenChoices, 'tool' | 'trimming'>;
}

/** A generation with the texts of ours in it. */
export interface LayoutDetail extends LayoutRow {
  /** The index; typed words as the archive holds them. Null: no layout, or typed words of it were deleted. */
  readonly index: string | null;
  /** Documents whose typed words are masked here and were sent as they were typed. */
  readonly masked: number;
  readonly memory: string | null;
  /** Messages in front of the boundary. */
  readonly left: number;
}

/** A message of a request's chain. */
export interface ChainMessage {
  /** Its hash in hex. */
  readonly hash: string;
  readonly items: number;
  /** Bytes of its stored texts. */
  readonly bytes: number;
}

/** An item of a message, its text cut. */
export interface ShownItem {
  readonly docid: string;
  readonly kind: ItemKind;
  readonly tool: string | null;
  readonly mainInput: string | null;
  readonly isError: boolean;
  readonly text: string;
  /** Characters of the whole text. */
  readonly length: number;
  readonly masked: boolean;
  readonly media: number;
}

/** A message with its items. */
export interface ShownMessage {
  readonly hash: string;
  readonly role: Role;
  readonly at: Millis;
  readonly items: readonly ShownItem[];
}

/** A call of our tool, and what it was answered; null: the record holds no answer. */
export interface ShownCall {
  readonly input: string;
  readonly result: string | null;
}

/** What the list of requests says about one. */
export interface RequestMark {
  /** The model saw something else than the client sent. */
  readonly edited: boolean;
  /** Why this request made a layout, or null. */
  readonly made: string | null;
  /** Why it went out unchanged although something was to change, or null. */
  readonly unedited: string | null;
}

/** Requests that went out as they came because a step of Recall failed. */
export interface RecallFailures {
  readonly count: number;
  readonly newest: {
    readonly requestId: Uuid;
    readonly at: Millis;
    readonly reason: string;
    readonly detail: string;
  } | null;
}

/** What the console reads of layouts and views. Every call is of one account. */
export interface RecallReader {
  /** The generations of a session, newest first. */
  layouts(accountId: Uuid, sessionId: Uuid): Promise<readonly LayoutRow[]>;
  /** One of them by its message (hex); null: there is none. */
  layout(accountId: Uuid, sessionId: Uuid, message: string): Promise<LayoutDetail | null>;
  /** The messages that a request's client sent, oldest first; those above a gap in the archive are missing. */
  chain(accountId: Uuid, requestId: Uuid): Promise<readonly ChainMessage[]>;
  /** Messages with their items, in the order of the given hashes (hex); texts cut to `clip` characters. */
  messages(accountId: Uuid, hashes: readonly string[], clip: number): Promise<readonly ShownMessage[]>;
  /** The calls of a hidden round's record, as they were sent; empty where its content was deleted. Null: there is none. */
  hiddenRound(accountId: Uuid, record: Uuid): Promise<readonly ShownCall[] | null>;
  /** What is to be said about requests in a list; those without a view are missing. */
  marks(accountId: Uuid, requestIds: readonly Uuid[]): Promise<ReadonlyMap<Uuid, RequestMark>>;
  /** Requests since a moment that a failed step left unedited. */
  failures(accountId: Uuid, since: Millis): Promise<RecallFailures>;
}
