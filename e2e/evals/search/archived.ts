import { createHash } from 'node:crypto';
import type pg from 'pg';
import {
  type ArchiveReader,
  type ArchiveWriter,
  createArchiveReader,
  createArchiveWriter,
  ensureAccount,
} from '../../../server/archive/index.ts';
import type { MaskedItem, NewMessage } from '../../../server/archive/types.ts';
import { messageHash, type Role, rootHash } from '../../../server/conversation/index.ts';
import { manualClock } from '../../../server/kernel/clock.ts';
import type { Uuid } from '../../../server/kernel/ids.ts';
import type { InstallationKey } from '../../../server/kernel/installation-key.ts';
import { systemRandom } from '../../../server/kernel/random.ts';
import type { Collection, Said } from './sessions.ts';

/** A collection that went through the product's own writer and index. */
export interface Archived {
  readonly accountId: Uuid;
  readonly reader: ArchiveReader;
  /** For each question, the documents that answer it. */
  readonly evidence: readonly ReadonlySet<string>[];
}

/** When the first session of a collection begins. */
const START = Date.UTC(2026, 9, 1, 8);
const MESSAGES = 200;

/** Archives a collection in a new account, an hour between sessions, and indexes it. */
export async function archive(pool: pg.Pool, name: string, collection: Collection): Promise<Archived> {
  const clock = manualClock(START);
  const installationKey = Buffer.alloc(32, 9) as Uint8Array as InstallationKey;
  const accountId = await ensureAccount(pool, name, { clock, random: systemRandom, installationKey });
  const writer = createArchiveWriter(pool, { clock, installationKey });
  const evidence = collection.questions.map(() => new Set<string>());
  for (const [at, session] of collection.sessions.entries()) {
    const messages = await appendSession(
      writer,
      { accountId, name: `session ${at}`, at: clock.now() },
      session,
    );
    await noteEvidence(pool, accountId, messages, evidence);
    clock.advance(3_600_000);
  }
  while ((await writer.index(accountId)).more);
  await pool.query('ANALYZE');
  return { accountId, reader: createArchiveReader(pool, { clock }), evidence };
}

interface Placed {
  readonly said: Said;
  readonly message: NewMessage;
}

async function appendSession(
  writer: ArchiveWriter,
  {
    accountId,
    name,
    at,
  }: { accountId: Uuid; name: string; at: ReturnType<ReturnType<typeof manualClock>['now']> },
  session: readonly Said[],
): Promise<readonly Placed[]> {
  const key = await writer.accountKey(accountId);
  const open = () =>
    writer.openThread(
      accountId,
      {
        agent: 'claude-code',
        agentVersion: null,
        clientSessionId: name,
        clientThreadId: null,
        parentThreadId: null,
        kind: 'main',
        place: { folder: null, root: null, remoteUrl: null, branch: null, commit: null, isRepository: null },
        uncertain: null,
      },
      null,
      at,
    );
  let parent = rootHash(key, null);
  const placed = session.map((said, n): Placed => {
    const role: Role = said.kind === 'input' || said.kind === 'tool_result' ? 'user' : 'assistant';
    const hash = messageHash(
      key,
      parent,
      role,
      createHash('sha256').update(`${name} ${n} ${said.text}`).digest(),
    );
    const message: NewMessage = {
      hash,
      parent,
      role,
      origin: role === 'user' ? 'received' : 'produced',
      items: [itemOf(said)],
    };
    parent = hash;
    return { said, message };
  });
  for (let from = 0; from < placed.length; from += MESSAGES) {
    const messages = placed.slice(from, from + MESSAGES).map((one) => one.message);
    await writer.append({
      accountId,
      thread: await open(),
      at,
      messages,
      aliases: [],
      marks: [],
      asOf: null,
      head: messages.at(-1)?.hash ?? null,
    });
  }
  return placed;
}

function itemOf({ kind, text, call }: Said): MaskedItem {
  const isCall = kind === 'tool_call';
  return {
    kind,
    text,
    body: null,
    tool:
      call === undefined
        ? null
        : { callId: call.id, name: isCall ? call.tool : null, namespace: null, isError: false },
    mainInput: isCall ? text.slice(0, 80) : null,
    path: isCall ? (call?.path ?? null) : null,
    media: [],
    originalSize: Buffer.byteLength(text),
    originalHash: createHash('sha256').update(text).digest(),
    masked: false,
  };
}

async function noteEvidence(
  pool: pg.Pool,
  accountId: Uuid,
  placed: readonly Placed[],
  evidence: readonly Set<string>[],
): Promise<void> {
  const marked = placed.filter(({ said }) => said.evidence.length > 0);
  const { rows } = await pool.query<{ hash: Buffer; docid: string }>(
    'SELECT message_hash AS hash, docid FROM item WHERE account_id = $1 AND message_hash = ANY($2::bytea[])',
    [accountId, marked.map(({ message }) => message.hash)],
  );
  const docids = new Map(rows.map((row) => [row.hash.toString('hex'), row.docid]));
  for (const { said, message } of marked) {
    const docid = docids.get(Buffer.from(message.hash).toString('hex'));
    for (const question of said.evidence)
      if (docid !== undefined) evidence[question]?.add(`context-mode-msg-${docid}`);
  }
}
