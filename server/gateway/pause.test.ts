import { describe, expect, test } from 'vitest';
import { asItCame, type Composer } from './compose/prepared.ts';
import type { TappedRequest } from './tap.ts';
import { call } from './testing/call.ts';
import { recordingTap, testGateway } from './testing/gateway.ts';
import { rawUpstream } from './testing/raw.ts';

describe.each(['node', 'web'] as const)('in a pause, by %s', (face) => {
  test('bytes pass, the recorder is told of nothing, and the answer says why', async () => {
    const upstream = await rawUpstream();
    const tap = recordingTap();
    const prepared: TappedRequest[] = [];
    const composer = {
      prepare: async (request: TappedRequest, onTheWire) => {
        prepared.push(request);
        return asItCame(onTheWire);
      },
    } as Partial<Composer> as Composer;
    let isPaused = true;
    const gateway = await testGateway({
      upstream: upstream.url,
      face,
      tap,
      composer,
      isPaused: () => isPaused,
    });
    const send = () => call(gateway.url, { path: '/anthropic/v1/messages', body: Buffer.from('{"a":1}') });
    const answer = await send();
    expect(answer.status).toBe(200);
    expect(answer.headers['x-context-mode']).toBe('rest;reason=paused');
    expect(prepared.map((one) => one.isPaused)).toEqual([true]);
    isPaused = false;
    expect((await send()).headers['x-context-mode']).toBe('pass');
    await tap.ended(1);
    expect(tap.requests.map(({ id }) => id)).toEqual(tap.answers.map(({ id }) => id));
    expect(tap.requests).toHaveLength(1);
    const { values } = await gateway.metrics.notArchived.get();
    expect(values).toMatchObject([{ labels: { reason: 'paused' }, value: 1 }]);
    await gateway.close();
    await upstream.close();
  });
});
