import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldersAbove, normalPath } from './paths.ts';

test.each([
  ['a.ts', '/w', '/w/a.ts'],
  ['./src//a.ts', '/w/', '/w/src/a.ts'],
  ['../x/./a', '/w/sub', '/w/x/a'],
  ['/etc/../a', '/w', '/a'],
  ['../../../a', '/w', '/a'],
  ['.', '/w', '/w'],
  ['/', null, '/'],
  ['a b/ü', '/w', '/w/a b/ü'],
  ['a\\b', '/w', '/w/a\\b'],
  ['src\\a.ts', 'c:\\Work', 'C:/Work/src/a.ts'],
  ['C:\\Work\\.\\a.ts', '/w', 'C:/Work/a.ts'],
  ['c:/Work/../a.ts', null, 'C:/a.ts'],
  ['\\\\host\\share\\x\\a', null, '//host/share/x/a'],
])('%s in %s is %s', (path, folder, expected) => {
  expect(normalPath(path, folder)).toBe(expected);
});

test.each([
  ['', '/w'],
  ['~/a', '/w'],
  ['~', '/w'],
  ['a', null],
  ['a', 'relative'],
  ['a\0b', '/w'],
])('%j in %s cannot be told', (path, folder) => {
  expect(normalPath(path, folder)).toBeNull();
});

const name = fc.string({ minLength: 1, maxLength: 6 }).filter((one) => !/[/\\\0]/.test(one) && one !== '~');

test('a path in normal form stays as it is, and leads to itself from everywhere', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(name, fc.constantFrom('.', '..', '')), { maxLength: 8 }), (names) => {
      const once = normalPath(`/${names.join('/')}`, null);
      expect(once).not.toBeNull();
      expect(normalPath(once ?? '', '/other')).toBe(once);
      expect(once).toMatch(/^\//);
      expect((once ?? '').split('/').some((one) => one === '.' || one === '..')).toBe(false);
    }),
  );
});

test('a path lies in each of the folders above it, to the root', () => {
  expect(foldersAbove('/a/b/c.ts')).toEqual(['/a/b', '/a', '/']);
  expect(foldersAbove('/a')).toEqual(['/']);
  expect(foldersAbove('/')).toEqual([]);
  expect(foldersAbove('C:/a/b')).toEqual(['C:/a', 'C:/']);
  expect(foldersAbove('//host/share/a/b')).toEqual(['//host/share/a', '//host/share/']);
});
