import { describe, expect, test } from 'vitest';
import { fuzzTransport } from './testing-transport.ts';

describe.each(['node', 'web'] as const)('2,000 made-up requests and answers through %s', (face) => {
  test.each(['anthropic', 'openai'] as const)(
    'pass %s byte for byte, and are recorded so',
    async (protocol) => {
      await expect(fuzzTransport({ protocol, face, count: 2_000, seed: 20261130 })).resolves.toBeUndefined();
    },
  );
});
