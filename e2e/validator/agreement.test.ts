import { describe, expect, it } from 'vitest';
import { judgements } from './testing-agreement.ts';
import { EXCEPTIONS, exceptionOf } from './testing-exceptions.ts';
import { runAgreement, runEdits } from './testing-runs.ts';

describe.each(['anthropic', 'openai'] as const)('made-up conversations of %s', (protocol) => {
  const run = { protocol, count: 3_000, seed: 20261130 };

  it('are taken and refused alike by validator and provider after random edits, but for what is listed', () => {
    const { taken, refused } = runAgreement(run);
    expect(taken).toBeGreaterThan(run.count / 10);
    expect(refused).toBeGreaterThan(run.count / 10);
  });

  it('are taken by the provider with every edit of ours that the validator takes', () => {
    const { taken, refused } = runEdits(run);
    expect(taken).toBeGreaterThan(run.count / 20);
    expect(refused).toBeGreaterThan(run.count / 20);
  });
});

describe('a listed disagreement', () => {
  it.each(EXCEPTIONS.map((exception) => [`${exception.alone} alone, ${exception.by}`, exception] as const))(
    'still is one: %s',
    (_name, exception) => {
      const { protocol, example } = exception;
      expect(exceptionOf(protocol, judgements(protocol, example, example, [], {}))).toBe(exception);
    },
  );
});
