import type { Clock } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { RecallStore, RecallSwitches, ThreadName } from '../../recall/index.ts';
import { Fresh } from './fresh.ts';
import { keyOf } from './threads.ts';
import type { ComposeParts, FactsForPrompts } from './types.ts';

/** How long what a person switched, and, where no other gateway writes, what the store says of itself, is taken as known. */
const FRESH_MS = 1_000;

/** Where the values come from. */
interface Source {
  readonly recall: RecallStore;
  readonly archive: ComposeParts['archive'];
  readonly facts: FactsForPrompts;
}

/** What every request asks for and what changes seldom: known for a while, so that no request waits for it. */
export class KnownValues {
  readonly #versions: Fresh<string>;
  readonly #untouched: Fresh<boolean>;
  readonly #switches: Fresh<RecallSwitches>;
  readonly #keys: Fresh<Uint8Array>;
  readonly #hasFacts: Fresh<boolean>;
  readonly #offThroughout: Fresh<boolean>;

  /** @param isAlone no other gateway works on the same store */
  constructor(clock: Clock, isAlone: boolean) {
    this.#versions = new Fresh(clock, isAlone ? FRESH_MS : 0, isAlone);
    this.#untouched = new Fresh(clock, isAlone ? FRESH_MS : 0, isAlone);
    this.#switches = new Fresh(clock, FRESH_MS, isAlone);
    this.#keys = new Fresh(clock, FRESH_MS, isAlone);
    this.#hasFacts = new Fresh(clock, FRESH_MS, isAlone);
    this.#offThroughout = new Fresh(clock, FRESH_MS, isAlone);
  }

  /**
   * The store and the archive of a thread with what is known of them.
   * @param folder where the agent says that it works: what is set for its project holds from a session's first request
   */
  of(
    { recall, archive, facts }: Source,
    accountId: Uuid,
    name: ThreadName,
    folder: string | null = null,
  ): Pick<ComposeParts, 'recall' | 'archive' | 'facts' | 'versionOf' | 'switchesOf'> {
    return {
      recall,
      facts,
      archive: { ...archive, accountKey: (id) => this.#keys.get(id, () => archive.accountKey(id)) },
      versionOf: () => this.#versions.get(accountId, () => recall.version(accountId)),
      switchesOf: () => this.#switchesOf(recall, accountId, name, folder),
    };
  }

  /**
   * Whether a thread's requests are none of our business: Recall is off, nothing of ours stands in any conversation, and
   * memory is off too or knows nothing.
   */
  async areLeftAlone(
    { recall, facts }: Source,
    accountId: Uuid,
    name: ThreadName,
    folder: string | null,
  ): Promise<boolean> {
    try {
      const switches = await this.#switchesOf(recall, accountId, name, folder);
      if (switches.recall) return false;
      if (switches.memory && (await this.#hasFacts.get(accountId, () => facts.hasFacts(accountId))))
        return false;
      return await this.#untouched.get(accountId, () => recall.isUntouched(accountId));
    } catch {
      // Where the store does not answer something of ours may stand in it.
      return false;
    }
  }

  /**
   * Whether all of an account's requests are none of our business, as far as that is known at once: Recall is off for the
   * account and everything in it, nothing of ours stands in any conversation, and no fact is known.
   */
  isLeftAlone({ recall, facts }: Source, accountId: Uuid): boolean {
    return (
      this.#offThroughout.peek(accountId, () => recall.isOffThroughout(accountId)) === true &&
      this.#untouched.peek(accountId, () => recall.isUntouched(accountId)) === true &&
      this.#hasFacts.peek(accountId, () => facts.hasFacts(accountId)) === false
    );
  }

  /** A person switched something. */
  switched(): void {
    this.#switches.clear();
    this.#offThroughout.clear();
    this.#untouched.clear();
    this.#hasFacts.clear();
  }

  clear(): void {
    this.switched();
    this.#versions.clear();
    this.#keys.clear();
  }

  #switchesOf(
    recall: RecallStore,
    accountId: Uuid,
    name: ThreadName,
    folder: string | null,
  ): Promise<RecallSwitches> {
    return this.#switches.get(keyOf(accountId, name), () => recall.switches(accountId, name, folder));
  }
}
