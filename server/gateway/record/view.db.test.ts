import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ArchiveReader,
  createArchiveReader,
  createArchiveWriter,
  ensureAccount,
} from '../../archive/index.ts';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import { manualClock } from '../../kernel/clock.ts';
import { newId, type Uuid } from '../../kernel/ids.ts';
import type { InstallationKey } from '../../kernel/installation-key.ts';
import { systemRandom } from '../../kernel/random.ts';
import type { SeenByModel } from '../compose/seen.ts';
import { createPipeline, type Pipeline } from './pipeline.ts';

const installationKey = new Uint8Array(32).fill(3) as InstallationKey;
const clock = manualClock(Date.UTC(2026, 11, 1, 9));
let database: Database;
let accountId: Uuid;
let pipeline: Pipeline;
let reader: ArchiveReader;

beforeAll(async () => {
  database = await testDatabase();
  accountId = await ensureAccount(database.pool, 'views', { clock, random: systemRandom, installationKey });
  pipeline = createPipeline(createArchiveWriter(database.pool, { clock, installationKey }));
  reader = createArchiveReader(database.pool, { clock });
});
afterAll(() => database.stop());

const seen = (fields: Partial<SeenByModel> = {}): SeenByModel => ({
  layout: null,
  made: null,
  because: null,
  unedited: null,
  runs: [],
  sentBytes: 321,
  tokens: { client: 1000, sent: 400, limit: null },
  ...fields,
});

const MESSAGES = [
  { role: 'user', content: 'one' },
  { role: 'assistant', content: 'two' },
  { role: 'user', content: 'three' },
];

/** Sends a request and answers its id. */
async function send(given: SeenByModel | null | undefined, target = '/v1/messages'): Promise<Uuid> {
  clock.advance(1000);
  const id = newId(clock);
  await pipeline.request({
    id,
    accountId,
    door: 'anthropic',
    method: 'POST',
    target,
    headers: [['x-claude-code-session-id', 'a session']],
    body: Buffer.from(JSON.stringify({ model: 'm', messages: MESSAGES })),
    receivedAt: clock.now(),
    ...(given === undefined ? {} : { seen: given }),
  });
  return id;
}

/** The hashes of the messages of the session's main line, oldest first. */
async function hashes(): Promise<readonly string[]> {
  const { rows } = await database.pool.query<{ hash: string }>(
    `SELECT encode(message_hash, 'hex') AS hash FROM event WHERE account_id = $1 AND position = 0 ORDER BY seq`,
    [accountId],
  );
  return rows.map((row) => row.hash);
}

describe('what the model saw of a request', () => {
  test('is read back with its elements told by the archive’s messages', async () => {
    const id = await send(
      seen({
        layout: 'ab'.repeat(32),
        made: 'pause',
        runs: [
          { is: 'ours', what: 'index', bytes: 77, record: null },
          { is: 'left_out', from: 0, to: 2 },
          { is: 'changed', element: 2, what: 'trimmed' },
          { is: 'kept', from: 2, to: 3 },
        ],
      }),
    );
    const [first, second, third] = await hashes();
    expect((await reader.getRequest(accountId, id))?.view).toEqual({
      ...seen({ layout: 'ab'.repeat(32), made: 'pause' }),
      runs: [
        { is: 'ours', what: 'index', bytes: 77, record: null },
        { is: 'left_out', first, last: second },
        { is: 'changed', message: third, what: 'trimmed' },
        { is: 'kept', first: third, last: third },
      ],
    });
  });

  test('is nothing where nothing was to be changed', async () => {
    for (const given of [null, undefined]) {
      const id = await send(given);
      expect(await reader.getRequest(accountId, id)).toMatchObject({ id, view: null });
    }
  });

  test('says in words of others only what is masked, whatever characters they are made of', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const id = await send(
      seen({
        because: `no gain ${secret}`,
        unedited: { reason: 'refused', detail: `messages.0: "${secret}" \0 \ud800 is not allowed` },
      }),
    );
    const view = (await reader.getRequest(accountId, id))?.view;
    expect(view?.unedited?.detail).toMatch(/^messages\.0: ".*" . . is not allowed$/);
    expect(view?.because).toMatch(/^no gain /);
    const { rows } = await database.pool.query('SELECT 1 FROM request r WHERE strpos(r::text, $1) > 0', [
      secret,
    ]);
    expect(rows).toEqual([]);
  });

  test('does not travel with lists', async () => {
    await send(seen({ unedited: { reason: 'deadline', detail: 'late' } }));
    const { items } = await reader.listRequests(accountId, { limit: 50 });
    expect(items.length).toBeGreaterThan(2);
    for (const row of items) expect(row).not.toHaveProperty('view');
  });
});
