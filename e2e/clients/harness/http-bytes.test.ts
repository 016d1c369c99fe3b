import { describe, expect, test } from 'vitest';
import { headerOf, readAnswers, readRequests } from './http-bytes.ts';

const bytes = (...lines: readonly string[]) => Buffer.from(lines.join('\r\n'), 'latin1');

describe('reading HTTP from raw bytes', () => {
  test('requests on one connection are told apart by their lengths', () => {
    const read = readRequests(
      bytes(
        'HEAD / HTTP/1.1',
        'Host: a',
        '',
        'POST /x HTTP/1.1',
        'Content-Length: 3',
        'X: 1',
        'x: 2',
        '',
        'abcGET / HTTP/1.1',
        '',
        '',
      ),
    );
    expect(read.map((message) => [message.start, message.body.toString()])).toEqual([
      ['HEAD / HTTP/1.1', ''],
      ['POST /x HTTP/1.1', 'abc'],
      ['GET / HTTP/1.1', ''],
    ]);
    expect(read[1]?.headers).toEqual([
      ['Content-Length', '3'],
      ['X', '1'],
      ['x', '2'],
    ]);
  });

  test('an answer to HEAD has no body even where it names a length', () => {
    const read = readAnswers(
      bytes('HTTP/1.1 200 OK', 'content-length: 5', '', 'HTTP/1.1 200 OK', 'content-length: 2', '', 'ok'),
      ['HEAD', 'POST'],
    );
    expect(read.map((message) => message.body.toString())).toEqual(['', 'ok']);
  });

  test('chunks are joined and a body that breaks off is said to be incomplete', () => {
    const whole = bytes(
      'HTTP/1.1 200 OK',
      'Transfer-Encoding: chunked',
      '',
      '3',
      'abc',
      '2',
      'de',
      '0',
      '',
      '',
    );
    expect(readAnswers(whole, ['POST'])[0]).toMatchObject({ complete: true });
    expect(readAnswers(whole, ['POST'])[0]?.body.toString()).toBe('abcde');
    for (let cut = whole.indexOf('abc'); cut < whole.length - 4; cut += 1) {
      expect(readAnswers(whole.subarray(0, cut), ['POST'])[0]?.complete).toBe(false);
    }
  });

  test('interim answers are passed over', () => {
    const read = readAnswers(
      bytes(
        'HTTP/1.1 100 Continue',
        '',
        'HTTP/1.1 429 Too Many Requests',
        'retry-after: 1',
        'content-length: 0',
        '',
        '',
      ),
      ['POST'],
    );
    expect(read.map((message) => [message.start, headerOf(message, 'retry-after')])).toEqual([
      ['HTTP/1.1 429 Too Many Requests', '1'],
    ]);
  });
});
