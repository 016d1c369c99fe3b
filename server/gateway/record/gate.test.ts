import { expect, it } from 'vitest';
import { createGate } from './gate.ts';

it('runs no more at once than it has places, in order, and all of them though some fail', async () => {
  const gate = createGate(3);
  const order: number[] = [];
  let running = 0;
  let most = 0;
  const results = await Promise.allSettled(
    Array.from({ length: 50 }, (_, n) =>
      gate(async () => {
        order.push(n);
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        if (n % 7 === 0) throw new Error('no');
        return n;
      }),
    ),
  );
  expect(most).toBe(3);
  expect(order).toEqual(Array.from({ length: 50 }, (_, n) => n));
  expect(results.filter((one) => one.status === 'rejected')).toHaveLength(8);
});
