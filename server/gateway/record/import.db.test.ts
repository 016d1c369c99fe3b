import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '../../db/testing.ts';
import { readCase, recordedCases } from './recorded.testing.ts';
import { Archive, clock, placed, poison, START } from './testing-import.ts';

/** Tables that a further request of a known conversation writes. */
const GROWING = [
  ...(['message', 'item', 'event', 'message_alias', 'preamble'] as const),
  ...(['request', 'answer', 'file_touch'] as const),
];

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

describe.each(recordedCases)('the recorded conversation %s', (name) => {
  it('is the same after an import with its key, goes on as before, is imported once, and comes back after a deletion', async () => {
    await old.open(name);
    await fresh.open(name);
    const exchanges = readCase(name, old.accountId, START);
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

  async function exported(account: string): Promise<string[]> {
    await old.open(account);
    await old.play(readCase(name, old.accountId, START));
    return old.export();
  }

  it('of a newer export adds what is missing, and of an older one nothing', async () => {
    await old.open('grown');
    await fresh.open('grown');
    const exchanges = readCase(name, old.accountId, START);
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
    await fresh.play(readCase(name, fresh.accountId, START + 3_600_000));
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
    await fresh.play(readCase(name, fresh.accountId, START));
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

  it('that goes on with a session whose header lies is refused, and the session stays as it was', async () => {
    await old.open('lying');
    await fresh.open('lying');
    const exchanges = readCase(name, old.accountId, START);
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
    await old.play(readCase(name, old.accountId, START));
    await old.play(readCase('claude-code/sonnet-session', old.accountId, START));
    const lines = await old.export();
    await fresh.open('two');
    await fresh.transfer.takeKey(fresh.accountId, await old.transfer.readKey(old.accountId));
    await expect(fresh.import(lines.slice(0, -2))).rejects.toMatchObject({ code: 'bad_request' });
    expect(await fresh.sessionIds()).toHaveLength(1);
    expect((await fresh.import(lines)).map((one) => one.state)).toEqual(['present', 'imported']);
    expect(placed(await fresh.rows())).toEqual(placed(await old.rows()));
  });
});
