import { createHash } from 'node:crypto';
import type pg from 'pg';
import { createArchiveWriter, createTurnsToLearn, ensureAccount } from '../../../server/archive/index.ts';
import type { MessageHash } from '../../../server/archive/types.ts';
import { messageHash, rootHash } from '../../../server/conversation/index.ts';
import { createFactsForPrompts, estimateText, systemTimers } from '../../../server/gateway/index.ts';
import { learnWaiting } from '../../../server/jobs/index.ts';
import { type ManualClock, manualClock } from '../../../server/kernel/clock.ts';
import type { Uuid } from '../../../server/kernel/ids.ts';
import type { InstallationKey } from '../../../server/kernel/installation-key.ts';
import { createLogger } from '../../../server/kernel/log.ts';
import { createMetrics } from '../../../server/kernel/metrics.ts';
import { systemRandom } from '../../../server/kernel/random.ts';
import {
  createMemoryReader,
  createMemoryWriter,
  type FittingFact,
  factLine,
  wordsOfFact,
} from '../../../server/memory/index.ts';

const START = Date.UTC(2026, 9, 1, 8);
const DAY_MS = 86_400_000;
const PLACE = {
  folder: '/home/dev/shop',
  root: '/home/dev/shop',
  remoteUrl: 'https://example.com/dev/shop.git',
  branch: null,
  commit: null,
  isRepository: true,
};

/** A memory that typed words go into, each in a conversation of its own, as the product takes them in. */
export class EvalMemory {
  readonly clock: ManualClock = manualClock(START);
  readonly #pool: pg.Pool;
  readonly #accountId: Uuid;
  readonly #writer: ReturnType<typeof createArchiveWriter>;
  #conversations = 0;

  private constructor(pool: pg.Pool, accountId: Uuid, clock: ManualClock, installationKey: InstallationKey) {
    this.#pool = pool;
    this.#accountId = accountId;
    this.clock = clock;
    this.#writer = createArchiveWriter(pool, { clock, installationKey });
  }

  /** Makes one in an account of its own. */
  static async open(pool: pg.Pool, name: string): Promise<EvalMemory> {
    const clock = manualClock(START);
    const installationKey = Buffer.alloc(32, 9) as Uint8Array as InstallationKey;
    const accountId = await ensureAccount(pool, name, { clock, random: systemRandom, installationKey });
    return new EvalMemory(pool, accountId, clock, installationKey);
  }

  /** Somebody types in a new conversation, a day later, and memory looks at it. */
  async type(text: string): Promise<void> {
    this.clock.advance(DAY_MS);
    this.#conversations += 1;
    const at = this.clock.now();
    const place = await this.#writer.resolvePlace(this.#accountId, PLACE, at);
    const thread = await this.#writer.openThread(
      this.#accountId,
      {
        agent: 'claude-code',
        agentVersion: null,
        clientSessionId: `conversation ${this.#conversations}`,
        clientThreadId: null,
        parentThreadId: null,
        kind: 'main',
        place: PLACE,
        uncertain: null,
      },
      place,
      at,
    );
    const key = await this.#writer.accountKey(this.#accountId);
    const parent = rootHash(key, place?.projectId ?? null);
    const hash: MessageHash = messageHash(key, parent, 'user', createHash('sha256').update(text).digest());
    const item = {
      kind: 'input' as const,
      text,
      body: null,
      tool: null,
      mainInput: null,
      path: null,
      media: [],
      originalSize: Buffer.byteLength(text),
      originalHash: createHash('sha256').update(text).digest(),
      masked: false,
    };
    await this.#writer.append({
      accountId: this.#accountId,
      thread,
      at,
      messages: [{ hash, parent, role: 'user', origin: 'received', items: [item] }],
      aliases: [],
      marks: [],
      asOf: null,
      head: hash,
      learns: [hash],
    });
    await learnWaiting(
      {
        turns: createTurnsToLearn(this.#pool),
        reader: createMemoryReader(this.#pool),
        writer: createMemoryWriter(this.#pool, { clock: this.clock, accountKey: this.#writer.accountKey }),
        switchesOf: async () => ({ memory: true, timeZone: 'UTC' }),
        clock: this.clock,
        log: createLogger('error', 'eval'),
        metrics: createMetrics(),
      },
      this.#accountId,
    );
  }

  /** Fills the repository with so many facts of a writer's own, each a slot by itself. */
  async fill(count: number, wordAt: (at: number) => string): Promise<void> {
    const place = await this.#writer.resolvePlace(this.#accountId, PLACE, this.clock.now());
    if (place === null) throw new Error('the folder is no place');
    const options = { clock: this.clock, accountKey: this.#writer.accountKey };
    const writer = createMemoryWriter(this.#pool, options);
    const drafts = Array.from({ length: count }, (_, at) => ({
      scope: { kind: 'project', id: place.projectId } as const,
      subject: `${wordAt(at)} ${wordAt(at * 7 + 3)} ${at}`,
      predicate: 'deployed_to',
      value: wordAt(at * 13 + 5),
      kind: 'value' as const,
      from: this.clock.now(),
      source: null,
    }));
    for (let at = 0; at < drafts.length; at += 500)
      await writer.write(this.#accountId, drafts.slice(at, at + 500), { authority: 'import', name: 'eval' });
    await this.#pool.query('ANALYZE slot, fact_version, statement');
  }

  /** The block that a new conversation gets; empty: none. */
  async block(typed: string): Promise<string> {
    const facts = createFactsForPrompts({
      reader: createMemoryReader(this.#pool),
      places: this.#writer,
      timers: systemTimers,
    });
    return (await facts.block(this.#accountId, PLACE, typed, this.clock.now()))?.text ?? '';
  }

  /** The newest facts that hold, a line each. */
  async newest(count: number): Promise<readonly string[]> {
    const all = await this.#everyValue();
    return all
      .toSorted((one, other) => other.validFrom - one.validFrom)
      .slice(0, count)
      .map(factLine);
  }

  /** The same from a store that only adds: every value that was ever learned is taken for one that holds. */
  async appendOnlyBlock(typed: string): Promise<string> {
    const all = await this.#everyValue();
    const facts = createFactsForPrompts({
      reader: {
        hasFacts: async () => true,
        fitting: async (_account, _place, words) =>
          all.filter((fact) => fact.words.some((word) => words.includes(word))),
      },
      places: this.#writer,
      timers: systemTimers,
    });
    return (await facts.block(this.#accountId, PLACE, typed, this.clock.now()))?.text ?? '';
  }

  async #everyValue(): Promise<readonly FittingFact[]> {
    const reader = createMemoryReader(this.#pool);
    const { items } = await reader.list(this.#accountId, {
      status: 'all',
      validAt: null,
      knownAt: null,
      limit: 1_000,
      cursor: null,
    });
    return items.flatMap(({ id, subject, predicate, place, facts }) =>
      facts.map(({ version, source }) => ({
        fact: version.fact,
        slot: id,
        scope: place.scope.kind,
        subject,
        predicate,
        value: version.value.text,
        words: wordsOfFact(subject, predicate, version.value.text),
        confirmations: 1,
        validFrom: version.validFrom,
        docid: source.docid,
      })),
    );
  }
}

/** Whether a value stands in a text as whole words. */
export function holds(text: string, value: string): boolean {
  const word = value.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}.])${word}(?![\\p{L}\\p{N}])`, 'iu').test(text);
}

/** Estimated tokens of a text. */
export const tokensOf = estimateText;
