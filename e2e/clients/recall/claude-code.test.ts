import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Json } from '../harness/normalise.ts';
import { sessionOf } from '../harness/session.ts';
import type { Side } from '../harness/side.ts';
import { isFailed } from '../harness/views.ts';
import { FILES, FIRST, HARBOUR, harbour, ROUNDS, TIDE, TYPED } from './script.ts';
import { expectHeld, inspected, recallStageOfFile } from './stage.ts';

const stage = recallStageOfFile();
const FREE = '--dangerously-skip-permissions';
/** The agent's own prompt and tools take about half of it. */
const LIMITS = { contextLimit: 45_000, keepRecent: 10_000, window: 50_000 };

test('a day in many processes passes its limit again and again: early details are told exactly, and nothing of ours is kept', async () => {
  const play = await stage.play('day', FILES, LIMITS, [harbour]);
  const session = await say(play.side, ['--output-format', 'json'], TYPED.plant);
  const resumed = ['--resume', session.id];
  await say(play.side, resumed, TYPED.others);
  for (const number of [1, 2, 3]) await say(play.side, resumed, TYPED.survey(number));
  expect((await say(play.side, resumed, TYPED.byQ)).answer).toBe(HARBOUR);
  expect((await say(play.side, resumed, TYPED.byDocid)).answer).toBe(TIDE);
  expect((await say(play.side, [...resumed, '--output-format', 'json'], TYPED.inView)).answer).toBe(HARBOUR);

  const fork = await say(play.side, [...resumed, '--fork-session'], TYPED.survey(4));
  expect(fork.id).not.toBe(session.id);
  expect((await say(play.side, ['--resume', fork.id], TYPED.byQ)).answer).toBe(HARBOUR);
  expectHeld(play, 3);
  expect((await stage.views()).filter(isFailed)).toEqual([]);
});

test('one turn of sixty rounds passes the limit inside the turn, with parallel calls and hidden ones beside the agent’s', async () => {
  const play = await stage.play('long', FILES, LIMITS, [harbour]);
  const { answer } = await say(play.side, ['--model', 'claude-opus-4-8'], TYPED.long);
  expect(answer).toBe(`The first was ${FIRST}.`);
  expect(inspected(play), 'each berth is inspected once').toBe(ROUNDS);
  expectHeld(play, 1);
});

test('a sub-agent passes the limit by itself, and its parent goes on', async () => {
  const play = await stage.play('sub', FILES, LIMITS, [harbour]);
  const { id } = await say(play.side, [], TYPED.plant);
  const { answer } = await say(play.side, ['--resume', id], TYPED.delegate);
  expect(answer).toContain(`The first was ${FIRST}.`);
  expectHeld(play, 0);
});

test('a file that has left the view is read a second time in one process: the agent refers to the first read, the model gets its content and changes it', async () => {
  const play = await stage.play('again', FILES, LIMITS, [harbour]);
  const typed = [TYPED.plant, TYPED.survey(1), TYPED.survey(2), TYPED.again, TYPED.survey(3), TYPED.byQ];
  const events = await play.side.claudeTalk([FREE], typed, { timeoutMs: 300_000 });
  const answers = events.flatMap((event) => {
    const { type, result } = event as { readonly type?: Json; readonly result?: Json };
    return type === 'result' ? [result] : [];
  });
  expect(answers.slice(3)).toEqual(['It is set.', 'Done with Survey 3: list the rows.', HARBOUR]);
  expect(readFileSync(join(play.side.scratch.project, 'tide-table.txt'), 'utf8')).toBe(
    FILES['tide-table.txt'].replace(TIDE, 'MARK-9000'),
  );
  const stubs = JSON.stringify(events).match(/Wasted call — file unchanged/g) ?? [];
  expect(stubs.length, 'the agent refers to the first read').toBeGreaterThan(0);

  const bodies = play.side.provider.requests.entries
    .filter((entry) => entry.reading?.kind === 'main')
    .map((entry) => entry.body.toString('utf8'));
  const asked = bodies.findIndex((body) => body.includes(TYPED.again));
  expect(bodies[asked], 'the request before the second read').not.toContain(TIDE);
  expect(bodies[asked + 1], 'the request with the second read').toContain(TIDE);
  for (const body of bodies) expect(body).not.toContain('Wasted call');
  expectHeld(play, 3);
});

interface Said {
  readonly id: string;
  readonly answer: string;
}

/** Types a prompt in a process of its own and gives the agent's last words. */
async function say(side: Side, args: readonly string[], prompt: string): Promise<Said> {
  await side.claude([FREE, ...args, prompt], { timeoutMs: 240_000 });
  const shown = side.runs.at(-1)?.stdout.trim() ?? '';
  // Streamed there is an event on each line; otherwise they are one list.
  const events = (
    shown.startsWith('[') ? JSON.parse(shown) : shown.split('\n').map((line) => JSON.parse(line))
  ) as Json[];
  const last = events.at(-1) as { readonly result?: Json };
  return { id: sessionOf(events) ?? '', answer: String(last.result) };
}
