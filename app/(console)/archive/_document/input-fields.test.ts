import { expect, it } from 'vitest';
import { inputFields } from './input-fields.ts';

it('input is read field by field and texts lose their escapes', () => {
  expect(inputFields('{"path":"a\\nb","n":[1,2]}')).toEqual([
    ['path', 'a\nb'],
    ['n', '[\n  1,\n  2\n]'],
  ]);
  expect(inputFields('not json')).toBeNull();
  expect(inputFields('[1]')).toBeNull();
});
