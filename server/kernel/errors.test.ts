import { expect, it, vi } from 'vitest';
import { asContextModeError, ContextModeError } from './errors.ts';

it('knows an error of ours that another copy of this module made', async () => {
  vi.resetModules();
  const copy = await import('./errors.ts');
  expect(copy.ContextModeError).not.toBe(ContextModeError);
  const thrown = new copy.ContextModeError('not_found', 'There is no such thing.', {
    hint: 'Look elsewhere.',
  });
  expect(asContextModeError(thrown)).toBe(thrown);
});

it('tells nothing of a foreign error, whatever it calls itself', () => {
  const named = Object.assign(new Error('secret'), { name: 'ContextModeError', code: 'made_up', hint: '' });
  for (const thrown of [new Error('secret'), 'secret', { code: 'not_found', hint: 'secret' }, named]) {
    const { code, message, hint } = asContextModeError(thrown);
    expect(code).toBe('internal');
    expect(message + hint).not.toContain('secret');
  }
});
