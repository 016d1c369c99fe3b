import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nanoDollars } from '../../kernel/money.ts';
import { addLines, FEATURES, type Lines, linesOf } from './lines.ts';

const body = fc.record({
  amount: fc.bigInt({ min: 0n, max: 10n ** 15n }).map(nanoDollars),
  tokens: fc.nat(2_000_000),
});
const row = fc.record({ client: body, trimmed: body, laidOut: body, withTool: body, sent: body });

const sumOf = (lines: Lines) => FEATURES.reduce((sum, feature) => sum + lines[feature].amount, 0n);
const tokensOf = (lines: Lines) => FEATURES.reduce((sum, feature) => sum + lines[feature].tokens, 0);

test('the direct estimate and all lines add up to the actual cost, of any bodies and of any sums of requests', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(row, body, fc.boolean()), { minLength: 1 }), (requests) => {
      const lines = requests.map(([bodies, actual, evicts]) => linesOf(bodies, actual, evicts));
      const all = lines.reduce(addLines);
      const total = (of: (request: (typeof requests)[number]) => bigint) =>
        requests.reduce((sum, request) => sum + of(request), 0n);
      expect(total(([bodies]) => bodies.client.amount) + sumOf(all)).toBe(
        total(([, actual]) => actual.amount),
      );
      for (const [at, [bodies, actual]] of requests.entries())
        expect(bodies.client.tokens + tokensOf(lines[at] as Lines)).toBe(actual.tokens);
    }),
  );
});

test('the actual cost changes no line but the estimate', () => {
  fc.assert(
    fc.property(row, body, body, fc.boolean(), (bodies, one, other, evicts) => {
      const { estimate: _one, ...these } = linesOf(bodies, one, evicts);
      const { estimate: _other, ...those } = linesOf(bodies, other, evicts);
      expect(these).toEqual(those);
    }),
  );
});

test('a layout is Recall’s or an eviction’s, never both', () => {
  fc.assert(
    fc.property(row, body, (bodies, actual) => {
      const [laid, evicted] = [linesOf(bodies, actual, false), linesOf(bodies, actual, true)];
      expect(laid.eviction).toEqual({ amount: 0n, tokens: 0 });
      expect(evicted.recall).toEqual({ amount: 0n, tokens: 0 });
      expect(evicted.eviction).toEqual(laid.recall);
    }),
  );
});
