import { expect, test } from 'vitest';
import { isExempt } from './proxies.ts';

const GATEWAY = new URL('http://127.0.0.1:4141');

test.each([
  ['', GATEWAY, false],
  ['*', GATEWAY, true],
  ['localhost, 127.0.0.1', GATEWAY, true],
  ['127.0.0.1:4141', GATEWAY, true],
  ['127.0.0.1:80', GATEWAY, false],
  ['.example.com', new URL('https://api.example.com'), true],
  ['*.example.com', new URL('https://api.example.com'), true],
  ['example.com', new URL('https://badexample.com'), false],
  ['::1', new URL('http://[::1]:4141'), true],
  ['api.example.com:443', new URL('https://API.example.com'), true],
])('NO_PROXY=%s for %s', (list, address, expected) => {
  expect(isExempt(list, address)).toBe(expected);
});
