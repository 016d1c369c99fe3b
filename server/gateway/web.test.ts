import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Guard } from './guard.ts';
import { foreignReason } from './origin.ts';
import { recordingTap, type TestGateway, testGateway } from './testing/gateway.ts';
import { type RawUpstream, rawUpstream } from './testing/raw.ts';

/** Local mode's rules, where only a request on a connection that is known can be the owner's. */
const guard: Guard = {
  foreign: (request) => foreignReason(request.rawHeaders),
  owned: (request) => request.socket !== null,
  keyNeeded: false,
};

describe('the web face on its own, where nobody shows it the connection', () => {
  const tap = recordingTap();
  let upstream: RawUpstream;
  let opened: TestGateway;

  beforeEach(async () => {
    tap.requests.length = 0;
    upstream = await rawUpstream();
    opened = await testGateway({ upstream: upstream.url, guard, tap });
  });
  afterEach(async () => {
    await opened.close();
    await upstream.close();
  });

  const ask = (headers: Record<string, string>): Promise<Response> =>
    opened.gateway.forWeb(
      new Request('http://127.0.0.1/anthropic/v1/messages', { method: 'POST', body: '{}', headers }),
    );

  test.each([{ host: 'evil.example' }, { host: 'localhost', origin: 'http://evil.example' }, {}])(
    'a request with the headers %j is refused in the provider’s shape and goes nowhere',
    async (headers) => {
      const answer = await ask(headers as Record<string, string>);
      expect(answer.status).toBe(403);
      expect(await answer.json()).toMatchObject({ type: 'error', error: { type: 'permission_error' } });
      expect(upstream.requests).toEqual([]);
    },
  );

  test('a request passes, and stays unarchived because it may be anybody’s', async () => {
    const answer = await ask({ host: 'localhost:4141' });
    expect(answer.status).toBe(200);
    await answer.arrayBuffer();
    expect(upstream.requests.length).toBe(1);
    expect(tap.requests).toEqual([]);
  });
});
