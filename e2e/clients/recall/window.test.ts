import { describe, expect, test } from 'vitest';
import { sessionOf } from '../harness/session.ts';
import type { Side } from '../harness/side.ts';
import { isFailed } from '../harness/views.ts';
import { FILES, FIRST, HARBOUR, harbour, MOST_ROUNDS, TIDE, TYPED } from './script.ts';
import { expectHeld, inspected, type Limits, recallStageOfFile } from './stage.ts';

/** Thirty turns, and one of three hundred rounds, under a real window: an hour and more. */
const LONG = process.env.LONG === '1';
const TURNS = 30;
const MINUTES = 60_000;
const FREE = '--dangerously-skip-permissions';

describe.runIf(LONG)('under a window of 200,000 tokens by default settings', () => {
  const stage = recallStageOfFile();
  const limits = (keepRecent: Limits['keepRecent']): Limits => ({
    contextLimit: 160_000,
    keepRecent,
    window: 200_000,
  });

  test.each(['lean', 'balanced', 'roomy'] as const)(
    'thirty turns with the preset %s: early details are exact, the agent never compacts, and no prompt passes the limit',
    { timeout: 90 * MINUTES },
    async (preset) => {
      const play = await stage.play(preset, FILES, limits(preset), [harbour]);
      const { side } = play;
      const session = await say(side, [], TYPED.plant);
      const resumed = ['--resume', session.id];
      await say(side, resumed, TYPED.others);
      for (let turn = 1; turn <= TURNS - 4; turn += 1) await say(side, resumed, TYPED.survey(turn));
      expect((await say(side, resumed, TYPED.byQ)).answer).toBe(HARBOUR);
      expect((await say(side, resumed, TYPED.byDocid)).answer).toBe(TIDE);
      expectHeld(play, 1);
      expect((await stage.views()).filter(isFailed)).toEqual([]);
    },
  );

  test('one turn of three hundred rounds: the first result is told exactly at its end', {
    timeout: 90 * MINUTES,
  }, async () => {
    const play = await stage.play('longest', FILES, limits('balanced'), [harbour]);
    const { answer } = await say(play.side, [], TYPED.longest, 80);
    expect(answer).toBe(`The first was ${FIRST}.`);
    expect(inspected(play), 'each berth is inspected once').toBe(MOST_ROUNDS);
    expectHeld(play, 1);
  });
});

interface Said {
  readonly id: string;
  readonly answer: string;
}

/** Types a prompt in a process of its own and gives the agent's last words. */
async function say(side: Side, args: readonly string[], prompt: string, minutes = 10): Promise<Said> {
  const events = await side.claude([FREE, '--model', 'claude-sonnet-4-6', ...args, prompt], {
    timeoutMs: minutes * MINUTES,
  });
  const last = events.at(-1) as { readonly result?: unknown };
  return { id: sessionOf(events) ?? '', answer: String(last.result) };
}
