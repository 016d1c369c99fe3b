import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stageOfFile } from '../harness/fixture.ts';
import { sessionOf } from '../harness/session.ts';
import type { Side } from '../harness/side.ts';

const stage = stageOfFile();
const FREE = '--dangerously-skip-permissions';
const NOTES = 'first line\nzweite Zeile – ünïcode 🙂\nthird line\n';

test('one prompt is answered as without the gateway, and stands in the archive', async () => {
  const typed = 'Say hello in one line.';
  const played = await stage.play({
    script: [
      {
        id: 'hello',
        when: { equals: typed },
        rounds: [{ steps: [{ think: 'A greeting is asked for.' }, { say: 'Hello — „grüß Gott“, 你好 👋' }] }],
      },
    ],
    run: async (side) => {
      const events = await side.claude([typed]);
      expect(JSON.stringify(events)).toContain('grüß Gott');
    },
  });
  await stage.expectArchived(played, { typed: [typed] });
});

test('files are really read, changed and written, and every call is one document', async () => {
  const typed = 'Add a last line to notes.txt, write summary.md and list the folder.';
  const played = await stage.play({
    files: { 'notes.txt': NOTES, 'src/a.ts': 'export const a = 1;\n' },
    script: [
      {
        id: 'files',
        when: { equals: typed },
        rounds: [
          { steps: [{ say: 'I read it first.' }, { use: 'read', path: 'notes.txt' }] },
          { steps: [{ use: 'edit', path: 'notes.txt', old: 'third line', new: 'third line\ndone\t✓' }] },
          {
            steps: [
              { use: 'write', path: 'summary.md', content: '# Summary\n\nFour lines.\n' },
              { use: 'shell', command: 'sleep 0.4; ls -1; cat notes.txt' },
            ],
          },
          { steps: [{ say: 'Done: {{result.1}}' }] },
        ],
      },
    ],
    run: async (side) => {
      await side.claude([FREE, typed]);
      expect(readFileSync(join(side.scratch.project, 'notes.txt'), 'utf8')).toContain('done\t✓');
      expect(readFileSync(join(side.scratch.project, 'summary.md'), 'utf8')).toBe(
        '# Summary\n\nFour lines.\n',
      );
    },
  });
  const archived = await stage.expectArchived(played, { typed: [typed] });
  const tools = archived?.log.filter((row) => row.kind === 'tool_call').map((row) => row.tool);
  expect(tools ?? ['Read', 'Edit', 'Write', 'Bash']).toEqual(['Read', 'Edit', 'Write', 'Bash']);
});

test.each(['claude-opus-4-8', 'claude-sonnet-4-6'])(
  'a conversation continued in new processes is one session (%s)',
  async (model) => {
    const typed = ['Read notes.txt.', 'What was the second line?', 'And the third?'];
    const played = await stage.play({
      files: { 'notes.txt': NOTES, 'CLAUDE.md': 'Keep answers short.\n' },
      script: [
        {
          id: 'read',
          when: { equals: 'Read notes.txt.' },
          rounds: [
            { steps: [{ think: 'The file first.' }, { use: 'read', path: 'notes.txt' }] },
            { steps: [{ say: 'I have read it.' }] },
          ],
        },
        { id: 'second', when: { contains: 'second line' }, rounds: [{ steps: [{ say: 'zweite Zeile' }] }] },
        { id: 'third', when: { contains: 'third' }, rounds: [{ steps: [{ say: 'third line' }] }] },
      ],
      run: (side) => conversation(side, typed, ['--model', model, FREE]),
    });
    const archived = await stage.expectArchived(played, { typed });
    expect(archived?.session.turns ?? 3).toBe(3);
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
        rounds: [
          {
            steps: [
              {
                call: 'Agent',
                input: {
                  description: 'Count files',
                  prompt: task,
                  subagent_type: 'general-purpose',
                  run_in_background: false,
                },
              },
            ],
          },
          { steps: [{ say: 'It counted two.' }] },
        ],
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
      const events = await side.claude([FREE, typed]);
      expect(JSON.stringify(events)).toContain('There are 2 files.');
    },
  });
  const archived = await stage.expectArchived(played, { typed: [typed], delegated: [task] });
  expect(archived?.threads.length ?? 2).toBe(2);
});

test('an image that is read from disk is kept byte for byte', async () => {
  const typed = 'Look at pixel.png.';
  const pixel = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
    'base64',
  );
  const played = await stage.play({
    files: { 'pixel.png': pixel },
    script: [
      {
        id: 'look',
        when: { equals: typed },
        rounds: [{ steps: [{ use: 'read', path: 'pixel.png' }] }, { steps: [{ say: 'One red pixel.' }] }],
      },
    ],
    run: async (side) => {
      await side.claude([FREE, typed]);
    },
  });
  const archived = await stage.expectArchived(played, { typed: [typed] });
  if (archived !== null) {
    const media = await stage.mediaOf(archived);
    expect(media.map((item) => item.mime)).toContain('image/png');
  }
});

test('two worktrees of one repository are one project and two worktrees', async () => {
  const folders: string[] = [];
  const played = await stage.play({
    files: { 'notes.txt': NOTES },
    script: [{ id: 'where', when: { startsWith: 'Where' }, rounds: [{ steps: [{ say: 'In {{cwd}}.' }] }] }],
    run: async (side) => {
      const feature = side.worktree('feature');
      folders.push(feature);
      await side.claude(['Where is the first?']);
      await side.claude(['Where is the second?'], { folder: feature });
    },
  });
  const places = await stage.placesOf(played);
  if (places === null) return;
  expect(new Set(places.map((place) => place.project)).size, 'one project').toBe(1);
  expect(places.map((place) => place.worktree)).toEqual([
    played.routed.scratch.project,
    folders.find((path) => path.includes('routed')),
  ]);
  expect(places.map((place) => place.branch)).toEqual(['main', 'feature']);
});

test('a compaction by the agent leaves the words before it in the archive', async () => {
  const typed = ['Read notes.txt.', 'What was the second line?', 'Where were we?'];
  const played = await stage.play({
    files: { 'notes.txt': NOTES },
    script: [
      {
        id: 'read',
        when: { equals: 'Read notes.txt.' },
        rounds: [{ steps: [{ use: 'read', path: 'notes.txt' }] }, { steps: [{ say: 'I have read it.' }] }],
      },
      { id: 'second', when: { contains: 'second line' }, rounds: [{ steps: [{ say: 'zweite Zeile' }] }] },
      { id: 'where', when: { startsWith: 'Where were' }, rounds: [{ steps: [{ say: 'At the notes.' }] }] },
    ],
    run: async (side) => {
      await conversation(side, typed.slice(0, 2), [FREE]);
      await side.claude([FREE, '--continue', '/compact']);
      await side.claude([FREE, '--continue', typed[2] ?? '']);
    },
  });
  await stage.expectArchived(played, { typed, rewritten: true });
});

test('after a pause of two hours the prompt cache is cold, through the gateway as well', async () => {
  const typed = ['Say one.', 'Say two.', 'Say three.'];
  const read = (events: unknown) =>
    /"cache_read_input_tokens":(\d+)/.exec(JSON.stringify(events).split('"type":"result"')[1] ?? '')?.[1];
  const reads: Record<string, (string | undefined)[]> = {};
  await stage.play({
    script: typed.map((text) => ({
      id: text,
      when: { equals: text },
      rounds: [{ steps: [{ say: `${text} Done.` }] }],
    })),
    run: async (side) => {
      const model = ['--model', 'claude-sonnet-4-6'];
      const seen: (string | undefined)[] = [];
      await side.claude([...model, typed[0] ?? '']);
      seen.push(read(await side.claude([...model, '--continue', typed[1] ?? ''])));
      side.pause(2 * 60 * 60 * 1000);
      seen.push(read(await side.claude([...model, '--continue', typed[2] ?? ''])));
      reads[side.way] = seen;
    },
  });
  expect(reads.routed).toEqual(reads.direct);
  expect(Number(reads.routed?.[0]), 'read from the cache without a pause').toBeGreaterThan(0);
  expect(Number(reads.routed?.[1]), 'read from the cache after the pause').toBe(0);
});

/** Runs one process per prompt, the later ones with `--continue`. */
async function conversation(side: Side, typed: readonly string[], args: readonly string[]): Promise<void> {
  let session: string | null = null;
  for (const prompt of typed) {
    const events = await side.claude([...args, ...(session === null ? [] : ['--continue']), prompt]);
    expect(session === null || sessionOf(events) === session, 'the agent goes on in its session').toBe(true);
    session = sessionOf(events);
  }
}
