import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nanoDollars } from '../kernel/money.ts';
import { decideMoment, type MomentQuestion, type MomentState, NOTHING_DUE } from './moments.ts';

const READ = nanoDollars(200);
const WRITE = nanoDollars(5_000);
const HOUR = 3_600_000;

const quiet: MomentQuestion = {
  sinceLast: 10_000,
  cacheLifetime: 300_000,
  current: 100_000,
  next: 40_000,
  limit: 160_000,
  minGain: 20_000,
  turnBegins: true,
  prices: { read: READ, write: WRITE },
};

const decide = (change: Partial<MomentQuestion>, state: MomentState = NOTHING_DUE) =>
  decideMoment({ ...quiet, ...change }, state);

describe('a layout is made', () => {
  test('at the window, inside a turn too, and however little it gains', () => {
    const moment = decide({ current: 160_001, next: 160_000, turnBegins: false });
    expect(moment).toMatchObject({ act: 'layout', reason: 'window', state: NOTHING_DUE });
    expect(decide({ current: 160_000 }).act).toBe('none');
  });

  test('after a pause longer than the cache lives, at the beginning of a turn', () => {
    expect(decide({ sinceLast: 300_001 })).toMatchObject({ act: 'layout', reason: 'pause' });
    expect(decide({ sinceLast: 300_000 }).act).toBe('none');
    expect(decide({ sinceLast: HOUR, cacheLifetime: HOUR }).act).toBe('none');
  });

  test('when the rent has reached the price, at the beginning of a turn', () => {
    const price = 40_000n * WRITE;
    const almost = { rented: nanoDollars(price - 60_000n * READ - 1n), pauseDue: false };
    expect(decide({}, almost)).toMatchObject({ act: 'none' });
    const reached = { rented: nanoDollars(price - 60_000n * READ), pauseDue: false };
    expect(decide({}, reached)).toMatchObject({ act: 'layout', reason: 'cost' });
  });
});

describe('inside a turn', () => {
  test('a pause waits for the next turn, and is not forgotten', () => {
    const waiting = decide({ sinceLast: HOUR, turnBegins: false });
    expect(waiting).toMatchObject({ act: 'none', because: 'pause_waits_for_turn' });
    const still = decide({ turnBegins: false }, waiting.state);
    expect(still.act).toBe('none');
    expect(decide({}, still.state)).toMatchObject({ act: 'layout', reason: 'pause' });
  });

  test('the cost rule waits until the rent is twice the price', () => {
    const price = 40_000n * WRITE;
    const due = { rented: nanoDollars(price), pauseDue: false };
    expect(decide({ turnBegins: false }, due)).toMatchObject({ because: 'cost_waits_for_turn' });
    const twice = { rented: nanoDollars(2n * price), pauseDue: false };
    expect(decide({ turnBegins: false }, twice)).toMatchObject({ act: 'layout', reason: 'cost' });
  });
});

describe('nothing happens', () => {
  test('for a gain below the least one, for a pause as for the cost rule', () => {
    const rich = { rented: nanoDollars(10n ** 15n), pauseDue: true };
    expect(decide({ next: 80_001 }, rich)).toMatchObject({ because: 'gain_too_small' });
    expect(decide({ next: 80_000 }, rich).act).toBe('layout');
  });

  test('at a window that nobody knows', () => {
    expect(decide({ limit: null, current: 5_000_000, prices: null })).toMatchObject({
      because: 'nothing_due',
    });
  });

  test('where no shorter layout can be made, and the answer says so', () => {
    expect(decide({ current: 200_000, next: null })).toMatchObject({ because: 'no_layout_possible' });
    expect(decide({ current: 200_000, next: 200_000 })).toMatchObject({ because: 'no_layout_possible' });
  });

  test('by the cost rule without a price', () => {
    const rich = { rented: nanoDollars(10n ** 15n), pauseDue: false };
    expect(decide({ prices: null }, rich)).toMatchObject({ because: 'nothing_due' });
  });
});

/** A stretch of requests while the cache is warm: growth of the prompt, and whether a turn begins. */
const stretch = fc.array(fc.record({ grows: fc.integer({ min: 0, max: 8_000 }), turnBegins: fc.boolean() }), {
  minLength: 1,
  maxLength: 400,
});

test('under constant traffic the window is never passed by a request that a layout could shorten', () => {
  fc.assert(
    fc.property(stretch, (requests) => {
      let state = NOTHING_DUE;
      let current = 90_000;
      for (const { grows, turnBegins } of requests) {
        current += grows;
        const moment = decideMoment(
          { ...quiet, sinceLast: 1, current, next: Math.min(60_000, current), turnBegins },
          state,
        );
        state = moment.state;
        if (moment.act === 'layout') current = 60_000;
        expect(current).toBeLessThanOrEqual(160_000);
      }
    }),
  );
});

/**
 * Rent and price of a stretch at a constant price of the layout: what the rule paid, and what the best choice in hindsight
 * would have paid among the moments at which a layout was allowed (before any request at which a turn begins, or never).
 */
function rentOrBuy(rents: readonly { readonly rent: number; readonly turnBegins: boolean }[], price: number) {
  let state = NOTHING_DUE;
  let paid = 0n;
  let bought = false;
  let best: bigint | null = null;
  let total = 0n;
  for (const { rent, turnBegins } of rents) {
    if (turnBegins) best = best === null || total + BigInt(price) < best ? total + BigInt(price) : best;
    total += BigInt(rent);
    if (bought) continue;
    const moment = decideMoment(
      {
        ...quiet,
        current: price + rent,
        next: price,
        limit: null,
        minGain: 0,
        turnBegins,
        prices: { read: nanoDollars(1), write: nanoDollars(1) },
      },
      state,
    );
    state = moment.state;
    bought = moment.act === 'layout';
    paid += bought ? BigInt(price) : BigInt(rent);
  }
  return { paid, best: best === null || total < best ? total : best };
}

const rents = (turns: fc.Arbitrary<boolean>) =>
  fc.array(fc.record({ rent: fc.integer({ min: 1, max: 900 }), turnBegins: turns }), { maxLength: 300 });

test('where every request may get a layout, the cost rule pays at most twice the best choice in hindsight', () => {
  fc.assert(
    fc.property(rents(fc.constant(true)), fc.integer({ min: 1, max: 5_000 }), (requests, price) => {
      const { paid, best } = rentOrBuy(requests, price);
      expect(paid <= 2n * best).toBe(true);
    }),
  );
});

test('with turns that make it wait, it pays at most three times the best choice in hindsight', () => {
  fc.assert(
    fc.property(rents(fc.boolean()), fc.integer({ min: 1, max: 5_000 }), (requests, price) => {
      const { paid, best } = rentOrBuy(requests, price);
      expect(paid <= 3n * best).toBe(true);
    }),
  );
});
