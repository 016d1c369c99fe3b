import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { ArchiveWriter, RequestRecord } from '../../archive/index.ts';
import { manualClock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { createPipeline } from './pipeline.ts';

it('a small request that unfolds to more than a provider takes is noted and not read', async () => {
  const clock = manualClock(Date.UTC(2026, 10, 30));
  const saved: RequestRecord[] = [];
  const writer = {
    accountKey: async () => new Uint8Array(32),
    saveRequest: async (record: RequestRecord) => void saved.push(record),
  } as unknown as ArchiveWriter;
  const text = 'mail a@bb.cc '.repeat(3_500_000);
  const body = gzipSync(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: text }] }));
  expect(body.length).toBeLessThan(1_000_000);
  const note = await createPipeline(writer).request({
    id: newId(clock),
    accountId: newId(clock),
    door: 'anthropic',
    method: 'POST',
    target: '/v1/messages',
    headers: [['content-encoding', 'gzip']],
    body,
    receivedAt: clock.now(),
  });
  expect(note).toBe('undecodable');
  expect(saved.map((record) => record.note)).toEqual(['undecodable']);
});
