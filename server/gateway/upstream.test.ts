import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RawUpstream, rawUpstream, resetNow } from './testing/raw.ts';
import { type CallLimits, createUpstreams, type UpstreamFault, type UpstreamRequest } from './upstream.ts';

let upstream: RawUpstream;

beforeEach(async () => {
  upstream = await rawUpstream();
});

afterEach(() => upstream.close());

const NONE = { https: null, http: null, none: null };

/** Makes one call and lists what its handler was told. */
function told(
  request: Partial<UpstreamRequest> = {},
  limits?: CallLimits,
  address = upstream.url,
  onBytes: () => void = () => undefined,
) {
  const upstreams = createUpstreams({ anthropic: address, openai: address, chatgpt: address }, NONE, limits);
  const events: string[] = [];
  const ended = new Promise<UpstreamFault | null>((resolve) => {
    upstreams.send(
      {
        door: 'openai',
        method: 'POST',
        path: '/x',
        headers: ['Content-Length', '2'],
        body: Buffer.from('{}'),
        ...request,
      },
      {
        onHead: (status, reason) => events.push(`head ${status} ${reason}`),
        onBytes: (bytes) => {
          events.push(`bytes ${bytes.toString('latin1')}`);
          onBytes();
        },
        onEnd: () => resolve(null),
        onFault: resolve,
      },
    );
  });
  return { events, ended, upstreams };
}

describe('a call', () => {
  test('tells head, bytes and end', async () => {
    upstream.respond = ({ socket }) => socket.write('HTTP/1.1 200 Fine\r\ncontent-length: 2\r\n\r\nok');
    const { events, ended } = told();
    expect(await ended).toBeNull();
    expect(events).toEqual(['head 200 Fine', 'bytes ok']);
  });

  test('reads over 100, 102 and 103', async () => {
    upstream.respond = ({ socket }) =>
      socket.write(
        'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 E\r\na: b\r\n\r\nHTTP/1.1 204 N\r\n\r\n',
      );
    const { events, ended } = told();
    expect(await ended).toBeNull();
    expect(events).toEqual(['head 204 N']);
  });

  test('tells a reset from a close, before and behind the head', async () => {
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n';
    upstream.respond = ({ socket }) => resetNow(socket);
    expect(await told().ended).toMatchObject({ reset: true });
    upstream.respond = ({ socket }) => socket.end();
    expect(await told().ended).toMatchObject({ reset: false });
    upstream.respond = ({ socket }) => socket.end(head);
    expect(await told().ended).toMatchObject({ reset: false });
    upstream.respond = ({ socket }) => socket.write(head);
    const { ended } = told({}, undefined, upstream.url, () => {
      for (const socket of upstream.sockets) resetNow(socket);
    });
    expect(await ended).toMatchObject({ reset: true });
  });

  test('ends when nothing comes for too long, before and behind the head', async () => {
    const limits = { silenceMs: 20, connectMs: 10_000 };
    upstream.respond = () => undefined;
    expect(await told({}, limits).ended).toEqual({ code: 'SILENCE_TIMEOUT', reset: false });
    upstream.respond = ({ socket }) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n');
    expect(await told({}, limits).ended).toEqual({ code: 'SILENCE_TIMEOUT', reset: false });
  });

  test('that cannot be written or reached is a fault, never an exception', async () => {
    expect(await told({ headers: ['a b', 'c'] }).ended).toMatchObject({ code: 'ERR_INVALID_HTTP_TOKEN' });
    expect(await told({ path: '/a b' }).ended).toMatchObject({ code: 'ERR_UNESCAPED_CHARACTERS' });
    expect(await told({}, undefined, 'http://127.0.0.1:1').ended).toMatchObject({ code: 'ECONNREFUSED' });
    expect(await told({}, undefined, 'http://nowhere.invalid').ended).toMatchObject({
      code: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/),
    });
    upstream.respond = ({ socket }) =>
      socket.write('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n');
    expect(await told().ended).not.toBeNull();
  });
});
