import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createArchiveReader,
  createArchiveTransfer,
  createArchiveWriter,
  ensureAccount,
} from '../../archive/index.ts';
import type { ArchiveReader, ArchiveTransfer, ImportedSession } from '../../archive/types.ts';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import { manualClock } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { InstallationKey } from '../../kernel/installation-key.ts';
import { systemRandom } from '../../kernel/random.ts';
import { createPipeline, type Pipeline } from './pipeline.ts';
import { type RecordedExchange, readCase, recordedCases } from './recorded.testing.ts';

/** Tables that an export carries, in an order in which rows can be compared. */
const TABLES = {
  project: 'id',
  project_identity: 'identity',
  worktree: 'id',
  session: 'id',
  thread: 'id',
  preamble: 'hash',
  message: 'hash',
  message_alias: 'slice, parent',
  item: 'message_hash, position',
  blob: 'hash',
  media: 'message_hash, position, n',
  event: 'session_id, seq',
  file_touch: 'message_hash, position, n',
  request: 'id',
  answer: 'id',
} as const;

/** Tables that a further request of a known conversation writes. */
const GROWING = [
  ...(['message', 'item', 'event', 'message_alias', 'preamble'] as const),
  ...(['request', 'answer', 'file_touch'] as const),
];

const start = Date.UTC(2026, 10, 30, 9);
const clock = manualClock(start);

/** An archive of its own: a database, an installation, an account. */
class Archive {
  readonly database: Database;
  readonly reader: ArchiveReader;
  readonly transfer: ArchiveTransfer;
  readonly pipeline: Pipeline;
  accountId = '' as Uuid;
  readonly #installationKey: InstallationKey;

  constructor(database: Database, installation: number) {
    this.database = database;
    this.#installationKey = new Uint8Array(32).fill(installation) as InstallationKey;
    const options = { clock, random: systemRandom, installationKey: this.#installationKey };
    this.reader = createArchiveReader(database.pool, options);
    this.transfer = createArchiveTransfer(database.pool, options);
    this.pipeline = createPipeline(createArchiveWriter(database.pool, options));
  }

  async open(name: string): Promise<void> {
    const options = { clock, random: systemRandom, installationKey: this.#installationKey };
    // The pipeline's memory of keys outlives no account.
    clock.advance(5_000);
    this.accountId = await ensureAccount(this.database.pool, name, options);
  }

  async play(exchanges: readonly RecordedExchange[]): Promise<void> {
    for (const { request, answer } of exchanges) {
      await this.pipeline.request({ ...request, accountId: this.accountId });
      await this.pipeline.answer({ ...answer, accountId: this.accountId });
    }
  }

  async rows(): Promise<Record<string, unknown[]>> {
    const found: Record<string, unknown[]> = {};
    for (const [table, order] of Object.entries(TABLES)) {
      const { rows } = await this.database.pool.query<Record<string, unknown>>(
        `SELECT * FROM ${table} WHERE account_id = $1 ORDER BY ${order}`,
        [this.accountId],
      );
      found[table] = rows.map(({ account_id: _, ...row }) => row);
    }
    return found;
  }

  async sessionIds(): Promise<Uuid[]> {
    const { rows } = await this.database.pool.query<{ id: Uuid }>(
      'SELECT id FROM session WHERE account_id = $1 ORDER BY id',
      [this.accountId],
    );
    return rows.map((row) => row.id);
  }

  async export(): Promise<string[]> {
    const lines: string[] = [];
    for (const id of await this.sessionIds())
      for await (const line of this.reader.exportSession(this.accountId, id)) lines.push(line);
    return lines;
  }

  async import(lines: readonly string[], foreign = false): Promise<ImportedSession[]> {
    const sessions: ImportedSession[] = [];
    const given = (async function* () {
      yield* lines;
    })();
    for await (const one of this.transfer.importSessions(this.accountId, given, { foreign }))
      sessions.push(one);
    return sessions;
  }
}

let old: Archive;
let fresh: Archive;

beforeAll(async () => {
  old = new Archive(await testDatabase(), 3);
  fresh = new Archive(await testDatabase(), 4);
});
afterAll(async () => {
  await old.database.stop();
  await fresh.database.stop();
});

/** Requests that belong to no session are not part of any export. */
function placed(rows: Record<string, unknown[]>): Record<string, unknown[]> {
  const requests = (rows.request ?? []) as { readonly id: string; readonly session_id: string | null }[];
  const kept = new Set(requests.filter((one) => one.session_id !== null).map((one) => one.id));
  return {
    ...rows,
    request: requests.filter((one) => kept.has(one.id)),
    answer: ((rows.answer ?? []) as { readonly request_id: string }[]).filter((one) =>
      kept.has(one.request_id),
    ),
  };
}

describe.each(recordedCases)('the recorded conversation %s', (name) => {
  it('is the same after an import with its key, goes on as before, is imported once, and comes back after a deletion', async () => {
    await old.open(name);
    await fresh.open(name);
    const exchanges = readCase(name, old.accountId, start);
    await old.play(exchanges.slice(0, -1));
    const lines = await old.export();
    expect(await fresh.transfer.takeKey(fresh.accountId, await old.transfer.readKey(old.accountId))).toBe(
      'taken',
    );
    const imported = await fresh.import(lines);
    expect(imported.map((one) => [one.id, one.state])).toEqual(
      (await old.sessionIds()).map((id) => [id, 'imported']),
    );
    expect(placed(await fresh.rows())).toEqual(placed(await old.rows()));
    expect(await fresh.export()).toEqual(lines);

    clock.advance(5_000);
    await old.play(exchanges.slice(-1));
    await fresh.play(exchanges.slice(-1));
    const after = placed(await old.rows());
    // Where the project is first seen in the last request, each archive makes one of its own.
    if (lines.some((line) => line.startsWith('{"project"'))) {
      const also = placed(await fresh.rows());
      for (const table of GROWING)
        expect([table, withoutNew(also[table])]).toEqual([table, withoutNew(after[table])]);
    }

    const whole = await old.export();
    expect((await old.import(whole)).every((one) => one.state === 'present' && one.events === 0)).toBe(true);
    expect(placed(await old.rows())).toEqual(after);
    for (const id of await old.sessionIds()) await old.reader.deleteSession(old.accountId, id, clock.now());
    expect((await old.rows()).item).toEqual([]);
    expect((await old.import(whole)).every((one) => one.state === 'imported')).toBe(true);
    expect(placed(await old.rows())).toEqual(after);
  });
});

/** Ids and worktrees of rows that each archive makes for itself are left out. */
function withoutNew(rows: unknown[] | undefined): unknown[] {
  return (rows ?? []).map((row) => {
    const { worktree_id: _, seen_at: __, ...rest } = row as Record<string, unknown>;
    return rest;
  });
}

describe('an import', () => {
  const name = 'claude-code/opus-session';

  let known: Promise<string[]> | undefined;
  /** One export for all tests that only look at its lines. */
  function sample(): Promise<string[]> {
    known ??= exported('sample');
    return known;
  }

  async function exported(account: string): Promise<string[]> {
    await old.open(account);
    await old.play(readCase(name, old.accountId, start));
    return old.export();
  }

  it('of a newer export adds what is missing, and of an older one nothing', async () => {
    await old.open('grown');
    await fresh.open('grown');
    const exchanges = readCase(name, old.accountId, start);
    await fresh.transfer.takeKey(fresh.accountId, await old.transfer.readKey(old.accountId));
    await old.play(exchanges.slice(0, 6));
    const early = await old.export();
    await old.play(exchanges.slice(6));
    const late = await old.export();
    await fresh.import(early);
    expect((await fresh.import(late)).map((one) => one.state)).toContain('extended');
    expect(placed(await fresh.rows())).toEqual(placed(await old.rows()));
    expect((await fresh.import(early)).every((one) => one.state === 'present')).toBe(true);
    expect(placed(await fresh.rows())).toEqual(placed(await old.rows()));
  });

  it('under another key is refused with a way out, and with `foreign` is read under the same ids', async () => {
    const lines = await exported('foreign');
    await fresh.open('foreign');
    await expect(fresh.import(lines)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/^Line \d+: .*key/),
      hint: expect.stringContaining('--foreign'),
    });
    expect(await fresh.sessionIds()).toEqual([]);
    expect((await fresh.import(lines, true)).map((one) => one.state)).toEqual(
      (await old.sessionIds()).map(() => 'imported'),
    );
    const [mine, theirs] = [await fresh.rows(), await old.rows()];
    const without = (rows: unknown[] | undefined) =>
      (rows ?? []).map((row) => ({ ...(row as object), stored_hash: null, client_session_id: null }));
    expect(without(mine.item)).toEqual(without(theirs.item));
    expect(without(mine.session)).toEqual(without(theirs.session));
    expect(mine.event).toEqual(theirs.event);
    await fresh.play(readCase(name, fresh.accountId, start + 3_600_000));
    expect(await fresh.sessionIds()).toHaveLength(2 * (await old.sessionIds()).length);
  });

  it('takes a key over into an empty archive only', async () => {
    await old.open('keys');
    await fresh.open('keys');
    const key = await old.transfer.readKey(old.accountId);
    await expect(fresh.transfer.takeKey(fresh.accountId, key.subarray(1))).rejects.toMatchObject({
      code: 'bad_request',
    });
    expect(await fresh.transfer.takeKey(fresh.accountId, key)).toBe('taken');
    expect(await fresh.transfer.takeKey(fresh.accountId, key)).toBe('same');
    expect(await fresh.transfer.readKey(fresh.accountId)).toEqual(key);
    await fresh.play(readCase(name, fresh.accountId, start));
    expect(await fresh.transfer.takeKey(fresh.accountId, key)).toBe('same');
    await expect(fresh.transfer.takeKey(fresh.accountId, new Uint8Array(32))).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('of an older version without file touches has them filled in', async () => {
    const lines = await exported('old version');
    const before = (await old.rows()).file_touch;
    expect(before?.length).toBeGreaterThan(0);
    await fresh.open('old version');
    await fresh.transfer.takeKey(fresh.accountId, await old.transfer.readKey(old.accountId));
    await fresh.import(
      lines.map((line) =>
        JSON.stringify(JSON.parse(line), (key, value: unknown) => (key === 'touches' ? undefined : value)),
      ),
    );
    const { rows } = await fresh.database.pool.query<{ touch_cursor: Buffer }>(
      'SELECT touch_cursor FROM account WHERE id = $1',
      [fresh.accountId],
    );
    expect(rows[0]?.touch_cursor).toEqual(Buffer.alloc(0));
  });

  const broken: readonly (readonly [string, (lines: string[]) => string[], RegExp])[] = [
    ['no header', (lines) => lines.slice(1), /^Line 1 is not the header/],
    ['another file', () => ['{"a":1}'], /^Line 1 is not an object/],
    ['no JSON', () => ['words'], /^Line 1 is not JSON/],
    ['another header', () => ['{"header":{"format":"x","version":1}}'], /^Line 1 is not the header/],
    [
      'a newer version',
      (lines) => [lines[0]?.replace('"version":1', '"version":2') ?? ''],
      /^Line 1 .*newer/,
    ],
    ['no end', (lines) => lines.slice(0, -1), /^Line \d+ is the last one/],
    ['a line that is missing', (lines) => dropLine(lines, 'event', 3), /^Line \d+ has an event at another/],
    ['a message that is missing', (lines) => dropLine(lines, 'message', 2), /^Line \d+ holds a row/],
    [
      'a thread that is missing',
      (lines) => dropLine(lines, 'thread', 0),
      /^Line \d+ has an event of a thread/,
    ],
    ['a strange line', (lines) => [lines[0] ?? '', '{"fact":{}}'], /^Line 2 begins with "fact"/],
    ['a text that was changed', (lines) => change(lines, 'message', 2, /"text":"/, '"text":"x'), /^Line \d+/],
    ['an id that was changed', (lines) => change(lines, 'message', 2, /msg-./, 'msg-g'), /^Line \d+/],
    [
      'a hash that is none',
      (lines) => change(lines, 'event', 2, /"message_hash":"../, '"message_hash":"zz'),
      /^Line/,
    ],
    [
      'a number that is none',
      (lines) => change(lines, 'request', 0, /"request_bytes":"/, '"request_bytes":"x'),
      /^Line \d+ holds a row/,
    ],
    [
      'a NUL where none can be',
      (lines) => change(lines, 'request', 0, /"path":"/, '"path":"\\u0000'),
      /^Line \d+ holds a row/,
    ],
    [
      'a message of no event',
      (lines) => [...lines.slice(0, -1), messageOnly(lines), lines.at(-1) ?? ''],
      /^Line \d+ has a message that no event/,
    ],
  ];
  /** Values that the database would take and that no reader of a list can show. */
  const poisons: readonly (readonly [line: string, field: string, values: readonly unknown[]])[] = [
    [
      'header',
      'last_seen_at',
      ['infinity', '-infinity', 'now', '20000-01-01T00:00:00Z', '0001-01-01', 7, {}],
    ],
    ['header', 'started_at', ['infinity', '']],
    ['header', 'agent', ['somebody', '', {}]],
    ['header', 'title', [{}, ['x'], 7, 'a\0b']],
    ['header', 'turns', ['x', 1e99, {}]],
    ['message', 'role', ['root', '']],
    ['message', 'seen_at', ['infinity']],
    ['item', 'kind', ['fact', '']],
    ['item', 'main_input', [{}, 'a\0b']],
    ['event', 'at', ['infinity', 'epoch']],
    ['event', 'duration_ms', ['x', '9223372036854775807']],
    ['request', 'received_at', ['-infinity', 'tomorrow']],
    ['request', 'total_ms', ['NaN', 'Infinity', 1e300]],
    ['request', 'input_tokens', ['9223372036854775807']],
    ['request', 'path', [[], 'a\0b']],
    ['thread', 'created_at', ['infinity']],
    [
      'thread',
      'client_thread_id',
      [Array.from({ length: 9000 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join('')],
    ],
  ];
  const poisoned = poisons.flatMap(([name, field, values]) =>
    values.map((value, n): (typeof broken)[number] => [
      `${field} of a ${name} that no reader can show (${n})`,
      (lines) => poison(lines, name, field, value),
      /^Line \d+ holds a row/,
    ]),
  );

  it.each([...broken, ...poisoned])(
    'of %s names the line, and writes nothing of the session',
    async (_what, breakIt, message) => {
      const lines = await sample();
      await fresh.open(`broken ${_what}`);
      await fresh.transfer.takeKey(fresh.accountId, await old.transfer.readKey(old.accountId));
      const none = Object.fromEntries(Object.keys(TABLES).map((table) => [table, []]));
      await expect(
        fresh.import(breakIt(lines.slice(0, lines.findIndex((line) => line.startsWith('{"end"')) + 1))),
      ).rejects.toMatchObject({
        message: expect.stringMatching(message),
      });
      expect(await fresh.rows()).toEqual(none);
    },
  );

  it('that goes on with a session whose header lies is refused, and the session stays as it was', async () => {
    await old.open('lying');
    await fresh.open('lying');
    const exchanges = readCase(name, old.accountId, start);
    await fresh.transfer.takeKey(fresh.accountId, await old.transfer.readKey(old.accountId));
    await old.play(exchanges.slice(0, 6));
    await fresh.import(await old.export());
    const before = await fresh.rows();
    await old.play(exchanges.slice(6));
    const late = await old.export();
    for (const [field, value] of [
      ['last_seen_at', 'infinity'],
      ['last_seen_at', 'soon'],
      ['title', {}],
      ['turns', 'many'],
      ['next_seq', 2_147_483_647],
      ['next_seq', '9'.repeat(400)],
    ] as const) {
      await expect(fresh.import(poison(late, 'header', field, value))).rejects.toMatchObject({
        code: 'bad_request',
        message: expect.stringMatching(/^Line \d+/),
      });
      expect(await fresh.rows()).toEqual(before);
    }
  });

  it('that breaks off keeps the sessions before, and the rest comes with the whole file', async () => {
    await old.open('two');
    await old.play(readCase(name, old.accountId, start));
    await old.play(readCase('claude-code/sonnet-session', old.accountId, start));
    const lines = await old.export();
    await fresh.open('two');
    await fresh.transfer.takeKey(fresh.accountId, await old.transfer.readKey(old.accountId));
    await expect(fresh.import(lines.slice(0, -2))).rejects.toMatchObject({ code: 'bad_request' });
    expect(await fresh.sessionIds()).toHaveLength(1);
    expect((await fresh.import(lines)).map((one) => one.state)).toEqual(['present', 'imported']);
    expect(placed(await fresh.rows())).toEqual(placed(await old.rows()));
  });
});

function dropLine(lines: readonly string[], name: string, nth: number): string[] {
  const at = lines.flatMap((line, index) => (line.startsWith(`{"${name}"`) ? [index] : []))[nth];
  return lines.filter((_, index) => index !== at);
}

function change(lines: readonly string[], name: string, nth: number, what: RegExp, by: string): string[] {
  const at = lines.flatMap((line, index) => (line.startsWith(`{"${name}"`) ? [index] : []))[nth];
  return lines.map((line, index) => (index === at ? line.replace(what, by) : line));
}

/** The lines with another value in a field of the first line, or item, of a name. */
function poison(lines: readonly string[], name: string, field: string, value: unknown): string[] {
  const at = lines.findIndex((line) => line.startsWith(`{"${name === 'item' ? 'message' : name}"`));
  return lines.map((line, index) => {
    if (index !== at) return line;
    const parsed = JSON.parse(line) as Record<string, Record<string, unknown>>;
    const [first = {}] = Object.values(parsed);
    const inner = name === 'header' ? first.session : name === 'item' ? (first.items as unknown[])[0] : first;
    if (typeof inner !== 'object' || inner === null) throw new Error(`the export has no ${name}`);
    Object.assign(inner, { [field]: value });
    return JSON.stringify(parsed);
  });
}

/** A message that is not in the conversation. */
function messageOnly(lines: readonly string[]): string {
  const line = lines.find((one) => one.startsWith('{"message"')) ?? '';
  const { message } = JSON.parse(line) as { message: Record<string, unknown> };
  return JSON.stringify({ message: { ...message, hash: '0'.repeat(64), items: [], aliases: [] } });
}
