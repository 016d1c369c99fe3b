import { expect, test } from 'vitest';
import { eventually } from '../../product/eventually.ts';
import { stageOfFile } from '../harness/fixture.ts';
import { share } from '../harness/share.ts';
import type { Played } from '../harness/stage.ts';
import { isLate } from '../harness/views.ts';

const stage = stageOfFile('own', 'on');
const FREE = '--dangerously-skip-permissions';
const TOOL = 'context-mode-search';
const READ = 'Read notes.txt, add a line and list the folder.';
const SECOND = 'What was the second line?';
const NOTES = 'first line\nzweite Zeile – ünïcode 🙂\nthird line\n';

/** Thinking, texts, calls one by one and at once, and an answer. */
const script = [
  {
    id: 'read',
    when: { equals: READ },
    rounds: [
      {
        steps: [
          { think: 'The file first.' },
          { say: 'I read it.' },
          { use: 'read' as const, path: 'notes.txt' },
        ],
      },
      {
        steps: [
          { use: 'shell' as const, command: 'printf "done ✓\\n" >> notes.txt' },
          { use: 'shell' as const, command: 'sleep 0.3; ls -1' },
        ],
      },
      { steps: [{ think: 'Both worked.' }, { say: 'Done — „grüß Gott“, 你好 👋\n' }] },
    ],
  },
  { id: 'second', when: { contains: 'second line' }, rounds: [{ steps: [{ say: 'zweite' }] }] },
];
const files = { 'notes.txt': NOTES };

test.each(share.of(['claude-opus-4-8', 'claude-sonnet-4-6']))(
  'Claude Code shows, stores and does with the tool in its requests what it does directly (%s)',
  async (model) => {
    const played = await stage.play({
      files,
      script,
      // It guesses the thinking's tokens from the length of the signature, which says what it is bound to.
      leaveOut: ['estimated_tokens_delta', 'estimated_tokens'],
      run: async (side) => {
        await side.claude([FREE, '--model', model, READ]);
        await side.claude([FREE, '--model', model, '--continue', SECOND]);
      },
    });
    await expectTool(played, 4);
  },
);

test.each(
  share.of([
    { model: 'gpt-5.4', provider: 'own' as const },
    { model: 'gpt-6.2-sol', provider: 'builtin' as const },
  ]),
)(
  'Codex shows, stores and does with the tool in its requests what it does directly ($model)',
  async ({ model, provider }) => {
    const played = await stage.play({
      files,
      script,
      run: async (side) => {
        side.configureCodex(model, provider);
        await side.codex([READ]);
        await side.codex(['resume', '--last', SECOND]);
      },
    });
    await expectTool(played, 4);
  },
);

test.each(share.of(['openai/gpt-5.4', 'anthropic/claude-sonnet-4-6']))(
  'OpenCode shows, stores and does with the tool in its requests what it does directly (%s)',
  async (model) => {
    const played = await stage.play({
      files,
      script,
      run: async (side) => {
        side.configureOpenCode();
        await side.opencode(['-m', model, '--variant', 'high'], READ);
        await side.opencode(['-m', model, '--variant', 'high', '-c'], SECOND);
        await side.keepOpenCode();
      },
    });
    await expectTool(played, 4);
  },
);

test('Pi shows, stores and does with the tool in its requests what it does directly', async () => {
  const played = await stage.play({
    files,
    script,
    // Pieces of a call's input cut the scratch folder's path in two; the whole input is compared with them.
    leaveOut: ['delta'],
    run: async (side) => {
      side.configurePi();
      await side.pi(['--model', 'openai/gpt-5.4', '--thinking', 'high', READ]);
      await side.pi(['--model', 'openai/gpt-5.4', '--thinking', 'high', '-c', SECOND]);
    },
  });
  await expectTool(played, 4);
});

/**
 * Each request of the conversation carried the tool, and none of the direct way did. On a busy machine one may be late:
 * then it went as it came, and the product says so.
 */
async function expectTool({ direct, routed }: Played, requests: number): Promise<void> {
  const withTool = (side: Played['direct']) =>
    side.provider.requests.entries
      .filter((entry) => entry.reading?.kind === 'main')
      .map((entry) => entry.body.includes(TOOL));
  await eventually(async () => {
    const views = (await stage.views()).filter(({ kind }) => kind === 'main').slice(-requests);
    expect(withTool(routed)).toEqual(views.map((view) => !isLate(view)));
  });
  expect(withTool(routed).at(-1), 'the last request carries the tool').toBe(true);
  expect(withTool(direct)).toEqual(Array.from({ length: requests }, () => false));
}
