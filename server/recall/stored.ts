import type { AgentName, DocId, MessageHash } from '../conversation/index.ts';
import type { Millis } from '../kernel/clock.ts';
import type { Uuid } from '../kernel/ids.ts';
import type { RecallSettings } from './limits.ts';
import type { LayoutReason, MomentState } from './moments.ts';

/**
 * A thread as its agent names it: the same on every gateway, and known before anything of it is stored. What comes from the
 * store has names as they are kept: secrets in them masked, long ones cut.
 */
export interface ThreadName {
  readonly agent: AgentName;
  readonly session: string;
  /** Empty for the main line. */
  readonly thread: string;
}

/** What a conversation is sent with from its first request, so that its prefix never changes under the cache. */
export interface FrozenChoices {
  /** Version of our tool's definition; null: the conversation has no tool of ours. */
  readonly tool: number | null;
  /** Version of the rules by which outputs are trimmed; null: they are not. */
  readonly trimming: number | null;
  /** The memory block; null: there is none. */
  readonly memory: string | null;
  /** The facts that stand in it: what takes one of them back for good takes the block. Left out: none. */
  readonly facts?: readonly Uuid[];
}

/** How a conversation began, told by its newest message when its first request came. */
export interface Beginning {
  readonly thread: ThreadName;
  readonly began: MessageHash;
  readonly choices: FrozenChoices;
}

/** A piece of a stored index: text of ours, or a range (UTF-16 units) of what a person typed in a document. */
export type IndexPiece = string | { readonly docid: DocId; readonly start: number; readonly end: number };

/** What a layout puts in the place of the older part. */
export interface LayoutContent {
  /** Where the recent part begins, by the mark of that place, and the archive's message there. */
  readonly boundary: MessageHash;
  readonly boundaryMessage: MessageHash;
  /** The mark of the running turn's typed message where the boundary stands behind it; it stays in view. */
  readonly runningTyped: MessageHash | null;
  readonly renderer: number;
  /** The index: its pieces, the SHA-256 of its text, and its estimated tokens. */
  readonly index: readonly IndexPiece[];
  readonly indexHash: string;
  readonly indexTokens: number;
  readonly memory: string | null;
  /** The facts that stand in it. Left out: none. */
  readonly facts?: readonly Uuid[];
  readonly cacheMark: '5m' | '1h' | null;
  readonly settings: RecallSettings;
}

/** Why bytes that were sent before changed. `fallback`: a provider refused the form before; `unseen`: an answer was given that nobody saw produced. */
export type GenerationReason = LayoutReason | 'person' | 'undo' | 'too_large' | 'fallback' | 'unseen';

/**
 * An act by which the provider's view changed. In force for a request is the newest one whose message is in the request's
 * own chain.
 */
export interface Generation {
  /** The mark of the newest message of the request at which it was made. One generation a place: who comes second takes the first's. */
  readonly madeAt: MessageHash;
  readonly reason: GenerationReason;
  /** What stands in the place of the older part; null: the client's own bytes. */
  readonly layout: LayoutContent | null;
  readonly choices: FrozenChoices;
  readonly thread: ThreadName;
  readonly at: Millis;
  /** Estimated tokens of the prompt before and after. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** Hidden rounds of one delivered answer, as they are sent again. */
export interface HiddenRecord {
  readonly id: Uuid;
  /**
   * The request that the answer was given to: the archive knows by it which messages the answer became, so that a fork keeps
   * the rounds when the session that it was forked from is deleted. Left out: it is not known.
   */
  readonly request?: Uuid;
  readonly protocol: 'anthropic' | 'openai';
  readonly thread: ThreadName;
  /** What it is found by: the chain before the answer (Anthropic), the keys of the items around it (Responses). */
  readonly anchors: readonly string[];
  /** Documents that results in it show: when one is deleted, the record's content goes too. */
  readonly documents: readonly DocId[];
  /** The adapter's own record of it; null: its content was deleted. */
  readonly data: unknown;
  readonly at: Millis;
}

/** What a person switched on, merged from account, project and session; the nearest that says something counts. */
export interface RecallSwitches extends RecallSettings {
  readonly recall: boolean;
  readonly tool: boolean;
  readonly trimming: boolean;
  /** Turns are learned from, and new conversations get facts. */
  readonly memory: boolean;
  /** While true no new layout is made; what is in force stays. */
  readonly paused: boolean;
}

/** A message's item as an index and a boundary need it; texts are the archive's own (masked), cut. */
export interface ChainItem {
  readonly message: MessageHash;
  readonly position: number;
  readonly docid: DocId;
  readonly kind: string;
  readonly tool: string | null;
  readonly callId: string | null;
  readonly isError: boolean;
  readonly mainInput: string | null;
  readonly path: string | null;
  /**
   * At most the first 400 characters of what an index may show: typed words, an assistant's text, what a sub-agent brought
   * back. Empty for all else.
   */
  readonly text: string;
  /** Of an image or a file. */
  readonly mime: string | null;
  readonly confirmed: boolean;
  /** When its message was first seen; null where no index tells it: of all but typed words, images and files. */
  readonly at: Millis | null;
}

/** What a gateway remembers of a thread between its requests, so that whoever gets the next one decides alike. */
export interface ThreadState {
  /** When its newest request came. */
  readonly lastAt: Millis;
  readonly moment: MomentState;
  /** How the provider counts: its tokens for each estimated one, and what that rests on; null: it has said nothing yet. */
  readonly calibration: { readonly factor: number; readonly weight: number } | null;
  /** What the provider counted of the newest answered request: how many elements it had, under which generation. */
  readonly counted: {
    readonly elements: number;
    readonly madeAt: string | null;
    readonly prompt: number;
    readonly answer: number;
  } | null;
  /** The provider refused what was put together: nothing new is made in it. */
  readonly isResting: boolean;
}

/** The side of the store that the gateway works with. Every call is of one account. Throws where the store does not answer. */
export interface RecallStore {
  /** Beginnings whose message is in a chain, and those of a thread by its name, newest last. */
  beginnings(
    accountId: Uuid,
    thread: ThreadName,
    chain: readonly MessageHash[],
  ): Promise<readonly Beginning[]>;
  /** Keeps a beginning; one that is there already stays. Committed when it resolves. */
  keepBeginning(accountId: Uuid, beginning: Beginning, at: Millis): Promise<void>;
  /** Generations that were made at messages of a chain, in no order. */
  generations(accountId: Uuid, chain: readonly MessageHash[]): Promise<readonly Generation[]>;
  /** Keeps a generation and gives the one that holds at its message: this one, or another's that was first. Committed when it resolves. */
  keepGeneration(accountId: Uuid, generation: Generation): Promise<Generation>;
  /** Hidden rounds by what they are found by, oldest first. */
  hidden(accountId: Uuid, anchors: readonly string[]): Promise<readonly HiddenRecord[]>;
  /** Keeps hidden rounds; a record with the same id is replaced. Committed when it resolves. */
  keepHidden(accountId: Uuid, record: HiddenRecord): Promise<void>;
  /**
   * Which of these messages are answers to requests of a thread, from a moment on, that went out as they were meant to,
   * as far as the archive has them already.
   */
  answered(
    accountId: Uuid,
    thread: ThreadName,
    since: Millis,
    messages: readonly MessageHash[],
  ): Promise<readonly MessageHash[]>;
  /** The newest state of a thread; null: none was kept. */
  threadState(accountId: Uuid, thread: ThreadName): Promise<ThreadState | null>;
  /** Keeps a thread's state, unless a newer one is there. The version stays as it is. */
  keepThreadState(accountId: Uuid, thread: ThreadName, state: ThreadState): Promise<void>;
  /** Changes whenever anything of these was written or deleted by whatever gateway. */
  version(accountId: Uuid): Promise<string>;
  /** True where nothing of these was ever kept for the account, or all of it was deleted. */
  isUntouched(accountId: Uuid): Promise<boolean>;
  /** True where Recall is off for the account, and on for no project and no session of it. */
  isOffThroughout(accountId: Uuid): Promise<boolean>;
  /**
   * What holds for a thread's session: its project is told by the session where the archive knows it, else by the folder
   * in which the agent says that it works.
   */
  switches(accountId: Uuid, thread: ThreadName, folder?: string | null): Promise<RecallSwitches>;
  /** All items that the archive holds of messages, in the order of the given hashes, then by position. */
  chainItems(accountId: Uuid, messages: readonly MessageHash[]): Promise<readonly ChainItem[]>;
  /** The account's key (32 bytes), as hashes of its messages and marks are made with it. */
  key(accountId: Uuid): Promise<Uint8Array>;
  /** The root of the chain of a thread's session: by the project that the archive has it in; null: no such session yet. */
  rootOf(accountId: Uuid, thread: ThreadName): Promise<MessageHash | null>;
}
