import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cookieIn } from './cookie.ts';

const name = fc.stringMatching(/^[a-z-]{1,8}$/);
const value = fc.stringMatching(/^[A-Za-z0-9=._-]{0,12}$/);

test('the first cookie of a name is found among any others, whatever blanks stand between them', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(name, value, fc.constantFrom('', ' ', '  ')), { maxLength: 6 }),
      name,
      (cookies, sought) => {
        const header = cookies.map(([key, text, blank]) => `${blank}${key}=${text}${blank}`).join(';');
        expect(cookieIn(header, sought)).toBe(cookies.find(([key]) => key === sought)?.[1] ?? null);
      },
    ),
  );
});

test('what has no name is no cookie', () => {
  expect(cookieIn('', 'a')).toBeNull();
  expect(cookieIn('=a; a', 'a')).toBeNull();
});
