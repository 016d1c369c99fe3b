import { type AgentName, hexOf, type MessageHash } from '../../conversation/index.ts';
import { columnName } from '../../kernel/column-text.ts';
import type { FrozenChoices, LayoutContent, ThreadName } from '../stored.ts';

/** Characters of a thread's name that are kept as they are: with the session's it must fit into one index row. */
const THREAD_CHARS = 100;

/** A thread's name as its columns hold it; the session's as the archive has it. */
export interface NameColumns {
  readonly agent: AgentName;
  readonly session: string;
  readonly thread: string;
}

/** A thread's name for its columns. */
export function nameColumns({ agent, session, thread }: ThreadName): NameColumns {
  return { agent, session: columnName(session), thread: columnName(thread, THREAD_CHARS) };
}

/** What stands in the place of the older part, as its column holds it: hashes in hex. */
export interface ContentColumn extends Omit<LayoutContent, 'boundary' | 'boundaryMessage' | 'runningTyped'> {
  readonly boundary: string;
  readonly boundaryMessage: string;
  readonly runningTyped: string | null;
}

/** The text of the column; null: the client's own bytes. */
export function contentText(content: LayoutContent | null): string | null {
  return content === null ? null : JSON.stringify(contentColumn(content));
}

/** A layout's content with its hashes in hex. */
export function contentColumn(content: LayoutContent): ContentColumn {
  const { boundary, boundaryMessage, runningTyped } = content;
  return {
    ...content,
    boundary: hexOf(boundary),
    boundaryMessage: hexOf(boundaryMessage),
    runningTyped: runningTyped === null ? null : hexOf(runningTyped),
  };
}

/** The content that {@link contentColumn} was made of. */
export function contentOf(column: ContentColumn | null): LayoutContent | null {
  if (column === null) return null;
  return {
    ...column,
    boundary: hashOf(column.boundary),
    boundaryMessage: hashOf(column.boundaryMessage),
    runningTyped: column.runningTyped === null ? null : hashOf(column.runningTyped),
  };
}

/** The text of the column of choices. */
export function choicesText({ tool, trimming, memory, facts = [] }: FrozenChoices): string {
  return JSON.stringify({ tool, trimming, memory, ...(facts.length === 0 ? {} : { facts }) });
}

/** A hash from its hex digits. */
export function hashOf(hex: string): MessageHash {
  return Buffer.from(hex, 'hex') as Uint8Array as MessageHash;
}
