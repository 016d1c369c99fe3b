import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stageOfFile } from '../harness/fixture.ts';
import { GPT, NOTES, READ, reading, SECOND, SONNET, second } from '../harness/reading.ts';
import { sessionOf } from '../harness/session.ts';
import { share } from '../harness/share.ts';

const stage = stageOfFile();
test.each(share.of([SONNET, GPT]))(
  'files are changed, a conversation goes on in another process, every word and call is archived (%s)',
  async (model) => {
    const played = await stage.play({
      files: { 'notes.txt': NOTES },
      script: [reading, second],
      run: async (side) => {
        side.configureOpenCode();
        const begun = await side.opencode(['-m', model, '--variant', 'high'], READ);
        expect(readFileSync(join(side.scratch.project, 'notes.txt'), 'utf8')).toContain('third line ✓');
        expect(readFileSync(join(side.scratch.project, 'new.md'), 'utf8')).toBe('# New\n');
        const gone = await side.opencode(['-m', model, '--variant', 'high', '-c'], SECOND);
        expect(sessionOf(gone)).toBe(sessionOf(begun));
        await side.keepOpenCode();
      },
    });
    const archived = await stage.expectArchived(played, { typed: [READ, SECOND] });
    expect(archived?.session.turns ?? 2).toBe(2);
    expect(archived?.session.agent ?? 'opencode').toBe('opencode');
    expect(archived?.threads.length ?? 1).toBe(1);
    const places = await stage.placesOf(played);
    expect(places?.[0]?.worktree ?? played.routed.scratch.project).toBe(played.routed.scratch.project);
  },
);

test('a sub-agent is a thread of its own in the same session', async () => {
  const typed = 'Let a sub-agent count the files in src.';
  const task = 'Count the files in src and say the number.';
  const played = await stage.play({
    files: { 'src/a.ts': 'export const a = 1;\n', 'src/b.ts': 'export const b = 2;\n' },
    script: [
      {
        id: 'parent',
        when: { equals: typed, kind: 'main' },
        rounds: [{ steps: [{ use: 'agent', prompt: task }] }, { steps: [{ say: 'It counted two.' }] }],
      },
      {
        id: 'child',
        when: { equals: task, kind: 'sub' },
        rounds: [
          { steps: [{ use: 'shell', command: 'ls src | wc -l' }] },
          { steps: [{ say: 'There are 2 files.' }] },
        ],
      },
    ],
    run: async (side) => {
      side.configureOpenCode();
      const events = await side.opencode(['-m', SONNET], typed);
      expect(JSON.stringify(events)).toContain('There are 2 files.');
      await side.keepOpenCode();
    },
  });
  const archived = await stage.expectArchived(played, { typed: [typed], delegated: [task] });
  expect(archived?.threads.length ?? 2).toBe(2);
});

test('a compaction by the agent leaves the words before it in the archive', async () => {
  const full = { input_tokens: 195_000, output_tokens: 100 };
  const played = await stage.play({
    files: { 'notes.txt': NOTES },
    script: [
      {
        ...reading,
        rounds: [{ steps: [{ use: 'read', path: 'notes.txt' }] }, { steps: [{ say: 'Read.' }], usage: full }],
      },
      second,
    ],
    run: async (side) => {
      side.configureOpenCode(200_000);
      await side.opencode(['-m', SONNET], READ);
      await side.opencode(['-m', SONNET, '-c'], SECOND);
      await side.keepOpenCode();
    },
  });
  const kinds = played.routed.provider.requests.entries.map((entry) => entry.reading?.kind);
  expect(kinds.filter((kind) => kind === 'compaction').length).toBe(1);
  const archived = await stage.expectArchived(played, { typed: [READ, SECOND], rewritten: true });
  expect(archived?.session.turns ?? 2).toBe(2);
});
