import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { exchange } from './exchange.ts';
import type { Product } from './product.ts';
import { answerTo, type Provider } from './provider.ts';
import type { Talk } from './talk.ts';

/** How much longer than direct a turn through the gateway may take, in milliseconds, whatever happens to the store. */
export const LONGER_MS = 1_000;

/**
 * Takes one turn twice, directly and through the gateway, and asserts that the provider got and the client was given
 * the same bytes, within the allowed time.
 */
export async function turnLikeDirect(talk: Talk, product: Product, provider: Provider): Promise<void> {
  talk.type();
  const direct = await exchange(talk.call(provider.url));
  const before = provider.arrived.length;
  const routed = await exchange(talk.call(product.anthropic));
  const sent = createHash('sha256').update(talk.call('').body).digest('hex');
  expect(routed.status).toBe(200);
  expect(provider.arrived.slice(before).map((one) => one.sha256)).toEqual([sent]);
  expect(routed.body.equals(direct.body), 'the answer has the same bytes').toBe(true);
  expect(routed.ms - direct.ms, 'milliseconds more than direct').toBeLessThan(LONGER_MS);
  talk.answered(answerTo(sent));
}
