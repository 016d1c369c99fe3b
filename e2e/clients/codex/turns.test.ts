import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stageOfFile } from '../harness/fixture.ts';
import { sessionOf } from '../harness/session.ts';
import { isUpgrade } from '../harness/wire.ts';

const stage = stageOfFile();
const NOTES = 'first line\nzweite Zeile – ünïcode 🙂\nthird line\n';
const READ = 'Read notes.txt.';
const SECOND = 'What was the second line?';
const TASK = 'Count the files in src and say the number.';

const reading = {
  id: 'read',
  when: { equals: READ },
  rounds: [
    { steps: [{ think: 'The file first.' }, { use: 'read' as const, path: 'notes.txt' }] },
    { steps: [{ say: 'I have read it — „zweite Zeile“.' }] },
  ],
};
const second = { id: 'second', when: { equals: SECOND }, rounds: [{ steps: [{ say: 'zweite Zeile' }] }] };

test.each([
  { model: 'gpt-5.4', provider: 'own' as const },
  { model: 'gpt-6.2-sol', provider: 'builtin' as const },
])(
  'one prompt is answered as without the gateway ($model, $provider provider)',
  async ({ model, provider }) => {
    const typed = 'Say hello in one line.';
    const played = await stage.play({
      script: [
        {
          id: 'hello',
          when: { equals: typed },
          rounds: [{ steps: [{ think: 'A greeting.' }, { say: 'Hello — 你好 👋' }] }],
        },
      ],
      run: async (side) => {
        side.configureCodex(model, provider);
        expect(JSON.stringify(await side.codex([typed]))).toContain('你好');
      },
    });
    const upgrades = played.exchanges.filter((exchange) => isUpgrade(exchange.request));
    if (provider === 'builtin')
      expect(upgrades.length, 'the built-in provider asks for a WebSocket first').toBeGreaterThan(0);
    await stage.expectArchived(played, { typed: [typed] });
  },
);

test.each(['gpt-5.4', 'gpt-6.2-sol'])(
  'files are really read and written, every call is one document (%s)',
  async (model) => {
    const typed = 'Write summary.md and show notes.txt.';
    const played = await stage.play({
      files: { 'notes.txt': NOTES },
      script: [
        {
          id: 'files',
          when: { equals: typed },
          rounds: [
            { steps: [{ say: 'I read it first.' }, { use: 'read', path: 'notes.txt' }] },
            {
              steps: [
                {
                  use: 'shell',
                  command: "printf '# Summary\\n\\n✓ three lines\\n' > summary.md; wc -l < notes.txt",
                },
              ],
            },
            { steps: [{ say: 'Done.' }] },
          ],
        },
      ],
      run: async (side) => {
        side.configureCodex(model, 'own');
        await side.codex([typed]);
        expect(readFileSync(join(side.scratch.project, 'summary.md'), 'utf8')).toBe(
          '# Summary\n\n✓ three lines\n',
        );
      },
    });
    const archived = await stage.expectArchived(played, { typed: [typed] });
    expect(archived?.log.filter((row) => row.kind === 'tool_call').length ?? 2).toBe(2);
  },
);

test.each([
  { model: 'gpt-5.4', provider: 'own' as const },
  { model: 'gpt-6.2-sol', provider: 'builtin' as const },
])('a conversation resumed in a new process is one session ($model)', async ({ model, provider }) => {
  const played = await stage.play({
    files: { 'notes.txt': NOTES, 'AGENTS.md': 'Keep answers short.\n' },
    script: [reading, second],
    run: async (side) => {
      side.configureCodex(model, provider);
      const first = sessionOf(await side.codex([READ]));
      expect(sessionOf(await side.codex(['resume', '--last', SECOND]))).toBe(first);
    },
  });
  const archived = await stage.expectArchived(played, { typed: [READ, SECOND] });
  expect(archived?.session.turns ?? 2).toBe(2);
});

test.each([
  { model: 'gpt-5.4', context: 'a fresh context', delegated: [TASK] },
  // The task is sealed there, and only the provider can open it.
  { model: 'gpt-6.2-sol', context: 'a copy of its parent’s history', delegated: [] },
])('a sub-agent with $context is a thread of its own in the same session', async ({ model, delegated }) => {
  const typed = 'Let a sub-agent count the files in src.';
  const played = await stage.play({
    files: { 'src/a.ts': 'export const a = 1;\n', 'src/b.ts': 'export const b = 2;\n' },
    script: [
      {
        id: 'parent',
        when: { equals: typed, kind: 'main' },
        rounds: [
          { steps: [{ use: 'agent', prompt: TASK }] },
          { steps: [{ use: 'await-agent' }] },
          { steps: [{ say: 'It counted two.' }] },
        ],
      },
      {
        id: 'child',
        when: { equals: TASK, kind: 'sub' },
        rounds: [
          { steps: [{ use: 'shell', command: 'ls src | wc -l' }] },
          { steps: [{ say: 'There are 2 files.' }] },
        ],
      },
    ],
    run: async (side) => {
      side.configureCodex(model, 'own');
      await side.codex([typed]);
    },
  });
  const asked = played.routed.provider.requests.entries.filter((entry) => entry.reading?.kind === 'sub');
  expect(asked.length, 'requests of the sub-agent').toBe(2);
  const archived = await stage.expectArchived(played, { typed: [typed], delegated });
  expect(archived?.threads.length ?? 2).toBe(2);
});

test('two worktrees of one repository are one project and two worktrees', async () => {
  const played = await stage.play({
    files: { 'notes.txt': NOTES },
    script: [{ id: 'where', when: { startsWith: 'Where' }, rounds: [{ steps: [{ say: 'Here.' }] }] }],
    run: async (side) => {
      side.configureCodex('gpt-5.4', 'own');
      const feature = side.worktree('feature');
      await side.codex(['Where is the first?']);
      await side.codex(['Where is the second?'], { folder: feature });
    },
  });
  const places = await stage.placesOf(played);
  if (places === null) return;
  expect(new Set(places.map((place) => place.project)).size, 'one project').toBe(1);
  expect(places.map((place) => place.worktree)).toEqual([
    played.routed.scratch.project,
    join(played.routed.scratch.root, 'feature'),
  ]);
});

test.each([
  { model: 'gpt-5.4', provider: 'own' as const },
  { model: 'gpt-6.2-sol', provider: 'builtin' as const },
])(
  'a compaction by the agent leaves the words before it in the archive ($model)',
  async ({ model, provider }) => {
    const full = { input_tokens: 250_000, output_tokens: 100, total_tokens: 250_100 };
    const played = await stage.play({
      files: { 'notes.txt': NOTES },
      script: [
        {
          ...reading,
          rounds: reading.rounds.map((round, index) => (index === 1 ? { ...round, usage: full } : round)),
        },
        second,
      ],
      run: async (side) => {
        side.configureCodex(model, provider, ['model_auto_compact_token_limit = 200000']);
        await side.codex([READ]);
        await side.codex(['resume', '--last', SECOND]);
      },
    });
    const kinds = played.routed.provider.requests.entries.map((entry) => entry.reading?.kind);
    expect(kinds.filter((kind) => kind === 'compaction').length).toBe(1);
    await stage.expectArchived(played, { typed: [READ, SECOND], rewritten: true });
  },
);

test('after a pause of two hours the conversation goes on, through the gateway as well', async () => {
  const played = await stage.play({
    files: { 'notes.txt': NOTES },
    script: [reading, second],
    run: async (side) => {
      side.configureCodex('gpt-5.4', 'own');
      await side.codex([READ]);
      side.pause(2 * 60 * 60 * 1000);
      expect(JSON.stringify(await side.codex(['resume', '--last', SECOND]))).toContain('zweite Zeile');
    },
  });
  await stage.expectArchived(played, { typed: [READ, SECOND] });
});
