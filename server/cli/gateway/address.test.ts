import { expect, test } from 'vitest';
import { CliFailure } from '../failure.ts';
import { gatewayAddress, shownUrl, withoutSecrets } from './address.ts';

test.each([
  ['http://127.0.0.1:4141/', 'http://127.0.0.1:4141'],
  ['https://Gateway.Example/context//', 'https://gateway.example/context'],
  ['http://[::1]:4141', 'http://[::1]:4141'],
])('an address has one form: %s', (given, expected) => {
  expect(gatewayAddress(given)).toBe(expected);
});

test.each([
  'localhost:4141',
  'ftp://a',
  'http://',
  'http://a b',
  'http://a/?x=1',
  'http://u:p@a',
  'file:///etc/passwd',
])('%s is no address of a gateway', (given) => {
  expect(() => gatewayAddress(given)).toThrow(CliFailure);
});

test('an address is shown without user, password and query', () => {
  expect(shownUrl('https://u:p@h.example:8/x?key=1')).toBe('https://h.example:8/x');
  expect(shownUrl('not an address')).toBe('not an address');
});

test.each([
  ['"https://u:p@h/x"', '"https://h/x"'],
  ['"https:\\/\\/u:p@h\\/x?k=1"', '"https:\\/\\/h\\/x"'],
  ["'http://h/x?k=1' # why", "'http://h/x' # why"],
  ['"http://h/@x"', '"http://h/@x"'],
])('a piece of a file is shown without them too: %s', (given, expected) => {
  expect(withoutSecrets(given)).toBe(expected);
});
