import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../product/eventually.ts';
import type { Scenario, Simulator } from '../simulator/index.ts';
import { ArchiveClient, type LogRowView } from './harness/archive.ts';
import { type Product, startProduct } from './harness/product.ts';
import { startProvider } from './harness/provider.ts';
import { listFiles, makeScratch, makeScratchFolder, removeScratchFolder } from './harness/scratch.ts';
import { share } from './harness/share.ts';
import { Side } from './harness/side.ts';

const FREE = '--dangerously-skip-permissions';
const WORK = 'Read notes.txt, add a last line "done", and list the folder.';
const SECOND = 'What was the second line? Mail me at ada@example.org.';
const THIRD = 'Where were we?';
const DELEGATE = 'Ask a sub-agent to count the files in src.';
const TASK = 'Count the files in src and say the number.';
const FILES = {
  'notes.txt': 'first line\nzweite Zeile – ünïcode 🙂\nthird line\n',
  'src/a.ts': 'export const a = 1;\n',
  'src/b.ts': 'export const b = 2;\n',
};

const SCRIPT: readonly Scenario[] = [
  scenario(WORK, [
    [{ think: 'First the file.' }, { say: 'I read it first.' }, { use: 'read', path: 'notes.txt' }],
    [
      { use: 'shell', command: 'printf "done\\n" >> notes.txt' },
      { use: 'shell', command: 'sleep 0.3; ls -1' },
    ],
    [{ think: 'Both worked.' }, { say: 'The file has four lines now.' }],
  ]),
  scenario(SECOND, [[{ say: 'The second line was “zweite Zeile – ünïcode 🙂”.' }]]),
  scenario(THIRD, [[{ say: 'We had added a line to notes.txt.' }]]),
  scenario(DELEGATE, [
    [{ say: 'I hand this on.' }, { use: 'agent', prompt: TASK }],
    [{ use: 'await-agent' }],
    [{ say: 'The sub-agent counted two files.' }],
  ]),
  scenario(TASK, [[{ use: 'shell', command: 'ls src | wc -l' }], [{ say: 'There are 2 files.' }]]),
];

function scenario(prompt: string, rounds: readonly Scenario['rounds'][number]['steps'][]): Scenario {
  return { id: prompt, when: { equals: prompt }, rounds: rounds.map((steps) => ({ steps })) };
}

let folder: string;
let provider: Simulator;
let product: Product;
let archive: ArchiveClient;
let sides = 0;

beforeAll(async () => {
  folder = makeScratchFolder();
  provider = await startProvider();
  product = await startProduct(join(folder, 'data'), { anthropic: provider.url, openai: provider.url });
  archive = new ArchiveClient(product.url);
});
afterAll(async () => {
  await product?.stop();
  await provider?.stop();
  removeScratchFolder(folder);
});

/** An agent's home, whose requests go to the provider, or through the product. */
function home() {
  sides += 1;
  const own = join(folder, String(sides));
  mkdirSync(own);
  const scratch = makeScratch(own, 'direct', FILES);
  provider.reset();
  for (const one of SCRIPT) provider.script.add(one);
  const side = (anthropic: string, openai: string) =>
    new Side('direct', scratch, provider, { anthropic, openai });
  return {
    scratch,
    direct: side(provider.url, `${provider.url}/v1`),
    routed: side(`${product.url}/anthropic`, `${product.url}/openai/v1`),
  };
}

interface ImportResult {
  readonly ok: boolean;
  readonly sessions: readonly {
    readonly agent: string;
    readonly session: string;
    readonly title: string;
    readonly state: string;
    readonly added: number;
  }[];
  readonly faults: readonly { readonly file: string; readonly line: number; readonly reason: string }[];
}

/** Runs the built command in a home as a person would. */
function importIn(homeFolder: string, ...args: readonly string[]): ImportResult {
  const command = join(import.meta.dirname, '..', '..', 'server', 'cli', 'bin', 'context-mode.mjs');
  const ran = spawnSync(process.execPath, [command, 'import', ...args, '--gateway', product.url, '--json'], {
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      HOME: homeFolder,
      CONTEXT_MODE_HOME: product.home,
    } as Record<string, string | undefined> as NodeJS.ProcessEnv,
  });
  if (ran.stdout === '') throw new Error(ran.stderr);
  return JSON.parse(ran.stdout) as ImportResult;
}

/** The log of the one session of an agent's own id, without the threads of side requests. */
async function logOf(session: string): Promise<readonly LogRowView[]> {
  const found = await archive.sessionsOf(session);
  expect(found.length, 'sessions of the agent').toBe(1);
  const rows = await archive.log(found[0]?.id ?? '');
  expect(rows.map((row) => row.seq)).toEqual(rows.map((_, index) => index + 1));
  return rows.filter((row) => row.thread !== 'title');
}

const said = (rows: readonly LogRowView[]) =>
  rows.filter((row) => /^(?:input|answer|reasoning|tool_call|tool_result)$/.test(row.kind));
const words = (rows: readonly LogRowView[]) =>
  said(rows).map(({ thread, kind, body }) => [thread, kind, body]);
/** Ids of what was said, each once. */
const ids = (rows: readonly LogRowView[]) => said(rows).map((row) => row.docid);

const AGENTS = [
  {
    name: 'Claude Code with a model that takes system messages',
    prepare: () => {},
    start: (side: Side, prompt: string) => side.claude([FREE, prompt]),
    resume: (side: Side, prompt: string) => side.claude([FREE, '--continue', prompt]),
  },
  {
    name: 'Claude Code with one that takes reminders',
    prepare: () => {},
    start: (side: Side, prompt: string) => side.claude([FREE, '--model', 'claude-sonnet-4-6', prompt]),
    resume: (side: Side, prompt: string) =>
      side.claude([FREE, '--model', 'claude-sonnet-4-6', '--continue', prompt]),
  },
  {
    name: 'Codex with instructions that its files lack',
    prepare: (side: Side) => side.configureCodex('gpt-5.4', 'own'),
    start: (side: Side, prompt: string) => side.codex([prompt]),
    resume: (side: Side, prompt: string) => side.codex(['resume', '--last', prompt]),
  },
  {
    name: 'Codex whose files hold everything',
    prepare: (side: Side) => side.configureCodex('gpt-6.2-sol', 'builtin'),
    start: (side: Side, prompt: string) => side.codex([prompt]),
    resume: (side: Side, prompt: string) => side.codex(['resume', '--last', prompt]),
  },
];

test.each(AGENTS)(
  'a session that never saw the gateway is imported, and goes on through it: $name',
  async (agent) => {
    const { scratch, direct, routed } = home();
    agent.prepare(direct);
    await agent.start(direct, WORK);
    await agent.resume(direct, SECOND);
    const imported = importIn(scratch.home, '--yes');
    expect(imported).toMatchObject({ ok: true, faults: [], sessions: [{ state: 'imported' }] });
    const session = imported.sessions[0]?.session ?? '';
    const before = await logOf(session);
    const typed = before.filter((row) => row.kind === 'input').map((row) => row.body);
    expect(typed).toEqual([
      WORK,
      expect.stringMatching(/^What was the second line\? Mail me at \[masked:email:/),
    ]);
    expect(before.filter((row) => row.kind === 'tool_call')).toHaveLength(3);
    expect(before.filter((row) => row.kind === 'tool_result')).toHaveLength(3);

    expect(importIn(scratch.home, '--yes').sessions).toMatchObject([{ state: 'present', added: 0 }]);
    expect(await logOf(session)).toEqual(before);

    agent.prepare(routed);
    await agent.resume(routed, THIRD);
    await eventually(async () => {
      const after = await logOf(session);
      expect(ids(after).slice(0, ids(before).length)).toEqual(ids(before));
      expect(words(after).slice(words(before).length)).toEqual([
        ['main', 'input', THIRD],
        ['main', 'answer', 'We had added a line to notes.txt.'],
      ]);
    });
    // The file has grown by what went through the gateway.
    expect(importIn(scratch.home, '--yes').sessions).toMatchObject([{ state: 'present', added: 0 }]);
  },
);

test.each(share.isFull ? AGENTS : AGENTS.filter((_, index) => index % 2 === 0))(
  'a session that went through the gateway is there already: $name',
  async (agent) => {
    const { scratch, routed } = home();
    agent.prepare(routed);
    await agent.start(routed, WORK);
    await agent.resume(routed, THIRD);
    const [session = ''] = importIn(scratch.home, '--dry-run').sessions.map((one) => one.session);
    const before = await eventually(async () => {
      const rows = await logOf(session);
      expect(words(rows).at(-1)).toEqual(['main', 'answer', 'We had added a line to notes.txt.']);
      return rows;
    });
    expect(importIn(scratch.home, '--yes').sessions).toMatchObject([{ state: 'present', added: 0 }]);
    expect(await logOf(session)).toEqual(before);
  },
);

test('a compaction, a fork and a sub-agent are imported as they were, with the times of the files', async () => {
  const { scratch, direct } = home();
  await direct.claude([FREE, DELEGATE]);
  await direct.claude([FREE, '--continue', '/compact']);
  await direct.claude([FREE, '--continue', THIRD]);
  const forked = await direct.claude([FREE, '--continue', '--fork-session', SECOND]);
  expect(JSON.stringify(forked)).toContain('zweite Zeile');
  const started = Date.now();
  const { sessions } = importIn(scratch.home, '--yes');
  expect(sessions.map((one) => one.state)).toEqual(['imported', 'imported']);
  const logs = await Promise.all(sessions.map((one) => logOf(one.session)));
  for (const rows of logs) {
    expect(rows.map((row) => row.kind)).toContain('client_compaction');
    const times = rows.map((row) => Date.parse(row.at));
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(times.at(-1)).toBeLessThan(started);
    const sub = said(rows.filter((row) => row.thread !== 'main'));
    expect(sub.map((row) => row.kind)).toEqual(['input', 'tool_call', 'tool_result', 'answer']);
  }
  const upToCompaction = (rows: readonly LogRowView[]) =>
    ids(
      rows.slice(
        0,
        rows.findIndex((row) => row.kind === 'client_compaction'),
      ),
    );
  const [origin = [], fork = []] = logs;
  expect(upToCompaction(origin).length).toBeGreaterThan(5);
  expect(upToCompaction(fork)).toEqual(upToCompaction(origin));
});

test('a torn line and a file of another kind are told, and stop nothing', async () => {
  const { scratch, direct } = home();
  await direct.claude([FREE, THIRD]);
  const projects = join(scratch.home, '.claude', 'projects');
  const [file = ''] = listFiles(projects).filter((path) => path.endsWith('.jsonl'));
  const lines = readFileSync(join(projects, file), 'utf8').trimEnd().split('\n').length;
  appendFileSync(join(projects, file), '{"type":"user","uuid":"9","sessionId":"');
  appendFileSync(join(projects, 'list.jsonl'), '{"a":1}\n');
  const imported = importIn(scratch.home, projects);
  expect(imported).toMatchObject({ ok: true, sessions: [{ state: 'imported' }] });
  expect(imported.faults).toEqual([
    { file: expect.stringContaining(file), line: lines + 1, reason: expect.stringContaining('not whole') },
  ]);
});
