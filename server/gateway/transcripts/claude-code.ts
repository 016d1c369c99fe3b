import type { PlaceClaim } from '../../conversation/index.ts';
import { Books } from './books.ts';
import { asideOf } from './claude-aside.ts';
import { type ClaudeNode, idsIn, partsOf, preservedBy } from './claude-node.ts';
import { messagesOfTree } from './claude-tree.ts';
import { LineObject } from './line.ts';
import type { FileLine, Transcript, TranscriptReader, TranscriptThread } from './types.ts';

/** Types of lines that hold the agent's own books and nothing of the conversation (Claude Code 2.1.197). */
const BOOKS: ReadonlySet<string> = new Set([
  'agent-color',
  'agent-name',
  'agent-setting',
  'ai-title',
  'attribution-snapshot',
  'content-replacement',
  'custom-title',
  'file-history-snapshot',
  'last-prompt',
  'mode',
  'permission-mode',
  'pr-link',
  'progress',
  'queue-operation',
  'summary',
  'tag',
  'task-summary',
  'worktree-state',
]);

const OWN_BOOKS = "lines of the agent's own books";
const API_ERROR = 'errors of the provider that the agent shows as answers and does not send';

/** Reads the files of one session of Claude Code: its own, and one for each sub-agent. */
export class ClaudeReader implements TranscriptReader {
  readonly #books = new Books();
  /** By sub-agent; the main line under an empty name. */
  readonly #threads = new Map<string, ClaudeNode[]>();
  readonly #known = new Set<string>();
  #session: string | null = null;
  #heldBytes = 0;
  #version: string | null = null;
  #folder: string | null = null;
  #branch: string | null = null;

  get heldBytes(): number {
    return this.#heldBytes;
  }

  take({ file, number, bytes }: FileLine): void {
    const fault = bytes === null ? 'The line is too long.' : this.#read(bytes);
    if (fault !== null) this.#books.fault(file, number, fault);
  }

  end(): Transcript | null {
    if (this.#session === null) return null;
    const threads = [...this.#threads].flatMap(([name, nodes]): TranscriptThread[] =>
      (name === UNNAMED ? treesOf(nodes) : [[name, nodes] as const]).map(([id, own]) => ({
        clientThreadId: id === '' ? null : id,
        parentThreadId: null,
        messages: messagesOfTree(own),
      })),
    );
    const { leftOut, faults } = this.#books;
    return {
      agent: 'claude-code',
      agentVersion: this.#version,
      clientSessionId: this.#session,
      place: this.#place(),
      threads,
      leftOut,
      faults,
    };
  }

  /** Takes a line in; a text says why it cannot be read. */
  #read(bytes: Uint8Array): string | null {
    const line = LineObject.read(bytes);
    if (line === null) return 'The line is not whole, or no JSON.';
    const type = line.text('type') ?? '';
    const uuid = line.text('uuid');
    if (uuid === null) {
      this.#books.leaveOut(whyNot(type));
      return null;
    }
    // A line that was written twice.
    if (this.#known.has(uuid)) return null;
    const node = this.#nodeOf(line, type, uuid);
    if (node === null) return 'The line holds no message.';
    this.#known.add(uuid);
    this.#heldBytes += node.parts.reduce((sum, part) => sum + part.length, 0);
    this.#about(line);
    const thread = threadOf(line);
    this.#threads.set(thread, push(this.#threads.get(thread) ?? [], node));
    return null;
  }

  #nodeOf(line: LineObject, type: string, uuid: string): ClaudeNode | null {
    const node: ClaudeNode = {
      kind: 'passed',
      uuid,
      parentUuid: line.text('parentUuid'),
      at: line.time('timestamp'),
      parts: [],
      answerId: null,
      calls: [],
      results: [],
      preserved: null,
    };
    if (type === 'user' || type === 'assistant') return this.#said(line, type, node);
    if (type === 'attachment') {
      const aside = asideOf(line.raw('attachment'));
      if (typeof aside === 'string') {
        this.#books.leaveOut(aside);
        return node;
      }
      return { ...node, kind: 'aside', parts: [aside] };
    }
    if (type === 'system' && line.text('subtype') === 'compact_boundary')
      return { ...node, kind: 'boundary', parentUuid: null, preserved: preservedBy(line) };
    this.#books.leaveOut(whyNot(type));
    return node;
  }

  #said(line: LineObject, type: 'user' | 'assistant', node: ClaudeNode): ClaudeNode | null {
    const message = line.object('message');
    if (message === null) return null;
    if (line.flag('isApiErrorMessage')) {
      this.#books.leaveOut(API_ERROR);
      return node;
    }
    const parts = partsOf(message);
    if (type === 'user')
      return { ...node, kind: 'user', parts, results: idsIn(parts, 'tool_result', 'tool_use_id') };
    return {
      ...node,
      kind: 'assistant',
      parts,
      answerId: message.text('id'),
      calls: idsIn(parts, 'tool_use', 'id'),
    };
  }

  /** The newest name of the session counts: older versions began a file with the lines of the session before. */
  #about(line: LineObject): void {
    this.#session = line.text('sessionId') ?? this.#session;
    this.#version = line.text('version') ?? this.#version;
    this.#folder ??= line.text('cwd');
    this.#branch = line.text('gitBranch') ?? this.#branch;
  }

  #place(): PlaceClaim {
    return {
      folder: this.#folder,
      root: null,
      remoteUrl: null,
      branch: this.#branch === '' || this.#branch === 'HEAD' ? null : this.#branch,
      commit: null,
      isRepository: null,
    };
  }
}

/** Why a line of this type is left out. */
function whyNot(type: string): string {
  if (BOOKS.has(type) || type === 'system') return OWN_BOOKS;
  return `lines of a kind that is not known (${type === '' ? 'without a type' : type})`;
}

/** Sub-agents of older versions stand in the session's own file and name no id. */
const UNNAMED = '?';

function threadOf(line: LineObject): string {
  if (!line.flag('isSidechain')) return '';
  return line.text('agentId') ?? UNNAMED;
}

function push<Value>(list: Value[], value: Value): Value[] {
  list.push(value);
  return list;
}

/** Lines of sub-agents that name no id, apart by the line that each begins with, which then names it. */
function treesOf(nodes: readonly ClaudeNode[]): readonly (readonly [string, readonly ClaudeNode[]])[] {
  const tops = new Map<string, string>();
  const trees = new Map<string, ClaudeNode[]>();
  for (const node of nodes) {
    const top = (node.parentUuid === null ? undefined : tops.get(node.parentUuid)) ?? node.uuid;
    tops.set(node.uuid, top);
    trees.set(top, push(trees.get(top) ?? [], node));
  }
  return [...trees];
}
