import { expect, test } from 'vitest';
import { asContextModeError, faultOf } from './errors.ts';

test('what is logged of a fault names its kind and place and quotes nothing', () => {
  const quoting = () => {
    try {
      return JSON.parse('{"my secret words": oops}');
    } catch (error) {
      return error;
    }
  };
  const fault = faultOf(quoting());
  expect(fault).toMatch(/^SyntaxError at \S+$/);
  expect(fault).not.toContain('secret');
  expect(faultOf(asContextModeError(quoting()))).not.toContain('secret');
});

test('a code is kept, whatever is thrown', () => {
  expect(faultOf(Object.assign(new Error('words'), { code: '57P01' }))).toMatch(/^Error 57P01( at \S+)?$/);
  expect(faultOf('words')).toBe('string');
});
