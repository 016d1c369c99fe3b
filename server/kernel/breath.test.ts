import { expect, it } from 'vitest';
import { breathe } from './breath.ts';

it('long work that breathes lets what is ready run between, before it has ended', async () => {
  let ran = 0;
  const other = () => {
    ran += 1;
    if (ran < 3) setImmediate(other);
  };
  setImmediate(other);
  // Waiting for nothing else would never let another turn of the loop begin.
  for (let piece = 0; piece < 50_000_000 && ran < 3; piece += 1) await breathe();
  expect(ran).toBe(3);
});
