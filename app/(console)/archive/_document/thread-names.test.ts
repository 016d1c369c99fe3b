import { expect, test } from 'vitest';
import { sideThread } from '@/server/conversation/index.ts';
import { sideThreadName } from './thread-names.ts';

test('every thread of side requests is called one, beside a sub-agent too, and no other thread is', () => {
  for (const kind of [
    'title',
    'web_search',
    'suggestion',
    'compaction',
    'count',
    'prewarm',
    'other',
  ] as const) {
    expect(sideThreadName(sideThread(null, kind))).toContain('Side request');
    expect(sideThreadName(sideThread('agent-1', kind))).toBe(sideThreadName(kind));
  }
  expect(sideThreadName('main')).toBeNull();
  expect(sideThreadName('a1b2c3')).toBeNull();
});
