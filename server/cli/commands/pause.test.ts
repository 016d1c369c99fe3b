import { beforeEach, expect, test } from 'vitest';
import { type FakeGateway, fakeGateway, runCommand, scratchFolder } from '../testing.ts';

const HOUR = { since: '2026-12-01T09:00:00.000Z', until: '2026-12-01T10:00:00.000Z' };
let home: string;
let gateway: FakeGateway;

beforeEach(async () => {
  home = await scratchFolder();
  gateway = await fakeGateway();
});

const run = (...args: string[]) => runCommand([...args, '--gateway', gateway.url], { home });

test.each([
  ['90s', 90],
  ['30m', 1_800],
  ['1h', 3_600],
  ['2d', 172_800],
])('pause %s lasts %i seconds, and says until when', async (time, seconds) => {
  gateway.answers.set(`pause?seconds=${seconds}`, { pause: HOUR });
  const { code, out } = await run('pause', time);
  expect(code).toBe(0);
  expect(out).toContain(`Paused until ${HOUR.until}`);
  expect(out).toContain('archived then');
});

test('without a time a pause lasts until it is ended; a script gets it as the gateway says it', async () => {
  gateway.answers.set('pause', { pause: { ...HOUR, until: null } });
  expect((await run('pause')).out).toContain('until "context-mode resume"');
  expect((await run('pause', '--json')).json()).toMatchObject({ ok: true, pause: { until: null } });
});

test.each(['0h', '1', 'h', '1w', '-1h', '1.5h'])('a time such as %s is not understood', async (time) => {
  const { code } = await run('pause', '--', time);
  expect(code).toBe(2);
});

test('resume says since when it was paused, and is harmless where nothing was', async () => {
  gateway.answers.set('resume', { pause: null });
  gateway.answers.set('pause', { pause: HOUR });
  expect((await run('resume')).out).toContain(HOUR.since);
  gateway.answers.set('pause', { pause: null });
  const { code, out } = await run('resume');
  expect([code, out]).toEqual([0, 'There was no pause.\n']);
});

test('what the gateway refuses is told, and nobody believes that nothing is recorded', async () => {
  const { code, out } = await run('pause', '1h');
  expect(code).not.toBe(0);
  expect(out).not.toContain('Paused');
});

test('status says that nothing is recorded, and how to end it', async () => {
  gateway.answers.set('pause', { pause: HOUR });
  const { out } = await run('status');
  expect(out).toContain(HOUR.until);
  expect(out).toContain('context-mode resume');
  expect((await run('status', '--json')).json()).toMatchObject({ pause: HOUR });
  gateway.answers.set('pause', { pause: null });
  expect((await run('status')).out).not.toContain('resume');
});
