import { NOTHING_DUE, type ThreadName } from '../../recall/index.ts';
import { type Deadline, Late, type ThreadMemory } from './types.ts';

/** Bytes of requests that are remembered, as they are in memory: decoded, with what was read of them. */
const REMEMBERED_BYTES = 96 * 1024 * 1024;
/** Bytes that what was read of an element takes, about. */
const ELEMENT_BYTES = 1_024;
/** Threads that are remembered, whatever their size. */
const REMEMBERED_THREADS = 2_000;

/** The threads of a process; those that were used longest ago are forgotten first. */
export class Threads {
  readonly #threads = new Map<string, ThreadMemory>();
  readonly #limitBytes: number;

  constructor(limitBytes = REMEMBERED_BYTES) {
    this.#limitBytes = limitBytes;
  }

  /** The memory of a thread, made where there is none. */
  of(accountId: string, name: ThreadName): ThreadMemory {
    const key = keyOf(accountId, name);
    const memory = this.#threads.get(key) ?? emptyMemory(name);
    this.#threads.delete(key);
    this.#threads.set(key, memory);
    this.#forget(memory);
    return memory;
  }

  /** The memory of a thread; null: it has sent nothing to this process lately. */
  known(accountId: string, name: ThreadName): ThreadMemory | null {
    return this.#threads.get(keyOf(accountId, name)) ?? null;
  }

  /** Forgets all of them: something that they stand on was deleted. */
  clear(): void {
    this.#threads.clear();
  }

  #forget(kept: ThreadMemory): void {
    let bytes = 0;
    for (const memory of this.#threads.values()) bytes += bytesOf(memory);
    for (const [key, memory] of this.#threads) {
      if (bytes <= this.#limitBytes && this.#threads.size <= REMEMBERED_THREADS) break;
      if (memory === kept) continue;
      bytes -= bytesOf(memory);
      this.#threads.delete(key);
    }
  }
}

/**
 * Does a thread's work behind what it does already. Where that takes longer than the deadline allows, the request has gone
 * out as it came: then its answer is one that no generation describes.
 */
export async function inTurn<Result>(
  memory: ThreadMemory,
  deadline: Deadline,
  work: () => Promise<Result>,
): Promise<Result> {
  const before = memory.turn;
  const mine = before.then(async () => {
    try {
      if (deadline.isOver) throw new Late('the thread was busy until the time was over');
      return await work();
    } catch (thrown) {
      memory.isUnseen ||= deadline.standing === null || deadline.hasCommitted;
      throw thrown;
    } finally {
      // What went out under what stands is described by that, unless something else was committed meanwhile.
      memory.isUnseen ||= deadline.isOver && (deadline.standing === null || deadline.hasCommitted);
    }
  });
  memory.turn = mine.catch(() => undefined);
  return mine;
}

function bytesOf({ conversation, latest }: ThreadMemory): number {
  if (conversation === null) return latest?.body.byteLength ?? 0;
  const other = latest === null || latest.body === conversation.body ? 0 : latest.body.byteLength;
  return conversation.body.byteLength + other + conversation.elements.length * ELEMENT_BYTES;
}

/** What tells a thread of an account. */
export function keyOf(accountId: string, { agent, session, thread }: ThreadName): string {
  return [accountId, agent, session, thread].join('\0');
}

function emptyMemory(name: ThreadName): ThreadMemory {
  return {
    name,
    conversation: null,
    choices: undefined,
    beginnings: new Map(),
    answered: null,
    generations: new Map(),
    hidden: new Map(),
    met: new Set(),
    sentResults: new Map(),
    version: null,
    moment: NOTHING_DUE,
    lastAt: null,
    counted: null,
    calibration: null,
    outside: null,
    head: null,
    older: null,
    isUnseen: false,
    isResting: false,
    latest: null,
    isUnwanted: false,
    turn: Promise.resolve(),
  };
}
