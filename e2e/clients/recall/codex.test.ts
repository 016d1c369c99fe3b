import { expect, test } from 'vitest';
import type { Json } from '../harness/normalise.ts';
import { sessionOf } from '../harness/session.ts';
import type { Side } from '../harness/side.ts';
import { isFailed } from '../harness/views.ts';
import { FILES, FIRST, HARBOUR, harbour, ROUNDS, TIDE, TYPED } from './script.ts';
import { expectHeld, inspected, recallStageOfFile } from './stage.ts';

const stage = recallStageOfFile();
/** The agent's own prompt and tools take about a third of it. */
const LIMITS = { contextLimit: 30_000, keepRecent: 10_000, window: 35_000 };

test('a day in many processes passes its limit again and again: early details are told exactly, and nothing of ours is kept', async () => {
  const play = await stage.play('day', FILES, LIMITS, [harbour]);
  play.side.configureCodex('gpt-5.4', 'builtin');
  const session = await say(play.side, [], TYPED.plant);
  const resumed = ['resume', session.id];
  await say(play.side, resumed, TYPED.others);
  for (const number of [1, 2, 3]) await say(play.side, resumed, TYPED.survey(number));
  expect((await say(play.side, resumed, TYPED.byQ)).answer).toBe(HARBOUR);
  expect((await say(play.side, resumed, TYPED.byDocid)).answer).toBe(TIDE);
  expect((await say(play.side, resumed, TYPED.inView)).answer).toBe(HARBOUR);

  const fork = await say(play.side, ['fork', session.id], TYPED.survey(4));
  expect(fork.id).not.toBe(session.id);
  expect((await say(play.side, ['resume', fork.id], TYPED.byQ)).answer).toBe(HARBOUR);
  expectHeld(play, 3);
  expect((await stage.views()).filter(isFailed)).toEqual([]);
});

test('one turn of sixty rounds passes the limit inside the turn, with parallel calls and hidden ones beside the agent’s', async () => {
  const play = await stage.play('long', FILES, LIMITS, [harbour]);
  play.side.configureCodex('gpt-5.4', 'own');
  const { answer } = await say(play.side, [], TYPED.long);
  expect(answer).toBe(`The first was ${FIRST}.`);
  expect(inspected(play), 'each berth is inspected once').toBe(ROUNDS);
  expectHeld(play, 1);
});

test('a sub-agent passes the limit by itself, and its parent goes on', async () => {
  const play = await stage.play('sub', FILES, LIMITS, [harbour]);
  play.side.configureCodex('gpt-5.4', 'own');
  const { id } = await say(play.side, [], TYPED.plant);
  const { answer } = await say(play.side, ['resume', id], TYPED.delegate);
  expect(answer).toContain(`The first was ${FIRST}.`);
  expectHeld(play, 0);
});

interface Said {
  readonly id: string;
  readonly answer: string;
}

/** Types a prompt in a process of its own and gives the agent's last words. */
async function say(side: Side, args: readonly string[], prompt: string): Promise<Said> {
  const events = await side.codex([...args, prompt], { timeoutMs: 240_000 });
  const messages = events.flatMap((event) => {
    const { item } = event as { readonly item?: { readonly type?: Json; readonly text?: Json } };
    return item?.type === 'agent_message' ? [String(item.text)] : [];
  });
  return { id: sessionOf(events) ?? '', answer: messages.at(-1) ?? '' };
}
