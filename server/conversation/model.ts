/**
 * The words that every protocol is turned into. Pure data: nothing here knows HTTP, SQL or an agent.
 *
 * Strings are JavaScript strings as JSON gave them: they may hold NUL characters and lone surrogates, and nothing is
 * trimmed or normalised.
 */

/** What an item is to a reader. `input` is what a person typed; `injected` is text that the agent put beside it. */
export type ItemKind =
  | 'input'
  | 'injected'
  | 'system'
  | 'answer'
  | 'reasoning'
  | 'tool_call'
  | 'tool_result'
  | 'image'
  | 'file'
  | 'compaction'
  | 'unknown';

/** Who a message is from, in the words of the provider. */
export type Role = 'user' | 'assistant' | 'system' | 'developer' | 'tool' | 'unknown';

/** The tool side of a call or of a result. */
export interface ToolLink {
  /** The provider's id that links call and result (`tool_use` id, `call_id`). */
  readonly callId: string;
  /** Name of the tool; null on a result, which does not repeat it. */
  readonly name: string | null;
  /** Namespace of the name where the protocol has one (Codex), else null. */
  readonly namespace: string | null;
  /** On a result: the agent marked it as an error. False on calls. */
  readonly isError: boolean;
}

/** Binary content that stands inside a part, decoded. */
export interface Media {
  readonly mime: string;
  readonly bytes: Uint8Array;
}

/** One part of a message. */
export interface Item {
  readonly kind: ItemKind;
  /** The readable text: typed words, answer, thinking, the text of a result, the raw JSON of a call's input. */
  readonly text: string;
  /** The part's own JSON bytes where `text` and the links do not say everything; null where they do. Media left out. */
  readonly body: Uint8Array | null;
  readonly tool: ToolLink | null;
  /** On a call: the one input a reader wants on one line (command, path, query), at most 500 characters. */
  readonly mainInput: string | null;
  /** On a call of a file tool: the path as the agent gave it. */
  readonly path: string | null;
  readonly media: readonly Media[];
}

/** One element of the conversation as the protocol lists it (an entry of `messages`; an entry of `input`). */
export interface Message {
  readonly role: Role;
  readonly items: readonly Item[];
  /**
   * What stays the same when the agent sends the message again, as bytes to hash: cache marks, thinking and
   * provider bookkeeping left out, a bare string equal to one text part, object keys sorted, numbers as written.
   */
  readonly canonical: Uint8Array;
  /** True where the canonical content is empty (only reasoning): the message then takes no place in the chain. */
  readonly transparent: boolean;
}

/** A byte range `[start, end)` of a body. */
export interface Slice {
  readonly start: number;
  readonly end: number;
}

/** The agents that are told apart. */
export type AgentName = 'claude-code' | 'codex' | 'opencode' | 'pi' | 'unknown';

/** What a request is for. Only `main` and `subagent` are turns; the others are side requests. */
export type RequestKind =
  | 'main'
  | 'subagent'
  | 'title'
  | 'web_search'
  | 'suggestion'
  | 'compaction'
  | 'count'
  | 'prewarm'
  | 'other';

/** Where the agent says that it works. All fields as stated; null where it said nothing. */
export interface PlaceClaim {
  readonly folder: string | null;
  /** Root of the repository or worktree, where the agent names it (Codex). */
  readonly root: string | null;
  readonly remoteUrl: string | null;
  readonly branch: string | null;
  readonly commit: string | null;
  readonly isRepository: boolean | null;
}

/** Who sent a request and what it belongs to. */
export interface Identity {
  readonly agent: AgentName;
  readonly agentVersion: string | null;
  /** The conversation as the agent names it; null: it cannot be placed by name. */
  readonly clientSessionId: string | null;
  /** The thread inside it: null for the main line, else the agent's id of the sub-agent. */
  readonly clientThreadId: string | null;
  readonly parentThreadId: string | null;
  readonly kind: RequestKind;
  readonly place: PlaceClaim;
  /** Why the identity is not certain; null: it is. */
  readonly uncertain: string | null;
}

/** Tokens of one upstream call in disjoint buckets, as the provider reported them; null: it did not say. */
export interface Usage {
  readonly input: number | null;
  readonly cacheRead: number | null;
  readonly cacheWrite5m: number | null;
  readonly cacheWrite1h: number | null;
  /** Written to the cache with a lifetime that was not named. */
  readonly cacheWriteOther: number | null;
  /** Output without reasoning. */
  readonly output: number | null;
  readonly reasoning: number | null;
}
