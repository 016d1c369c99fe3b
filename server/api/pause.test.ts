import { expect, test } from 'vitest';
import { handleRest } from './http.ts';
import { servicesWith } from './testing.ts';

function scene() {
  const services = servicesWith({});
  const call = (path: string, method = 'GET', headers: Record<string, string> = {}) =>
    handleRest(
      new Request(`http://127.0.0.1/api/v1${path}`, {
        method,
        headers: { host: '127.0.0.1', ...headers },
      }),
      services,
    );
  return { services, call };
}

test('a pause is begun for so many seconds by the gateway’s own clock, told, and ended', async () => {
  const { services, call } = scene();
  expect(await (await call('/pause')).json()).toEqual({ pause: null });
  const since = services.clock.now();
  const begun = await (await call('/pause?seconds=3600', 'POST')).json();
  expect(begun).toEqual({
    pause: { since: new Date(since).toISOString(), until: new Date(since + 3_600_000).toISOString() },
  });
  expect(await (await call('/pause')).json()).toEqual(begun);
  expect(await (await call('/resume', 'POST')).json()).toEqual({ pause: null });
  expect(await (await call('/pause')).json()).toEqual({ pause: null });
});

test('without seconds it has no end', async () => {
  const { call } = scene();
  expect(await (await call('/pause', 'POST')).json()).toMatchObject({ pause: { until: null } });
});

test.each(['0', '-1', 'soon', '1.5', '1e12'])('%s seconds are refused', async (seconds) => {
  const { services, call } = scene();
  expect((await call(`/pause?seconds=${seconds}`, 'POST')).status).toBe(400);
  expect(services.pausing.now()).toBeNull();
});

test('a foreign page neither begins nor ends one', async () => {
  const { call } = scene();
  const headers = { origin: 'http://127.0.0.1' };
  for (const path of ['/pause', '/resume']) expect((await call(path, 'POST', headers)).status).toBe(403);
});
