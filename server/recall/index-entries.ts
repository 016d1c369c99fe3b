import type { DocId } from '../conversation/index.ts';

/** What the index tells of the older part, in the order of the conversation. */
export type IndexEntry = TypedEntry | CallEntry | AnswerEntry | MediaEntry;

interface Common {
  /** Number of the turn that it belongs to; never falls. */
  readonly turn: number;
  readonly docid: DocId;
}

/** Words that a person typed: the client's own text of this request, not masked. */
export interface TypedEntry extends Common {
  readonly kind: 'typed';
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly text: string;
}

/** A call of a tool. */
export interface CallEntry extends Common {
  readonly kind: 'call';
  readonly tool: string;
  /** The one input that a reader wants to see; null where there is none. */
  readonly mainInput: string | null;
  /** A path or a URL stands bare, everything else in double quotes. */
  readonly bare: boolean;
  readonly failed: boolean;
  /** What a sub-agent brought back; null for other tools. */
  readonly result: string | null;
}

/** A text of the assistant. */
export interface AnswerEntry extends Common {
  readonly kind: 'answer';
  readonly text: string;
}

/** An image or a file that a person attached. */
export interface MediaEntry extends Common {
  readonly kind: 'media';
  readonly at: number;
  readonly mime: string;
}
