import { expect, test } from 'vitest';
import type { Fault } from '../../simulator/index.ts';
import { stageOfFile } from '../harness/fixture.ts';

const stage = stageOfFile();
const TYPED = 'Tell the story.';
const STORY = 'It was a dark and stormy night; the rain fell in torrents, except at occasional intervals.';
const script = [{ id: 'story', when: { equals: TYPED }, rounds: [{ steps: [{ say: STORY }] }] }];

const SONNET = 'anthropic/claude-sonnet-4-6';

const CASES: readonly {
  readonly name: string;
  readonly faults: readonly Fault[];
  readonly model: string;
}[] = [
  {
    name: 'a rate limit and then an overload',
    faults: [
      { kind: 'status', status: 429, retryAfter: 1 },
      { kind: 'status', status: 529 },
    ],
    model: SONNET,
  },
  { name: 'an error in mid-stream', faults: [{ kind: 'stream-error', afterEvents: 4 }], model: SONNET },
  {
    name: 'a connection dropped in mid-stream',
    faults: [{ kind: 'reset', afterEvents: 5, pauseMs: 400 }],
    model: 'openai/gpt-5.4',
  },
];

test.each(CASES)(
  '$name is met as without the gateway and is one turn in the archive',
  async ({ faults, model }) => {
    const played = await stage.play({
      script,
      run: async (side) => {
        side.configureOpenCode();
        for (const fault of faults) side.fault({ fault, when: { kind: 'main' } });
        const events = await side.opencode(['-m', model], TYPED);
        expect(JSON.stringify(events)).toContain(STORY);
        await side.keepOpenCode();
      },
    });
    const turn = played.routed.provider.requests.entries.filter((entry) => entry.reading?.kind === 'main');
    expect(turn.length).toBe(faults.length + 1);
    const archived = await stage.expectArchived(played, { typed: [TYPED] });
    expect(archived?.session.turns ?? 1).toBe(1);
  },
);

test('a prompt that is too long is compacted by the agent as without the gateway', async () => {
  const played = await stage.play({
    script,
    run: async (side) => {
      side.configureOpenCode();
      side.fault({ fault: { kind: 'too-long', tokens: 210_000, maximum: 200_000 }, when: { kind: 'main' } });
      await side.opencode(['-m', SONNET], TYPED);
      await side.keepOpenCode();
    },
  });
  const kinds = played.routed.provider.requests.entries.map((entry) => entry.reading?.kind);
  expect(kinds.filter((kind) => kind === 'compaction').length).toBe(1);
  await stage.expectArchived(played, { typed: [TYPED], rewritten: true });
});
