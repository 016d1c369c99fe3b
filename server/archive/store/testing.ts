import { createHash, createHmac } from 'node:crypto';
import { messageHash, rootHash, sliceHash } from '../../conversation/index.ts';
import { type Clock, type ManualClock, type Millis, manualClock } from '../../kernel/clock.ts';
import { newId, type Uuid } from '../../kernel/ids.ts';
import type { InstallationKey } from '../../kernel/installation-key.ts';
import { systemRandom } from '../../kernel/random.ts';
import type {
  ArchiveWriter,
  MaskedItem,
  MessageHash,
  NewMessage,
  RecordBatch,
  RequestRecord,
  ThreadState,
} from '../types.ts';
import { ensureAccount } from './account.ts';
import type { StorePool } from './connection.ts';
import { createArchiveWriter } from './writer.ts';

/** An item with sensible fields around the given ones. */
export function item(fields: Partial<MaskedItem> = {}): MaskedItem {
  const text = fields.text ?? 'hello';
  return {
    kind: 'input',
    text,
    body: null,
    tool: null,
    mainInput: null,
    path: null,
    media: [],
    originalSize: Buffer.byteLength(text),
    originalHash: createHash('sha256').update(text).digest(),
    masked: false,
    ...fields,
  };
}

/** A tool call, and the result that answers it. */
export function call(callId: string, text = '{"command":"ls"}', name = 'Bash'): MaskedItem {
  return item({
    kind: 'tool_call',
    text,
    mainInput: 'ls',
    tool: { callId, name, namespace: null, isError: false },
  });
}

/** The result of the call with this id. */
export function result(callId: string, text: string): MaskedItem {
  return item({ kind: 'tool_result', text, tool: { callId, name: null, namespace: null, isError: false } });
}

/** A scene: one account with a writer, and short words for what a recorder does with it. */
export interface Scene {
  readonly writer: ArchiveWriter;
  readonly clock: ManualClock;
  readonly accountId: Uuid;
  readonly key: Uint8Array;
  readonly root: MessageHash;
  /** A writer over another pool, as a second gateway has it. */
  secondWriter(pool: StorePool): ArchiveWriter;
  open(session: string, thread?: string | null): Promise<ThreadState>;
  /** Messages one behind the other, each with its items, behind `parent`. */
  chain(parent: MessageHash, ...turns: readonly Turn[]): NewMessage[];
  batch(
    thread: ThreadState | null,
    messages: readonly NewMessage[],
    more?: Partial<RecordBatch>,
  ): RecordBatch;
  request(thread: ThreadState | null, more?: Partial<RequestRecord>): RequestRecord;
  slice(text: string): ReturnType<typeof sliceHash>;
  id(): Uuid;
}

/** What a message of a test says: who, then its items. */
export type Turn = readonly [role: NewMessage['role'], ...items: MaskedItem[]];

/** Start of a test's time. */
export const START = Date.UTC(2026, 10, 30, 9) as Millis;

const INSTALLATION_KEY = Buffer.alloc(32, 7) as Uint8Array as InstallationKey;

/** Makes a {@link Scene} on a migrated database. */
export async function scene(pool: StorePool, handle = 'local'): Promise<Scene> {
  const clock = manualClock(START);
  const options = { clock, installationKey: INSTALLATION_KEY };
  const accountId = await ensureAccount(pool, handle, { ...options, random: systemRandom });
  const writer = createArchiveWriter(pool, options);
  const key = await writer.accountKey(accountId);
  return {
    writer,
    clock,
    accountId,
    key,
    root: rootHash(key, null),
    secondWriter: (other) => createArchiveWriter(other, options),
    open: (session, thread = null) => openThread(writer, accountId, clock, session, thread),
    chain: (parent, ...turns) => chain(key, parent, turns),
    batch: (thread, messages, more = {}) => ({
      accountId,
      thread,
      at: clock.now(),
      messages,
      aliases: [],
      marks: [],
      asOf: null,
      head: messages.at(-1)?.hash ?? null,
      ...more,
    }),
    request: (thread, more = {}) => requestRecord(accountId, clock, thread, more),
    slice: (text) => sliceHash(key, Buffer.from(text)),
    id: () => newId(clock),
  };
}

/** Archives a session of typed texts, each a message of its own; answers its id. */
export async function conversation(stage: Scene, name: string, ...texts: readonly string[]): Promise<Uuid> {
  const thread = await stage.open(name);
  const messages = stage.chain(stage.root, ...texts.map((text) => ['user', item({ text })] as const));
  await stage.writer.append(stage.batch(thread, messages));
  return thread.sessionId;
}

/** Archives a message with these items behind a message that has these words and that no other one stands behind. */
export async function messageOf(stage: Scene, before: string, ...items: MaskedItem[]): Promise<NewMessage> {
  const messages = stage.chain(stage.root, ['user', item({ text: before })], ['user', ...items]);
  const message = messages[1];
  if (!message) throw new Error('no message');
  await stage.writer.append(stage.batch(await stage.open('s'), messages));
  return message;
}

async function openThread(
  writer: ArchiveWriter,
  accountId: Uuid,
  clock: Clock,
  session: string,
  thread: string | null,
): Promise<ThreadState> {
  const opened = await writer.openThread(
    accountId,
    {
      agent: 'claude-code',
      agentVersion: '2.1.0',
      clientSessionId: session,
      clientThreadId: thread,
      parentThreadId: null,
      kind: thread === null ? 'main' : 'subagent',
      place: { folder: null, root: null, remoteUrl: null, branch: null, commit: null, isRepository: null },
      uncertain: null,
    },
    null,
    clock.now(),
  );
  if (!opened) throw new Error('no thread was opened');
  return opened;
}

function chain(key: Uint8Array, root: MessageHash, turns: readonly Turn[]): NewMessage[] {
  let parent = root;
  return turns.map(([role, ...items]) => {
    const canonical = createHmac('sha256', 'canonical');
    for (const one of items) canonical.update(JSON.stringify([one.kind, one.text, one.tool]));
    const hash = messageHash(key, parent, role, canonical.digest());
    const message: NewMessage = {
      hash,
      parent,
      role,
      origin: role === 'assistant' ? 'produced' : 'received',
      items,
    };
    parent = hash;
    return message;
  });
}

function requestRecord(
  accountId: Uuid,
  clock: Clock,
  thread: ThreadState | null,
  more: Partial<RequestRecord>,
): RequestRecord {
  return {
    id: newId(clock),
    accountId,
    thread,
    door: 'anthropic',
    method: 'POST',
    path: '/v1/messages',
    agent: 'claude-code',
    agentVersion: '2.1.0',
    kind: 'main',
    model: 'claude-opus-4-8',
    stream: true,
    receivedAt: clock.now(),
    requestBytes: 1000,
    preambleHash: null,
    lastMessage: null,
    retry: false,
    note: null,
    view: null,
    ...more,
  };
}
