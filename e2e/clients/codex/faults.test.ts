import { expect, test } from 'vitest';
import type { Fault } from '../../simulator/index.ts';
import { stageOfFile } from '../harness/fixture.ts';

const stage = stageOfFile();
const TYPED = 'Tell the story.';
const STORY = 'It was a dark and stormy night; the rain fell in torrents, except at occasional intervals.';
const script = [{ id: 'story', when: { equals: TYPED }, rounds: [{ steps: [{ say: STORY }] }] }];

const RECOVERED: readonly { readonly name: string; readonly fault: Fault }[] = [
  { name: 'a rate limit with retry-after', fault: { kind: 'status', status: 429, retryAfter: 1 } },
  { name: 'an overload', fault: { kind: 'status', status: 529 } },
  {
    name: 'a failure in mid-stream',
    fault: { kind: 'failed', code: 'server_error', afterEvents: 5 },
  },
  { name: 'a connection dropped in mid-stream', fault: { kind: 'reset', afterEvents: 5, pauseMs: 400 } },
  { name: 'a connection dropped before the head', fault: { kind: 'reset' } },
  { name: 'a stream that ends early', fault: { kind: 'end', afterEvents: 5 } },
];

test.each(RECOVERED)(
  '$name is met as without the gateway and is one turn in the archive',
  async ({ fault }) => {
    const played = await stage.play({
      script,
      run: async (side) => {
        side.configureCodex('gpt-5.4', 'own');
        side.fault({ fault });
        expect(JSON.stringify(await side.codex([TYPED]))).toContain(STORY);
      },
    });
    expect(played.routed.provider.requests.entries.length, 'one retry').toBe(2);
    const archived = await stage.expectArchived(played, { typed: [TYPED] });
    expect(archived?.session.turns ?? 1).toBe(1);
  },
);

const FATAL: readonly { readonly name: string; readonly fault: Fault }[] = [
  { name: 'a rate limit without retry-after', fault: { kind: 'status', status: 429 } },
  { name: 'a prompt that is too long', fault: { kind: 'too-long', tokens: 300_000, maximum: 272_000 } },
  { name: 'a prompt that is too long, said in the stream', fault: { kind: 'too-long', inStream: true } },
];

test.each(FATAL)(
  '$name ends the turn with the same words, and the typed words are kept',
  async ({ fault }) => {
    const played = await stage.play({
      script,
      run: async (side) => {
        side.configureCodex('gpt-5.4', 'own');
        side.fault({ fault });
        const events = JSON.stringify(await side.codex([TYPED]));
        expect(events).toContain('turn.failed');
      },
    });
    await stage.expectArchived(played, { typed: [TYPED] });
  },
);
