import type { FrozenChoices, Generation, HiddenRecord, MomentState, ThreadName } from '../../recall/index.ts';
import { NOTHING_DUE } from '../../recall/index.ts';
import type { Calibration } from '../estimate/index.ts';
import type { RequestToCompose } from './compose-request.ts';
import type { Conversation } from './conversation.ts';
import type { OlderPart } from './plan.ts';

/** What the provider counted of a thread's newest answered request. */
export interface Counted {
  /** Elements that the request had. */
  readonly elements: number;
  /** The generation that it was sent under, by its mark in hex; null: the first. */
  readonly madeAt: string | null;
  /** Tokens of its prompt, cached ones too, and of its answer. */
  readonly prompt: number;
  readonly answer: number;
}

/** What a gateway remembers of a thread between its requests. All of it can be found again in store and request. */
export interface ThreadMemory {
  readonly name: ThreadName;
  /** The newest request; null: none has come to this process. */
  conversation: Conversation | null;
  /** What the conversation is sent with from its beginning; null: it began elsewhere. Undefined: not looked up. */
  choices: FrozenChoices | null | undefined;
  /** By the mark at which they were made, in hex. */
  generations: Map<string, Generation>;
  /** Hidden rounds by the record's id. */
  readonly hidden: Map<string, HiddenRecord>;
  /** The store's version at which these were read. */
  version: string | null;
  moment: MomentState;
  /** Moment of the newest request, in milliseconds; null: none. */
  lastAt: number | null;
  counted: Counted | null;
  /** How the provider counts, by what it said; null: it has said nothing yet. */
  calibration: Calibration | null;
  /** What the layout in force keeps of the older part, and what it is of; null: not read. */
  older: { readonly of: string; readonly part: OlderPart } | null;
  /** An answer was given under bytes that no generation describes: the next request begins one. */
  isUnseen: boolean;
  /** The provider refused what was put together: nothing new is made in this thread any more. */
  isResting: boolean;
  /** The newest turn's request as it was read, for a look at what would be made of it; null: none. */
  latest: RequestToCompose | null;
  /** A person wants the layout in force taken back at the next request. */
  isUnwanted: boolean;
  /** Requests of the thread are put together one after another. */
  turn: Promise<unknown>;
}

/** Bytes of requests that are remembered. */
const REMEMBERED_BYTES = 96 * 1024 * 1024;
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
    for (const { conversation } of this.#threads.values()) bytes += conversation?.body.byteLength ?? 0;
    for (const [key, memory] of this.#threads) {
      if (bytes <= this.#limitBytes && this.#threads.size <= REMEMBERED_THREADS) break;
      if (memory === kept) continue;
      bytes -= memory.conversation?.body.byteLength ?? 0;
      this.#threads.delete(key);
    }
  }
}

function keyOf(accountId: string, { agent, session, thread }: ThreadName): string {
  return [accountId, agent, session, thread].join('\0');
}

function emptyMemory(name: ThreadName): ThreadMemory {
  return {
    name,
    conversation: null,
    choices: undefined,
    generations: new Map(),
    hidden: new Map(),
    version: null,
    moment: NOTHING_DUE,
    lastAt: null,
    counted: null,
    calibration: null,
    older: null,
    isUnseen: false,
    isResting: false,
    latest: null,
    isUnwanted: false,
    turn: Promise.resolve(),
  };
}
