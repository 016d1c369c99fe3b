import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decodableOf,
  headersForClient,
  headersForUpstream,
  targetWithoutCredentials,
  withoutCredentials,
} from './headers.ts';

const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,12}$/);
const value = fc.stringMatching(/^[!-~\x80-\xff ]{0,20}$/);
const special =
  /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|content-length|expect|accept-encoding|x-context-mode.*)$/i;

describe('headersForUpstream', () => {
  test('keeps everything that is not of this hop, in order, case and number', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value)), (pairs) => {
        const plain = pairs.filter(([key]) => !special.test(key));
        const sent = headersForUpstream(['hOsT', 'here', ...plain.flat()], 'there', 'GET', 0);
        expect(sent).toEqual(['hOsT', 'there', ...plain.flat()]);
      }),
    );
  });

  test('drops what Connection names, in any case, but never the host or the length', () => {
    const raw = [
      'Host',
      'a',
      'X-One',
      '1',
      'connection',
      'close, x-ONE',
      'x-one',
      '2',
      'Connection',
      'Host,Content-Length , y',
    ];
    const sent = headersForUpstream([...raw, 'Y', '3', 'Content-Length', '5', 'Z', '4'], 'b', 'POST', 5);
    expect(sent).toEqual(['Host', 'b', 'Content-Length', '5', 'Z', '4']);
  });

  test('a length stands where the chunks were said, or last where a body is expected', () => {
    expect(
      headersForUpstream(['Host', 'a', 'Transfer-Encoding', 'chunked', 'b', 'c'], 'h', 'POST', 7),
    ).toEqual(['Host', 'h', 'Content-Length', '7', 'b', 'c']);
    expect(headersForUpstream(['Host', 'a'], 'h', 'POST', 0)).toEqual(['Host', 'h', 'Content-Length', '0']);
    expect(headersForUpstream(['Host', 'a'], 'h', 'GET', 0)).toEqual(['Host', 'h']);
    expect(headersForUpstream(['a', 'b'], 'h', 'GET', 0)).toEqual(['Host', 'h', 'a', 'b']);
  });
});

describe('headersForClient', () => {
  test('keeps everything that is not of the upstream’s hop and ends with ours', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value)), (pairs) => {
        const plain = pairs.filter(([key]) => !special.test(key));
        expect(headersForClient(plain.flat(), 'id', 'pass')).toEqual([
          ...plain.flat(),
          'x-context-mode-request-id',
          'id',
          'x-context-mode',
          'pass',
        ]);
      }),
    );
  });
});

describe('decodableOf', () => {
  test.each([
    ['gzip, deflate, br, zstd', 'gzip, deflate, br, zstd'],
    ['gzip;q=1.0,  identity; q=0.5', 'gzip;q=1.0,  identity; q=0.5'],
    ['', ''],
    ['*', 'identity'],
    ['dcb, dcz', 'identity'],
    ['GZIP, x-foo;q=0.5, Br', 'GZIP, Br'],
  ])('%j becomes %j', (given, expected) => {
    expect(decodableOf(given)).toBe(expected);
  });
});

describe('what may be looked at', () => {
  test('holds no header that carries a credential', () => {
    const secret = [
      'Authorization',
      'x-api-key',
      'X-Api-Key',
      'api-key',
      'Cookie',
      'set-cookie',
      'Proxy-Authorization',
      'x-context-mode-key',
      'x-goog-api-key',
      'x-amz-security-token',
      'x-client-secret',
      'Password',
    ];
    const raw = secret.flatMap((header) => [header, 'SECRET']);
    const kept = [
      'anthropic-ratelimit-tokens-remaining',
      '5',
      'x-ratelimit-remaining-tokens',
      '6',
      'x-keynote',
      '7',
    ];
    expect(withoutCredentials([...raw, ...kept])).toEqual([
      [kept[0], '5'],
      [kept[2], '6'],
      [kept[4], '7'],
    ]);
  });

  test('holds no credential in the query', () => {
    expect(targetWithoutCredentials('/v1/models?key=S&limit=1&api_key=S&access_token=S&x')).toBe(
      '/v1/models?key=***&limit=1&api_key=***&access_token=***&x',
    );
    expect(targetWithoutCredentials('/v1/messages?beta=true')).toBe('/v1/messages?beta=true');
  });
});
