import { describe, expect, test } from 'vitest';
import { ClaudeAgent, CodexAgent, type TestAgent } from './testing/clients.ts';
import { run } from './testing/model.ts';
import { worldOfFile } from './testing/stage.ts';

const stage = worldOfFile();

const FOLDER = '/home/dev/shop';
const SMALL = { contextLimit: 12_000, keepRecent: 10_000, minGain: 1_000 } as const;
const HEAD = '[Context Mode, facts of this project';

const agents: readonly { readonly name: string; readonly make: (folder?: string) => TestAgent }[] = [
  {
    name: 'Claude Code',
    make: (folder = FOLDER) =>
      new ClaudeAgent({
        base: stage.world.gateway.url,
        model: 'claude-opus-5-5',
        run,
        systemMessages: true,
        folder,
      }),
  },
  {
    name: 'Codex',
    make: (folder = FOLDER) =>
      new CodexAgent({ base: stage.world.gateway.url, model: 'gpt-6.2-sol', run, folder }),
  },
];

/** The memory part of each request that reached the provider since then; null: it had none. */
function parts(since = 0): readonly (string | null)[] {
  return stage.world.simulator.requests.entries.slice(since).map(({ body }) => partIn(body.toString()));
}

function partIn(body: string): string | null {
  const at = body.indexOf(HEAD);
  return at < 0 ? null : (JSON.parse(`"${body.slice(at, body.indexOf('"', at))}"`) as string);
}

const count = () => stage.world.simulator.requests.entries.length;

/** Every request went out as it was meant to, and the provider took it. */
function expectTaken(): void {
  expect(stage.world.refused()).toEqual([]);
  expect(stage.world.seen.flatMap((seen) => seen?.unedited ?? [])).toEqual([]);
}

/** A conversation of one turn, and memory has looked at it. */
async function tell(agent: TestAgent, typed: string): Promise<void> {
  stage.world.clock.advance(60_000);
  await agent.turn(typed);
  await stage.world.learn();
}

describe.each(agents)('$name', ({ make }) => {
  test('states a fact, changes it, and a third conversation begins with the new value alone', async () => {
    await tell(make(), 'Production is deployed to Render.');
    await tell(make(), 'We moved production from Render to Fly.');
    const before = count();
    await make().turn('where is production deployed?');
    expect(parts(before)).toEqual([`${HEAD} that hold now:]\n- Production deployed to Fly`]);
    expectTaken();
  });

  test('has the same part in each request of the conversation, whatever is learned meanwhile', async () => {
    await tell(make(), 'Production is deployed to Render.');
    const before = count();
    const agent = make();
    await agent.turn('look at production rounds=2 lines=5');
    await tell(agent, 'We moved production from Render to Fly.');
    await agent.turn('and again');
    stage.world.restart();
    await agent.turn('after the restart');
    agent.moveTo((await stage.world.another()).url);
    await agent.turn('elsewhere');
    const all = parts(before);
    expect(all.length).toBeGreaterThan(5);
    expect(new Set(all)).toEqual(new Set([`${HEAD} that hold now:]\n- Production deployed to Render`]));
    expect(JSON.stringify(agent.history())).not.toContain('Context Mode');
    expectTaken();
  });

  test('has none where no fact fits, in another project, or where it is switched off', async () => {
    await tell(make(), 'Production is deployed to Render.');
    const before = count();
    await make().turn('refactor the parser');
    await make('/home/dev/other').turn('where is production deployed?');
    await stage.world.switchOn({ memory: false });
    await make().turn('where is production deployed?');
    expect(parts(before)).toEqual([null, null, null]);
    expectTaken();
  });

  test('has it also where Recall is off', async () => {
    await tell(make(), 'Production is deployed to Render.');
    await stage.world.switchOn({ recall: false });
    const before = count();
    const agent = make();
    await agent.turn('where is production deployed?');
    await agent.turn('thanks');
    expect(parts(before)).toEqual(Array(2).fill(`${HEAD} that hold now:]\n- Production deployed to Render`));
    expectTaken();
  });

  test('gets none in a conversation that began elsewhere', async () => {
    const agent = make();
    await stage.world.switchOn({ recall: false, memory: false });
    await agent.turn('hello');
    await stage.world.switchOn({ recall: true, memory: true });
    await tell(make(), 'Production is deployed to Render.');
    const before = count();
    const adopted = agent.fork();
    await adopted.turn('where is production deployed?');
    expect(parts(before)).toEqual([null]);
    expectTaken();
  });

  test('takes a fresh part where the history begins anew, and the old one where it goes back', async () => {
    await tell(make(), 'Production is deployed to Render.');
    const agent = make();
    await agent.turn('where is production deployed?');
    const first = agent.fork();
    await tell(make(), 'We moved production from Render to Fly.');
    agent.rewind(1);
    const before = count();
    await agent.turn('tell me of production');
    await agent.turn('thanks');
    await first.turn('go on in the fork');
    const fly = `${HEAD} that hold now:]\n- Production deployed to Fly`;
    expect(parts(before)).toEqual([fly, fly, fly.replace('Fly', 'Render')]);
    expectTaken();
  });

  test('takes a fresh part with each layout', async () => {
    await stage.world.switchOn(SMALL);
    await tell(make(), 'Production is deployed to Render.');
    const agent = make();
    await agent.turn('where is production deployed?');
    await tell(make(), 'We moved production from Render to Fly.');
    for (let turn = 0; turn < 6; turn += 1) {
      await agent.turn(`task ${turn} of production rounds=2 lines=120`);
      await stage.world.settled();
    }
    expect(stage.world.seen.some((seen) => seen?.made === 'window')).toBe(true);
    const newest = parts(count() - 1);
    expect(newest).toEqual([`${HEAD} that hold now:]\n- Production deployed to Fly`]);
    expectTaken();
  });
});
