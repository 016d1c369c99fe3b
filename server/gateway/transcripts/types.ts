import type { AgentName, PlaceClaim } from '../../conversation/index.ts';
import type { Millis } from '../../kernel/clock.ts';

/** The agents whose own files are read. */
export type TranscriptAgent = Extract<AgentName, 'claude-code' | 'codex'>;

/** A line of a file of an agent, without its end. */
export interface FileLine {
  /** The file as the person knows it, for what is told of it. */
  readonly file: string;
  /** From 1. */
  readonly number: number;
  /** Null: longer than any line that is read. */
  readonly bytes: Uint8Array | null;
}

/** Something that stands beside the chain: the agent put it there, or its place is not known. */
export interface BesideElement {
  readonly element: Uint8Array;
  readonly at: Millis | null;
}

/**
 * A message of a transcript as its agent would send it. Messages are a forest: each names the one that it goes on from,
 * and those behind which nothing stands are the ends of branches.
 */
export interface TranscriptMessage {
  /** Null: the first of a chain (of the session, or behind a compaction). */
  readonly parent: TranscriptMessage | null;
  /** The JSON of one entry of `messages` or `input`. */
  readonly element: Uint8Array;
  /** When the agent wrote it down; null where it says none that can be read. */
  readonly at: Millis | null;
  readonly beside: readonly BesideElement[];
  /** True for the first message behind a compaction by the agent. */
  readonly compacted: boolean;
}

/** A main line or a sub-agent's. */
export interface TranscriptThread {
  /** Null: the main line. */
  readonly clientThreadId: string | null;
  readonly parentThreadId: string | null;
  /** Parents before children. */
  readonly messages: readonly TranscriptMessage[];
}

/** What was not taken over, in words for a person, and how often. */
export type LeftOut = ReadonlyMap<string, number>;

/** A line that could not be read. */
export interface LineFault {
  readonly file: string;
  readonly line: number;
  readonly reason: string;
}

/** A session as an agent's files have it. */
export interface Transcript {
  readonly agent: TranscriptAgent;
  readonly agentVersion: string | null;
  readonly clientSessionId: string;
  readonly place: PlaceClaim;
  readonly threads: readonly TranscriptThread[];
  readonly leftOut: LeftOut;
  readonly faults: readonly LineFault[];
}

/** Reads the lines of the files of one session, one behind the other. */
export interface TranscriptReader {
  /** Bytes of messages that are held. */
  readonly heldBytes: number;
  take(line: FileLine): void;
  /** The session; null where no line of the files names one. */
  end(): Transcript | null;
}

/** What became of a session whose files were read. */
export interface ImportedTranscript {
  /** Id in the archive. */
  readonly id: string;
  readonly clientSessionId: string;
  /** `imported`: it was not there; `extended`: more of it came; `present`: all of it was there. */
  readonly state: 'imported' | 'extended' | 'present';
  /** Messages of the files, and how many of them are new in the archive. */
  readonly messages: number;
  readonly added: number;
  readonly leftOut: readonly { readonly what: string; readonly count: number }[];
  /** The first of them, at most 20. */
  readonly faults: readonly LineFault[];
}
