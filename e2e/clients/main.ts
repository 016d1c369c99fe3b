import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import { headerOf, type LoggedRequest, type Scenario, startSimulator } from '../simulator/index.ts';
import type { Json } from './harness/normalise.ts';
import { makeScratchAt } from './harness/scratch.ts';
import { Side } from './harness/side.ts';
import { withoutWording } from './harness/wording.ts';

/**
 * Records what the agents send, in the layout of `recorded/`: `node server/setup/run.mjs e2e/clients/main.ts FOLDER`.
 * The scratch home is a fixed path, so that recordings name no machine; it must not exist and is removed at the end.
 */

const ROOT = '/home/dev';
const FREE = '--dangerously-skip-permissions';
const NOTES = 'first line\nzweite Zeile – ünïcode 🙂\nthird line\n';
const TYPED = {
  hello: 'Say hello.',
  work: 'Read notes.txt, add a last line "done", and list the folder.',
  second: 'What was the second line?',
  where: 'Where were we?',
  delegate: 'Ask a sub-agent to count the files in src.',
  long: 'Read notes.txt and remember it.',
  odd: 'Say something odd.',
  task: 'Count the files in src and say the number.',
} as const;

const SONNET = 'anthropic/claude-sonnet-4-6';
const GPT = 'openai/gpt-5.4';
/** A window that is soon full. */
const WINDOW = 200_000;
/** Pi keeps nothing but the last message when it compacts. */
const KEEP_LITTLE = { compaction: { enabled: true, reserveTokens: 16_384, keepRecentTokens: 1 } };
/** What a model says when its window is nearly full. */
const FULL = { input_tokens: 995_000, output_tokens: 100 };

const SCRIPT: readonly Scenario[] = [
  scenario(TYPED.hello, [[{ think: 'A greeting is asked for.' }, { say: 'Hello. What shall we build?' }]]),
  scenario(TYPED.work, [
    [{ think: 'First the file.' }, { say: 'I read it first.' }, { use: 'read', path: 'notes.txt' }],
    [
      { use: 'shell', command: 'printf "done\\n" >> notes.txt' },
      { use: 'shell', command: 'sleep 0.3; ls -1' },
    ],
    [{ think: 'Both worked.' }, { say: 'The file has four lines now.' }],
  ]),
  scenario(TYPED.second, [[{ say: 'The second line was “zweite Zeile – ünïcode 🙂”.' }]]),
  scenario(TYPED.where, [[{ say: 'We had added a line to notes.txt.' }]]),
  scenario(TYPED.delegate, [
    [{ say: 'I hand this on.' }, { use: 'agent', prompt: TYPED.task }],
    [{ use: 'await-agent' }],
    [{ say: 'The sub-agent counted two files.' }],
  ]),
  {
    id: TYPED.long,
    when: { equals: TYPED.long },
    rounds: [
      { steps: [{ use: 'read', path: 'notes.txt' }] },
      { steps: [{ say: 'I have read it and will remember it.' }], usage: FULL },
    ],
  },
  // Blanks at the edges, several texts, a tool that is not there: what agents change when they send an answer again.
  scenario(TYPED.odd, [
    [{ say: '\n  Two texts.  \n' }, { say: 'The second.\n\n' }, { call: 'nope', input: { a: 1 } }],
    [{ think: 'It was refused. ' }, { say: ' \n' }, { use: 'shell', command: 'printf "x\\n\\n"' }],
    [{ say: 'At the end blanks.  \n\n' }],
  ]),
  scenario(TYPED.task, [[{ use: 'shell', command: 'ls src | wc -l' }], [{ say: 'There are 2 files.' }]]),
];

const CASES: Readonly<Record<string, (side: Side) => Promise<void>>> = {
  'claude-code/opus-one-shot': (side) => claude(side, [], [TYPED.hello]),
  'claude-code/opus-session': (side) => claude(side, [], [TYPED.work, TYPED.second, '/compact', TYPED.where]),
  'claude-code/opus-subagent': (side) => claude(side, [], [TYPED.delegate]),
  'claude-code/sonnet-session': (side) =>
    claude(side, ['--model', 'claude-sonnet-4-6'], [TYPED.work, TYPED.second, '/compact', TYPED.where]),
  'claude-code/count-tokens': (side) => claude(side, [], ['/context']),
  'codex/gpt-5.4-session': (side) => codex(side, 'gpt-5.4', 'own', [TYPED.work, TYPED.second]),
  'codex/gpt-5.4-subagent': (side) => codex(side, 'gpt-5.4', 'own', [TYPED.delegate]),
  'codex/gpt-6.2-subagent': (side) => codex(side, 'gpt-6.2-sol', 'own', [TYPED.delegate]),
  'opencode/anthropic-session': (side) => openCode(side, SONNET, [TYPED.work, TYPED.second]),
  'opencode/anthropic-subagent': (side) => openCode(side, SONNET, [TYPED.delegate]),
  'opencode/anthropic-compaction': (side) => openCode(side, SONNET, [TYPED.long, TYPED.where], WINDOW),
  'opencode/anthropic-odd': (side) => openCode(side, SONNET, [TYPED.odd, TYPED.where]),
  'opencode/openai-odd': (side) => openCode(side, GPT, [TYPED.odd, TYPED.where]),
  'opencode/openai-session': (side) => openCode(side, GPT, [TYPED.work, TYPED.second]),
  'opencode/openai-subagent': (side) => openCode(side, GPT, [TYPED.delegate]),
  'pi/anthropic-session': (side) => pi(side, SONNET, [TYPED.work, TYPED.second]),
  'pi/anthropic-compaction': (side) => pi(side, SONNET, [TYPED.long, TYPED.where], KEEP_LITTLE),
  'pi/anthropic-odd': (side) => pi(side, SONNET, [TYPED.odd, TYPED.where]),
  'pi/openai-odd': (side) => pi(side, GPT, [TYPED.odd, TYPED.where]),
  'pi/openai-session': (side) => pi(side, GPT, [TYPED.work, TYPED.second]),
  'codex/builtin-session': (side) => codex(side, 'gpt-6.2-sol', 'builtin', [TYPED.work, TYPED.second]),
};

function scenario(prompt: string, rounds: readonly Scenario['rounds'][number]['steps'][]): Scenario {
  return { id: prompt, when: { equals: prompt }, rounds: rounds.map((steps) => ({ steps })) };
}

async function claude(side: Side, args: readonly string[], prompts: readonly string[]): Promise<void> {
  for (const [index, prompt] of prompts.entries()) {
    await side.claude([FREE, ...args, ...(index === 0 ? [] : ['--continue']), prompt]);
  }
}

async function codex(
  side: Side,
  model: string,
  provider: 'own' | 'builtin',
  prompts: readonly string[],
): Promise<void> {
  side.configureCodex(model, provider);
  for (const [index, prompt] of prompts.entries()) {
    await side.codex(index === 0 ? [prompt] : ['resume', '--last', prompt]);
  }
}

async function openCode(
  side: Side,
  model: string,
  prompts: readonly string[],
  window?: number,
): Promise<void> {
  side.configureOpenCode(window);
  for (const [index, prompt] of prompts.entries()) {
    await side.opencode(['-m', model, '--variant', 'high', ...(index === 0 ? [] : ['-c'])], prompt);
  }
}

async function pi(
  side: Side,
  model: string,
  prompts: readonly string[],
  settings: { readonly [name: string]: Json } = {},
): Promise<void> {
  side.configurePi(settings);
  for (const [index, prompt] of prompts.entries()) {
    await side.pi(['--model', model, '--thinking', 'high', ...(index === 0 ? [] : ['-c']), prompt]);
  }
}

/** Writes the requests of a log as numbered files; the kernel's version and our port are replaced. */
function writeRecording(folder: string, log: readonly LoggedRequest[]): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [index, entry] of log.filter((request) => request.method !== 'GET').entries()) {
    const stem = join(folder, String(index + 1).padStart(3, '0'));
    const body = entry.body.toString('utf8').replaceAll(release(), '6.8.0');
    const answer = entry.answer;
    const replaced = new Map([
      ['host', '127.0.0.1:4141'],
      ['content-length', String(Buffer.byteLength(body))],
    ]);
    const head = {
      method: entry.method,
      target: entry.target,
      headers: entry.headers.map(([name, value]) => [
        name,
        replaced.get(name.toLowerCase()) ?? value.replaceAll(release(), '6.8.0'),
      ]),
      status: answer?.status ?? null,
      answerHeaders: answer?.headers ?? [],
    };
    writeFileSync(`${stem}.headers.json`, `${JSON.stringify(head, null, 1)}\n`);
    if (body !== '') writeFileSync(`${stem}.request.json`, withoutWording(body));
    if (answer === undefined || answer.body.length === 0) continue;
    const stream = headerOf(answer.headers, 'content-type')?.includes('event-stream') === true;
    writeFileSync(`${stem}.response.${stream ? 'sse' : 'json'}`, answer.body);
  }
}

async function record(target: string, chosen: readonly string[]): Promise<void> {
  if (existsSync(ROOT)) throw new Error(`${ROOT} exists; the recording needs that path for itself.`);
  for (const [name, run] of Object.entries(CASES)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    const simulator = await startSimulator({ scenarios: SCRIPT });
    try {
      const files = {
        'notes.txt': NOTES,
        'src/a.ts': 'export const a = 1;\n',
        'src/b.ts': 'export const b = 2;\n',
      };
      const scratch = makeScratchAt({ root: ROOT, home: ROOT, project: join(ROOT, 'project') }, files);
      await run(
        new Side('direct', scratch, simulator, { anthropic: simulator.url, openai: `${simulator.url}/v1` }),
      );
      writeRecording(join(target, name), simulator.requests.entries);
      process.stdout.write(`${name}: ${simulator.requests.entries.length} requests\n`);
    } finally {
      await simulator.stop();
      rmSync(ROOT, { recursive: true, force: true });
    }
  }
}

const [target, ...chosen] = process.argv.slice(2);
if (target === undefined) throw new Error('Name the folder to record into, and cases if not all.');
await record(target, chosen);
