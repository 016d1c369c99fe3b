import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Boundary, type BoundaryElement, chooseBoundary } from './boundary.ts';

const element = (change: Partial<BoundaryElement>): BoundaryElement => ({
  role: 'user',
  older: 'leaves',
  typed: false,
  results: false,
  opens: [],
  closes: [],
  joins: false,
  tokens: 10,
  confirmed: true,
  ...change,
});
const typed = (tokens = 10) => element({ typed: true, tokens });
const answer = (tokens = 10) => element({ role: 'assistant', tokens });
const call = (id: string, tokens = 10) => element({ role: 'assistant', opens: [id], tokens });
const result = (id: string, tokens = 10) => element({ results: true, closes: [id], tokens });
const system = () => element({ role: 'system' });

const at = (chosen: ReturnType<typeof chooseBoundary>) => (typeof chosen === 'string' ? chosen : chosen.at);

describe('a boundary', () => {
  test('stands before a typed message if the recent part then still has half of its tokens', () => {
    const turns = [typed(), answer(100), typed(), answer(100), typed()];
    expect(chooseBoundary(turns, 130)).toMatchObject({
      at: 2,
      before: 'typed',
      leaves: 2,
      leavesTokens: 110,
    });
  });

  test('stands before an assistant message where no typed one is in reach', () => {
    const loop = [
      typed(),
      call('a', 50),
      result('a', 50),
      call('b', 50),
      result('b', 50),
      answer(),
      typed(1),
    ];
    expect(chooseBoundary(loop, 120)).toMatchObject({ at: 3, before: 'assistant', recent: 111 });
  });

  test('keeps the typed message of the turn that it cuts', () => {
    const loop = [typed(7), call('a', 50), result('a', 50), call('b', 50), result('b', 50)];
    expect(chooseBoundary(loop, 100)).toEqual({
      at: 3,
      before: 'assistant',
      runningTyped: 0,
      recent: 107,
      leaves: 2,
      leavesTokens: 100,
    } satisfies Boundary);
  });

  test('takes the newest place where the newest round alone is larger than the part', () => {
    const loop = [typed(), answer(), typed(), call('a', 500), result('a', 500)];
    expect(at(chooseBoundary(loop, 100))).toBe(3);
  });

  test('leaves nothing out that the archive has not confirmed', () => {
    const turns = [typed(), answer(100), typed(), { ...answer(100), confirmed: false }, typed(), answer(50)];
    expect(at(chooseBoundary(turns, 60))).toBe(3);
    expect(chooseBoundary([{ ...typed(), confirmed: false }, answer(), typed()], 10)).toBe('not_confirmed');
  });

  test('stands behind what a provider compacted itself', () => {
    const turns = [typed(), answer(100), typed(), answer(100), typed(), answer(10)];
    const chosen = chooseBoundary(turns, 15, 2);
    expect(chosen).toMatchObject({ at: 5, leaves: 2, runningTyped: 4 });
  });

  test('does not exist where there is nothing to leave out', () => {
    expect(chooseBoundary([], 100)).toBe('nothing_old');
    expect(chooseBoundary([typed()], 100)).toBe('nothing_old');
    expect(chooseBoundary([{ ...typed(), older: 'stays' }, answer()], 10)).toBe('nothing_old');
    expect(chooseBoundary([typed(), system(), system()], 10)).toBe('no_place');
  });
});

/** Conversations of turns with tool rounds, parallel calls, system messages behind users' and joined entries. */
const conversation = fc
  .array(
    fc.record({
      rounds: fc.array(
        fc.record({ calls: fc.integer({ min: 0, max: 3 }), reasoning: fc.boolean(), system: fc.boolean() }),
        { minLength: 1, maxLength: 6 },
      ),
      system: fc.boolean(),
      sizes: fc.integer({ min: 1, max: 400 }),
      confirmed: fc.integer({ min: 0, max: 9 }).map((roll) => roll > 0),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((turns) => {
    let id = 0;
    const list: BoundaryElement[] = [];
    for (const turn of turns) {
      const push = (change: Partial<BoundaryElement>) =>
        list.push(element({ tokens: turn.sizes, confirmed: turn.confirmed, ...change }));
      push({ typed: true });
      if (turn.system) push({ role: 'system' });
      for (const round of turn.rounds) {
        const ids = Array.from({ length: round.calls }, () => `call-${id++}`);
        if (round.reasoning) push({ role: 'assistant' });
        push({ role: 'assistant', opens: ids, joins: round.reasoning });
        if (ids.length > 0) push({ results: true, closes: ids });
        if (ids.length > 0 && round.system) push({ role: 'system' });
      }
    }
    return list;
  });

test('wherever a boundary falls, no call is parted from its result and no group from its beginning', () => {
  fc.assert(
    fc.property(conversation, fc.integer({ min: 0, max: 4_000 }), (list, recent) => {
      const chosen = chooseBoundary(list, recent);
      if (typeof chosen === 'string') return;
      const first = list[chosen.at];
      expect(first?.joins).toBe(false);
      expect(first?.results).toBe(false);
      expect(first?.role === 'system').toBe(false);
      const older = list.slice(0, chosen.at);
      const opened = older.flatMap((one) => one.opens);
      const closed = new Set(older.flatMap((one) => one.closes));
      expect(opened.filter((one) => !closed.has(one))).toEqual([]);
      const gone = older.filter((_, index) => index !== chosen.runningTyped);
      expect(gone.every((one) => one.confirmed)).toBe(true);
      expect(chosen.leavesTokens).toBe(gone.reduce((sum, one) => sum + one.tokens, 0));
    }),
  );
});

test('the recent part is larger than asked for only where no allowed cut is small enough', () => {
  fc.assert(
    fc.property(conversation, fc.nat(3_000), (unconfirmed, recent) => {
      const list = unconfirmed.map((entry) => ({ ...entry, confirmed: true }));
      const tokensFrom = (from: number) => list.slice(from).reduce((sum, one) => sum + one.tokens, 0);
      const isAllowed = (one: BoundaryElement, index: number) => {
        const calls = list.slice(0, index).flatMap((older) => older.opens);
        const answered = new Set(list.slice(0, index).flatMap((older) => older.closes));
        const begins = (one.role === 'assistant' && !one.joins) || one.typed;
        return index > 0 && begins && calls.every((call) => answered.has(call));
      };
      const smallest = list.findLastIndex(isAllowed);
      const chosen = chooseBoundary(list, recent);
      if (chosen === 'nothing_old') return;
      if (typeof chosen === 'string') expect(smallest).toBe(-1);
      else if (tokensFrom(chosen.at) > recent) expect(chosen.at).toBe(smallest);
    }),
  );
});
