import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stageOfFile } from '../harness/fixture.ts';
import { GPT, NOTES, READ, reading, SECOND, SONNET, second } from '../harness/reading.ts';
import { sessionOf } from '../harness/session.ts';

const stage = stageOfFile();
test.each([SONNET, GPT])(
  'files are changed, a conversation goes on in another process, every word and call is archived (%s)',
  async (model) => {
    const played = await stage.play({
      files: { 'notes.txt': NOTES },
      script: [reading, second],
      // Pieces of a call's input cut the scratch folder's path in two; the whole input is compared with them.
      leaveOut: ['delta'],
      run: async (side) => {
        side.configurePi();
        const begun = await side.pi(['--model', model, '--thinking', 'high', READ]);
        expect(readFileSync(join(side.scratch.project, 'notes.txt'), 'utf8')).toContain('third line ✓');
        expect(readFileSync(join(side.scratch.project, 'new.md'), 'utf8')).toBe('# New\n');
        const gone = await side.pi(['--model', model, '--thinking', 'high', '-c', SECOND]);
        expect(sessionOf(gone)).toBe(sessionOf(begun));
      },
    });
    const archived = await stage.expectArchived(played, {
      typed: [READ, SECOND],
      unnamed: model === SONNET,
    });
    expect(archived?.session.turns ?? 2).toBe(2);
    expect(archived?.session.agent ?? 'pi').toBe('pi');
    const place = archived?.session.worktree?.path;
    expect(place ?? played.routed.scratch.project).toBe(played.routed.scratch.project);
  },
);

test('the same words in a new session are a session of their own, on a protocol that names none', async () => {
  const typed = 'Say hello.';
  const played = await stage.play({
    script: [{ id: 'hello', when: { equals: typed }, rounds: [{ steps: [{ say: 'Hello.' }] }] }],
    run: async (side) => {
      side.configurePi();
      await side.pi(['--model', SONNET, typed]);
      await side.pi(['--model', SONNET, typed]);
    },
  });
  const sessions = await stage.sessionsIn(played, 2);
  expect(sessions?.map((session) => session.turns) ?? [1, 1]).toEqual([1, 1]);
});
