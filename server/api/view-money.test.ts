import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Millis } from '../kernel/clock.ts';
import { nanoDollars } from '../kernel/money.ts';
import { breakEvenOf, previewMoney, viewMoney } from './view-money.ts';

const AT = Date.UTC(2026, 10, 30) as Millis;
const USAGE = {
  input: 10,
  cacheRead: 1_000,
  cacheWrite5m: 100,
  cacheWrite1h: null,
  cacheWriteOther: null,
  output: 20,
  reasoning: 5,
};

it('a request costs what its counted tokens cost, each in its bucket', () => {
  // claude-opus-5: 5,000 nano-dollars a new token, 6,250 a written one, 500 a read one, 25,000 an answered one.
  const money = viewMoney({ model: 'claude-opus-5', at: AT, usage: USAGE, tokens: null });
  expect(money?.cost).toBe('0.001800000');
  expect(money?.leftOut).toBeNull();
});

it('what was left out is priced as reads and as new input, and only where something was', () => {
  const ask = (client: number, sent: number) =>
    viewMoney({ model: 'claude-opus-5', at: AT, usage: null, tokens: { client, sent } });
  expect(ask(3_000, 1_000)).toMatchObject({
    cost: null,
    leftOut: { tokens: 2_000, asRead: '0.001000000', asInput: '0.010000000' },
  });
  expect(ask(1_000, 1_000)?.leftOut).toBeNull();
  expect(ask(1_000, 1_200)?.leftOut).toBeNull();
});

it('a model without a price has no money at all, never another price', () => {
  const unknown = { model: 'claude-opus-5-20990101', at: AT };
  expect(viewMoney({ ...unknown, usage: USAGE, tokens: null })).toBeNull();
  expect(viewMoney({ model: null, at: AT, usage: USAGE, tokens: null })).toBeNull();
  expect(previewMoney({ ...unknown, tokensNow: 100, tokensThen: 10, cacheMark: null })).toBeNull();
});

it('a mark of one hour is written at the price of one hour', () => {
  const ask = (cacheMark: '5m' | '1h' | null) =>
    previewMoney({ model: 'claude-opus-5', at: AT, tokensNow: 100_000, tokensThen: 10_000, cacheMark });
  expect(ask('5m')).toMatchObject({ readNow: '0.050000000', readThen: '0.005000000', write: '0.062500000' });
  expect(ask(null)?.write).toBe('0.062500000');
  expect(ask('1h')?.write).toBe('0.100000000');
  expect(ask('5m')?.breakEven).toBe(2);
});

it('break-even is the first request at which the cheaper reads have paid the writing', () => {
  const amount = fc.bigInt({ min: 0n, max: 10n ** 12n });
  fc.assert(
    fc.property(amount, amount, amount, (readNow, readThen, write) => {
      const found = breakEvenOf(nanoDollars(readNow), nanoDollars(readThen), nanoDollars(write));
      if (readNow <= readThen) {
        expect(found).toBeNull();
        return;
      }
      const gain = readNow - readThen;
      expect(BigInt(found ?? -1) * gain).toBeGreaterThanOrEqual(write);
      if ((found ?? 0) > 0) expect((BigInt(found ?? 0) - 1n) * gain).toBeLessThan(write);
    }),
  );
});
