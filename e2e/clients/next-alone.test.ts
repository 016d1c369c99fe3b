import { expect, test } from 'vitest';
import { stageOfFile } from './harness/fixture.ts';

const stage = stageOfFile('next');
const TYPED = 'Read notes.txt.';
const ANSWER = 'I have read it — „zweite Zeile“.';
const play = {
  files: { 'notes.txt': 'first line\nzweite Zeile\n' },
  script: [
    {
      id: 'read',
      when: { equals: TYPED },
      rounds: [{ steps: [{ use: 'read' as const, path: 'notes.txt' }] }, { steps: [{ say: ANSWER }] }],
    },
  ],
};

test('Claude Code works and is archived where Next is the server', async () => {
  const played = await stage.play({
    ...play,
    run: async (side) => {
      expect(JSON.stringify(await side.claude(['--dangerously-skip-permissions', TYPED]))).toContain(ANSWER);
    },
  });
  await stage.expectArchived(played, { typed: [TYPED] });
});

test('Codex works and is archived where Next is the server', async () => {
  const played = await stage.play({
    ...play,
    run: async (side) => {
      side.configureCodex('gpt-5.4', 'own');
      expect(JSON.stringify(await side.codex([TYPED]))).toContain(ANSWER);
    },
  });
  await stage.expectArchived(played, { typed: [TYPED] });
});
