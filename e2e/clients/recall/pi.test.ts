import { describe, expect, test } from 'vitest';
import type { Json } from '../harness/normalise.ts';
import { sessionOf } from '../harness/session.ts';
import type { Side } from '../harness/side.ts';
import { FILES, FIRST, HARBOUR, harbour, ROUNDS, TIDE, TYPED } from './script.ts';
import { expectHeld, inspected, recallStageOfFile } from './stage.ts';

const stage = recallStageOfFile();
/** The agent's own prompt and tools are small. */
const LIMITS = { contextLimit: 24_000, keepRecent: 10_000, window: 28_000 };
const SONNET = ['--model', 'anthropic/claude-sonnet-4-6', '--thinking', 'high'];
const GPT = ['--model', 'openai/gpt-5.4', '--thinking', 'high'];

describe.each([
  ['that names its session', GPT],
  ['that names none', SONNET],
])('on the protocol %s', (_protocol, model) => {
  test('a day in many processes passes its limit again and again: early details are told exactly, and nothing of ours is kept', async () => {
    const play = await stage.play(`day ${model[1]}`.replace('/', ' '), FILES, LIMITS, [harbour]);
    play.side.configurePi();
    await say(play.side, model, TYPED.plant);
    const resumed = [...model, '-c'];
    await say(play.side, resumed, TYPED.others);
    for (const number of [1, 2, 3]) await say(play.side, resumed, TYPED.survey(number));
    expect((await say(play.side, resumed, TYPED.byQ)).answer).toBe(HARBOUR);
    expect((await say(play.side, resumed, TYPED.byDocid)).answer).toBe(TIDE);
    expect((await say(play.side, resumed, TYPED.inView)).answer).toBe(HARBOUR);
    expectHeld(play, 3);
  });
});

test('one turn of sixty rounds passes the limit inside the turn where no session is named', async () => {
  const play = await stage.play('long', FILES, LIMITS, [harbour]);
  play.side.configurePi();
  const { answer } = await say(play.side, SONNET, TYPED.long);
  expect(answer).toBe(`The first was ${FIRST}.`);
  expect(inspected(play), 'each berth is inspected once').toBe(ROUNDS);
  expectHeld(play, 1);
});

interface Said {
  readonly id: string;
  readonly answer: string;
}

/** Types a prompt in a process of its own and gives the agent's last words. */
async function say(side: Side, args: readonly string[], prompt: string): Promise<Said> {
  const events = await side.pi([...args, prompt]);
  const texts = events.flatMap((event) => {
    const { type, message } = event as { readonly type?: Json; readonly message?: Message };
    if (type !== 'message_end' || message?.role !== 'assistant') return [];
    return message.content.flatMap((part) => (part.type === 'text' ? [String(part.text)] : []));
  });
  return { id: sessionOf(events) ?? '', answer: texts.at(-1) ?? '' };
}

interface Message {
  readonly role: string;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}
