import { expect, test } from 'vitest';
import type { Json } from '../harness/normalise.ts';
import { sessionOf } from '../harness/session.ts';
import { share } from '../harness/share.ts';
import type { Side } from '../harness/side.ts';
import { FILES, HARBOUR, harbour, TIDE, TYPED } from './script.ts';
import { expectHeld, recallStageOfFile } from './stage.ts';

const stage = recallStageOfFile();
/** The agent's own prompt and tools take about a third of it. */
const LIMITS = { contextLimit: 30_000, keepRecent: 10_000, window: 35_000 };

test.each(share.of(['anthropic/claude-sonnet-4-6', 'openai/gpt-5.4']))(
  'a day in many processes passes its limit again and again: early details are told exactly, and nothing of ours is kept (%s)',
  async (model) => {
    const play = await stage.play(model.replace('/', '-'), FILES, LIMITS, [harbour]);
    play.side.configureOpenCode();
    const args = ['-m', model, '--variant', 'high'];
    const session = await say(play.side, args, TYPED.plant);
    const resumed = [...args, '-s', session.id];
    await say(play.side, resumed, TYPED.others);
    for (const number of [1, 2, 3]) await say(play.side, resumed, TYPED.survey(number));
    expect((await say(play.side, resumed, TYPED.byQ)).answer).toBe(HARBOUR);
    expect((await say(play.side, resumed, TYPED.byDocid)).answer).toBe(TIDE);
    expect((await say(play.side, resumed, TYPED.inView)).answer).toBe(HARBOUR);
    expectHeld(play, 3);
  },
);

interface Said {
  readonly id: string;
  readonly answer: string;
}

/** Types a prompt in a process of its own and gives the agent's last words. */
async function say(side: Side, args: readonly string[], prompt: string): Promise<Said> {
  const events = await side.opencode(args, prompt);
  const texts = events.flatMap((event) => {
    const { type, part } = event as { readonly type?: Json; readonly part?: { readonly text?: Json } };
    return type === 'text' ? [String(part?.text)] : [];
  });
  return { id: sessionOf(events) ?? '', answer: texts.at(-1) ?? '' };
}
