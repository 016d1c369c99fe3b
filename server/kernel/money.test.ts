import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dollarsText, nanoDollars, scaled } from './money.ts';

test('a text of dollars has nine places and says the same amount', () => {
  expect(dollarsText(nanoDollars(0))).toBe('0.000000000');
  expect(dollarsText(nanoDollars(-1))).toBe('-0.000000001');
  expect(dollarsText(nanoDollars(1_250_000))).toBe('0.001250000');
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), (amount) => {
      const [whole = '', places = ''] = dollarsText(nanoDollars(amount)).replace('-', '').split('.');
      expect(places).toHaveLength(9);
      expect(BigInt(whole + places)).toBe(amount < 0n ? -amount : amount);
    }),
  );
});

test('scaling is off by no more than half a nano-dollar and treats debts as amounts', () => {
  fc.assert(
    fc.property(
      fc.bigInt(-(10n ** 15n), 10n ** 15n),
      fc.bigInt(0n, 30n),
      fc.bigInt(1n, 40n),
      (amount, up, down) => {
        const result = scaled(amount, up, down);
        const error = 2n * (result * down - amount * up);
        expect(error <= down && error >= -down).toBe(true);
        expect(scaled(-amount, up, down)).toBe(-result);
      },
    ),
  );
});
