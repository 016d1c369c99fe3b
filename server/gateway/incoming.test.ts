import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { incomingNow, watchIncoming } from './incoming.ts';
import { portOf, rawClient } from './testing/raw.ts';

test('each request is known to the code that runs for it, as it was written, also when they overlap', async () => {
  const seen: (string | undefined)[] = [];
  const told: string[] = [];
  watchIncoming((incoming) => told.push(incoming.target));
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = createServer(async (request, response) => {
    if (request.url?.startsWith('/first')) await held;
    else release();
    await new Promise(setImmediate);
    const incoming = incomingNow();
    seen.push(incoming?.target, incoming?.rawHeaders[2]);
    response.end(String(incoming?.socket === request.socket && incoming.response === response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const ask = (path: string, name: string) =>
    rawClient(portOf(server), `GET ${path} HTTP/1.1\r\nHost: x\r\n${name}: 1\r\nConnection: close\r\n\r\n`);
  const first = ask('/first/../%2e?a=1', 'X-Odd');
  await expect.poll(() => told).toHaveLength(1);
  const second = ask('/second', 'x-odd');
  await Promise.all([first.ended, second.ended]);
  expect(told).toEqual(['/first/../%2e?a=1', '/second']);
  expect(new Set(seen)).toEqual(new Set(['/first/../%2e?a=1', 'X-Odd', '/second', 'x-odd']));
  for (const { bytes } of [first, second]) expect(bytes().toString('latin1')).toContain('true');
  expect(incomingNow()).toBeNull();
  server.close();
});
