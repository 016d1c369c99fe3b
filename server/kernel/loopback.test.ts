import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLoopbackHost } from './loopback.ts';

test('only names of the loopback are taken for it', () => {
  for (const host of [
    'localhost',
    'localhost:4141',
    '127.0.0.1:4141',
    '127.1.2.3',
    '[::1]:4141',
    'LOCALHOST:1',
  ]) {
    expect(isLoopbackHost(host), host).toBe(true);
  }
  for (const host of [
    'rebound.example',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '0.0.0.0',
    '',
    '10.0.0.1',
  ]) {
    expect(isLoopbackHost(host), host).toBe(false);
  }
});

test('no host that ends in a registered name passes, whatever stands before it', () => {
  const label = fc.stringMatching(/^[a-z0-9]{1,12}$/);
  fc.assert(
    fc.property(fc.array(label, { minLength: 1, maxLength: 4 }), (labels) => {
      expect(isLoopbackHost(`${labels.join('.')}.example:4141`)).toBe(false);
    }),
  );
});
