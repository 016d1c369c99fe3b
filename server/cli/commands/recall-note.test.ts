import { expect, test } from 'vitest';
import { fakeGateway, runCommand, scratchFolder } from '../testing.ts';

const NOTE = '7 requests of the last five minutes went out as their agents sent them.';

test('status has a line about Recall where it fails often, and none where it does well', async () => {
  const home = await scratchFolder();
  const gateway = await fakeGateway();
  const status = (...more: string[]) => runCommand(['status', '--gateway', gateway.url, ...more], { home });
  expect((await status()).out).not.toContain('Recall');
  gateway.answers.set('health', { ready: true, parts: [], recall: { failures: 5, note: null } });
  expect((await status()).out).not.toContain('Recall');
  gateway.answers.set('health', { ready: true, parts: [], recall: { failures: 7, note: NOTE } });
  expect((await status()).out).toContain(`Recall   ${NOTE}`);
  expect((await status('--json')).json()).toMatchObject({ recall: NOTE });
});
