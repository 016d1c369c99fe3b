import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer, type Server } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selfSigned } from './testing/certificate.ts';
import { portOf } from './testing/raw.ts';

const run = promisify(execFile);
const CHILD = new URL('./testing/tls-child.ts', import.meta.url).pathname;

let folder: string;
let authority: string;
let upstream: Server;
let connections = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'context-mode-tls-'));
  authority = join(folder, 'authority.pem');
  const { key, cert } = selfSigned();
  await writeFile(authority, cert);
  upstream = createHttpsServer({ key, cert }, (request, response) => {
    response.end(`${request.method} ${request.url} ${request.headers.host}`);
    request.resume();
  });
  upstream.on('secureConnection', () => {
    connections += 1;
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
});

afterAll(async () => {
  upstream.closeAllConnections();
  upstream.close();
  await rm(folder, { recursive: true });
});

/** Calls twice through a gateway in a process that trusts the given authorities. */
async function calls(address: string, proxy: string, trusted: string | null) {
  const { NODE_EXTRA_CA_CERTS: _theirs, ...environment } = process.env;
  const env = trusted === null ? environment : { ...environment, NODE_EXTRA_CA_CERTS: trusted };
  const { stdout } = await run(process.execPath, ['--import', 'tsx', CHILD, address, proxy], { env });
  return JSON.parse(stdout);
}

describe('secure upstreams', () => {
  test.each(['localhost', '127.0.0.1'])(
    'are reached on one kept connection, by an authority of one’s own: %s',
    async (host) => {
      connections = 0;
      const address = `${host}:${portOf(upstream)}`;
      expect(await calls(`https://${address}`, '', authority)).toEqual([
        { status: 200, body: `POST /v1/1 ${address}` },
        { status: 200, body: `POST /v1/2 ${address}` },
      ]);
      expect(connections).toBe(1);
    },
  );

  test('that nobody vouches for get no request', async () => {
    const [answer] = await calls(`https://localhost:${portOf(upstream)}`, '', null);
    expect(answer.status).toBe(502);
    expect(answer.body).toMatch(/SELF_SIGNED/);
  });

  test('are reached through a proxy, which sees no word of it', async () => {
    connections = 0;
    let seen = '';
    const proxy = createHttpServer();
    proxy.on('connect', (request, socket) => {
      const [host, port] = (request.url ?? '').split(':');
      const onward = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.on('data', (bytes: Buffer) => {
          seen += bytes.toString('latin1');
        });
        onward.pipe(socket).pipe(onward);
      });
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const address = `localhost:${portOf(upstream)}`;
    const answers = await calls(`https://${address}`, `http://127.0.0.1:${portOf(proxy)}`, authority);
    expect(answers[1]).toEqual({ status: 200, body: `POST /v1/2 ${address}` });
    expect(connections).toBe(1);
    expect(seen).not.toBe('');
    expect(seen).not.toContain('POST');
    proxy.close();
    proxy.closeAllConnections();
  });
});
