import { expect, test } from 'vitest';
import type { Fault } from '../../simulator/index.ts';
import { stageOfFile } from '../harness/fixture.ts';

const stage = stageOfFile();
const SONNET = 'anthropic/claude-sonnet-4-6';
const GPT = 'openai/gpt-5.4';
const TYPED = 'Tell the story.';
const STORY = 'It was a dark and stormy night; the rain fell in torrents, except at occasional intervals.';
const script = [{ id: 'story', when: { equals: TYPED }, rounds: [{ steps: [{ say: STORY }] }] }];

const CASES: readonly { readonly name: string; readonly fault: Fault; readonly model: string }[] = [
  {
    name: 'a rate limit with retry-after',
    fault: { kind: 'status', status: 429, retryAfter: 1 },
    model: SONNET,
  },
  { name: 'an overload', fault: { kind: 'status', status: 529 }, model: SONNET },
  { name: 'an error in mid-stream', fault: { kind: 'stream-error', afterEvents: 4 }, model: SONNET },
  {
    name: 'a connection dropped in mid-stream',
    fault: { kind: 'reset', afterEvents: 5, pauseMs: 400 },
    model: GPT,
  },
];

test.each(CASES)(
  '$name is met as without the gateway and is one turn in the archive',
  async ({ fault, model }) => {
    const played = await stage.play({
      script,
      run: async (side) => {
        side.configurePi();
        side.fault({ fault, when: { kind: 'main' } });
        expect(JSON.stringify(await side.pi(['--model', model, TYPED]))).toContain(STORY);
      },
    });
    expect(played.routed.provider.requests.entries.length).toBe(2);
    const archived = await stage.expectArchived(played, { typed: [TYPED], unnamed: model === SONNET });
    expect(archived?.session.turns ?? 1).toBe(1);
  },
);

test('a prompt that is too long is compacted by the agent as without the gateway', async () => {
  const typed = ['Say one.', 'Say two.', 'Say three.'];
  const played = await stage.play({
    script: typed.map((text) => ({
      id: text,
      when: { equals: text },
      rounds: [{ steps: [{ say: `${text} Done.` }] }],
    })),
    run: async (side) => {
      side.configurePi({ compaction: { enabled: true, reserveTokens: 16_384, keepRecentTokens: 1 } });
      await side.pi(['--model', GPT, typed[0] ?? '']);
      await side.pi(['--model', GPT, '-c', typed[1] ?? '']);
      side.fault({ fault: { kind: 'too-long', tokens: 510_000, maximum: 400_000 }, when: { kind: 'main' } });
      await side.pi(['--model', GPT, '-c', typed[2] ?? '']);
    },
  });
  const kinds = played.routed.provider.requests.entries.map((entry) => entry.reading?.kind);
  expect(kinds.filter((kind) => kind === 'compaction').length).toBeGreaterThan(0);
  await stage.expectArchived(played, { typed, rewritten: true });
});
