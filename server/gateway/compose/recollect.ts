import { hexOf, type MessageHash } from '../../conversation/index.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { Beginning, FrozenChoices, LayoutContent, RecallStore } from '../../recall/index.ts';
import {
  type Conversation,
  firstAnswer,
  hasOneAnswer,
  isAnswered,
  marksOfBeginning,
  newestMark,
} from './conversation.ts';
import type { MemoryChoice } from './memory-part.ts';
import type { ComposeParts, InForce, RequestToCompose, ThreadMemory } from './types.ts';

/** Nothing of ours. */
export const NO_CHOICES: FrozenChoices = { tool: null, trimming: null, memory: null };

/**
 * Makes a thread's memory hold what the store has of a conversation: generations, hidden rounds, how it began. Reads only
 * where the store has changed since, or the conversation is new to this process.
 * @param version the store's, as it is now
 * @param goesOn the conversation goes on from the thread's request before
 */
export async function recollect(
  store: RecallStore,
  accountId: Uuid,
  memory: ThreadMemory,
  conversation: Conversation,
  version: string,
  goesOn: boolean,
): Promise<void> {
  if (memory.version === version && goesOn) return;
  const marks = conversation.marks.filter((mark) => mark !== null);
  const [generations, hidden, beginnings] = await Promise.all([
    store.generations(accountId, marks),
    store.hidden(accountId, anchorsOf(conversation)),
    memory.choices === undefined ? store.beginnings(accountId, memory.name, marks) : [],
  ]);
  memory.generations = new Map(generations.map((one) => [hexOf(one.madeAt), one]));
  memory.hidden.clear();
  for (const record of hidden) memory.hidden.set(record.id, record);
  for (const { began, choices } of beginnings) memory.beginnings.set(hexOf(began), choices);
  memory.choices ??= choicesOf(beginnings, memory, conversation);
  memory.version = version;
}

/** Whether what was sent of a conversation before differs from what its client holds, as far as its memory knows. */
export function isBound({ generations, hidden }: ThreadMemory): boolean {
  return generations.size > 0 || hidden.size > 0;
}

/** What hidden rounds of a conversation are found by: the chain before each answer. */
export function anchorsOf({ states }: Conversation): readonly string[] {
  return [...new Set(['', ...states.map((state) => state.chain)])].filter((chain) => chain !== '');
}

/**
 * The choices of a thread by its name, else of the conversation that it goes on from; undefined: it has none yet. Many
 * conversations begin with the same words: another's beginning counts by its first answer. Only as long as there is but
 * one is that not kept, and the words have to do.
 */
function choicesOf(
  beginnings: readonly Beginning[],
  { name }: ThreadMemory,
  conversation: Conversation,
): FrozenChoices | undefined {
  const own = beginnings.filter(
    ({ thread }) =>
      thread.agent === name.agent && thread.session === name.session && thread.thread === name.thread,
  );
  if (own.length > 0) return own.at(-1)?.choices;
  const answer = firstAnswer(conversation);
  if (answer === null) return undefined;
  const hex = hexOf(answer);
  const others = hasOneAnswer(conversation)
    ? beginnings
    : beginnings.filter(({ began }) => hexOf(began) === hex);
  return others.at(-1)?.choices;
}

/**
 * Settles what a conversation is sent with: at its first request the switches of now are frozen, and committed before it
 * goes out. One that holds answers already and began elsewhere gets nothing until its first layout.
 */
export async function settleBeginning(
  store: RecallStore,
  accountId: Uuid,
  memory: ThreadMemory,
  conversation: Conversation,
  now: {
    readonly at: Millis;
    readonly choices: () => Promise<FrozenChoices>;
    readonly memory: () => Promise<MemoryChoice>;
  },
): Promise<void> {
  if (memory.choices !== undefined) {
    if (memory.choices !== null) await followChain(store, accountId, memory, conversation, now);
    keepFirstAnswer(store, accountId, memory, conversation, now.at);
    return;
  }
  const began = newestMark(conversation);
  if (isAnswered(conversation) || began === null) {
    memory.choices = null;
    return;
  }
  const choices = await now.choices();
  await store.keepBeginning(accountId, { thread: memory.name, began, choices }, now.at);
  memory.choices = choices;
  memory.beginnings.set(hexOf(began), choices);
}

/**
 * A thread that begins a new chain (its agent compacted it, or its first words were typed anew) takes a fresh memory part
 * there; the rest of its choices stays. One that goes back to an older chain has that one's again.
 */
async function followChain(
  store: RecallStore,
  accountId: Uuid,
  memory: ThreadMemory,
  conversation: Conversation,
  now: { readonly at: Millis; readonly memory: () => Promise<MemoryChoice> },
): Promise<void> {
  const { beginnings, name } = memory;
  // It stands near the front, however long the conversation is.
  const mark = conversation.marks.find((one) => one !== null && beginnings.has(hexOf(one)));
  const known = mark == null ? undefined : beginnings.get(hexOf(mark));
  const began = newestMark(conversation);
  if (known !== undefined || began === null || memory.choices == null) {
    memory.choices = known ?? memory.choices;
    return;
  }
  const { tool, trimming, memory: before } = memory.choices;
  const choices: FrozenChoices = { tool, trimming, ...(await now.memory()) };
  if (before !== null || choices.memory !== null)
    await store.keepBeginning(accountId, { thread: name, began, choices }, now.at);
  memory.choices = choices;
  memory.answered = null;
  beginnings.set(hexOf(began), choices);
}

/**
 * Keeps the beginning at the first answer too, so that forks of the conversation are told from others with its words. The
 * request does not wait for it: where it fails, the next one tries again.
 */
function keepFirstAnswer(
  store: RecallStore,
  accountId: Uuid,
  memory: ThreadMemory,
  conversation: Conversation,
  at: Millis,
): void {
  const { choices, name, answered } = memory;
  const began = firstAnswer(conversation);
  if (began === null || choices == null || answered === hexOf(began)) return;
  memory.answered = hexOf(began);
  memory.beginnings.set(hexOf(began), choices);
  store.keepBeginning(accountId, { thread: name, began, choices }, at).catch(() => {
    memory.answered = answered;
  });
}

/**
 * The newest generation whose message is in the conversation; null: it is still the first one.
 * @param before only those that were made at elements before this one
 */
export function inForce(
  memory: ThreadMemory,
  { marks }: Conversation,
  before: number = marks.length,
): InForce | null {
  if (memory.generations.size === 0) return null;
  for (let element = before - 1; element >= 0; element -= 1) {
    const mark: MessageHash | null = marks[element] ?? null;
    const generation = mark === null ? undefined : memory.generations.get(hexOf(mark));
    if (generation !== undefined) return { generation, element };
  }
  return null;
}

/**
 * Whether a request brings answers that nobody here saw produced: more than the one that its thread was given since its
 * request before, which it goes on from.
 * @param behind the element behind which all is new
 */
export function bringsUnseen({ facts, marks }: Conversation, behind: number): boolean {
  let isBehindOthers = false;
  for (let element = behind + 1; element < facts.length; element += 1) {
    const { print, side } = facts[element] ?? { print: null, side: 'system' };
    if (print !== null && isBehindOthers) return true;
    // What has no mark may have stood in the request before: an answer that nobody saw follows typed words or results.
    isBehindOthers ||= side !== 'assistant' && marks[element] !== null;
  }
  return false;
}

/** The layout that stood before the one in force; null: none, the client's own bytes. */
export function layoutBefore(
  memory: ThreadMemory,
  conversation: Conversation,
  { generation, element }: InForce,
): LayoutContent | null {
  const hash = generation.layout?.indexHash;
  for (let at = element; ; ) {
    const older = inForce(memory, conversation, at);
    if (older === null) return null;
    if (older.generation.layout?.indexHash !== hash) return older.generation.layout;
    at = older.element;
  }
}

/**
 * Whether something of ours may stand in a conversation that is new to this process: its thread is known, or a beginning
 * in it. One without an answer near its beginning is taken for known, to be read.
 * @param byName what it is made of is too large to be read for this
 */
export async function knowsBeginning(
  parts: ComposeParts,
  { accountId, adapter, read, body, memory }: RequestToCompose,
  byName: boolean,
): Promise<boolean> {
  const key = await parts.archive.accountKey(accountId);
  const marks = byName ? [] : await marksOfBeginning(key, adapter, read, body);
  return marks === null || (await parts.recall.beginnings(accountId, memory.name, marks)).length > 0;
}
