import { expect, test } from 'vitest';
import type { Fault } from '../../simulator/index.ts';
import { stageOfFile } from '../harness/fixture.ts';

const stage = stageOfFile();
const FREE = '--dangerously-skip-permissions';
const TYPED = 'Tell the story.';
const STORY = 'It was a dark and stormy night; the rain fell in torrents, except at occasional intervals.';
const script = [{ id: 'story', when: { equals: TYPED }, rounds: [{ steps: [{ say: STORY }] }] }];

interface Case {
  readonly name: string;
  readonly fault: Fault;
  /** Form of the requests of the turn, in order: streaming or not. */
  readonly streams: readonly boolean[];
  readonly leaveOut?: readonly string[];
}

const CASES: readonly Case[] = [
  {
    name: 'a rate limit with retry-after',
    fault: { kind: 'status', status: 429, retryAfter: 1 },
    streams: [true, true],
  },
  { name: 'an overload', fault: { kind: 'status', status: 529 }, streams: [true, true] },
  { name: 'a refusal as not found', fault: { kind: 'status', status: 404 }, streams: [true, false] },
  {
    name: 'an error in mid-stream',
    fault: { kind: 'stream-error', afterEvents: 4 },
    streams: [true, false],
  },
  {
    name: 'a connection dropped in mid-stream',
    fault: { kind: 'reset', afterEvents: 4, pauseMs: 400 },
    streams: [true, false],
  },
  {
    name: 'a connection dropped before the head',
    fault: { kind: 'reset' },
    streams: [true, true],
    // The reason that the agent shows for its retry: through the gateway a 502, directly a broken connection.
    leaveOut: ['error', 'error_status'],
  },
  {
    name: 'a stream that ends early',
    fault: { kind: 'end', afterEvents: 4 },
    streams: [true, false],
  },
];

test.each(CASES)(
  '$name is met as without the gateway and is one turn in the archive',
  async ({ fault, streams, leaveOut }) => {
    const played = await stage.play({
      script,
      ...(leaveOut === undefined ? {} : { leaveOut }),
      run: async (side) => {
        side.fault({ fault, when: { kind: 'main' } });
        const events = await side.claude([TYPED]);
        expect(JSON.stringify(events.at(-1))).toContain(STORY);
      },
    });
    const turn = played.routed.provider.requests.entries.filter((entry) => entry.reading?.kind === 'main');
    expect(turn.map((entry) => entry.reading?.stream)).toEqual(streams);
    const archived = await stage.expectArchived(played, { typed: [TYPED] });
    expect(archived?.session.turns ?? 1).toBe(1);
  },
);

test('a stream that breaks after a whole tool call keeps the call on both ways', async () => {
  const typed = 'List the folder.';
  const played = await stage.play({
    files: { 'a.txt': 'a\n' },
    script: [
      {
        id: 'list',
        when: { equals: typed },
        rounds: [
          {
            steps: [
              { say: 'I look.' },
              { use: 'shell', command: 'ls' },
              { wait: 1500 },
              { say: 'Never heard whole.' },
            ],
            fault: { kind: 'reset', afterEvents: 12, pauseMs: 400 },
          },
          { steps: [{ say: 'One file.' }] },
        ],
      },
    ],
    run: async (side) => {
      const events = JSON.stringify(await side.claude([FREE, typed]));
      expect(events).toContain('a.txt');
      expect(events).toContain('One file.');
    },
  });
  // What the agent kept of the broken answer comes back with its next request, beside the broken answer itself.
  const archived = await stage.expectArchived(played, { typed: [typed], rewritten: true });
  const results = archived?.log.filter((row) => row.kind === 'tool_result').map((row) => row.body);
  expect(results ?? ['a.txt']).toEqual(['a.txt']);
});

test('a prompt that is too long is compacted by the agent as without the gateway', async () => {
  const typed = ['Say one.', 'Say two.', 'Say three.'];
  const played = await stage.play({
    // The agent writes the line of the refused prompt now before, now after it has compacted.
    storedInAnyOrder: true,
    script: typed.map((text) => ({
      id: text,
      when: { equals: text },
      rounds: [{ steps: [{ say: `${text} Done.` }] }],
    })),
    run: async (side) => {
      await side.claude([typed[0] ?? '']);
      await side.claude(['--continue', typed[1] ?? '']);
      side.fault({ fault: { kind: 'too-long', tokens: 210_000, maximum: 200_000 }, when: { kind: 'main' } });
      const events = await side.claude(['--continue', typed[2] ?? '']);
      expect(JSON.stringify(events.at(-1))).toContain('Say three. Done.');
    },
  });
  const kinds = played.routed.provider.requests.entries.map((entry) => entry.reading?.kind);
  expect(kinds.filter((kind) => kind === 'compaction').length).toBe(1);
  await stage.expectArchived(played, { typed, rewritten: true });
});
