import { describe, expect, test } from 'vitest';
import { ClaudeAgent, CodexAgent, type TestAgent } from './testing/clients.ts';
import { run } from './testing/model.ts';
import { worldOfFile } from './testing/stage.ts';

const stage = worldOfFile();

const agents: readonly { readonly name: string; readonly make: (base: string) => TestAgent }[] = [
  { name: 'Claude Code', make: (base) => new ClaudeAgent({ base, model: 'claude-opus-5-5', run: printed }) },
  { name: 'Codex', make: (base) => new CodexAgent({ base, model: 'gpt-6.2-sol', run: printed }) },
];

/** Lines of an output that is far above what is trimmed, and what stands in its middle alone. */
const LONG = 900;
const SECRET_WORD = 'LIGHTHOUSE-0815';

function printed(command: string): string {
  const output = run(command).split('\n');
  if (output.length > 100) output[Math.floor(output.length / 2)] = `the word is ${SECRET_WORD}`;
  return output.join('\n');
}

/** What of the model's view are results, in each request: the texts of all of them. */
function resultsSent(): string[][] {
  return stage.world.simulator.requests.entries.map((request) => {
    const { messages = [], input = [] } = JSON.parse(request.body.toString()) as {
      messages?: { content: unknown }[];
      input?: { type: string; output?: unknown }[];
    };
    const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
    return [
      ...parts.flatMap((part) => (part.type === 'tool_result' ? [String(part.content)] : [])),
      ...input.flatMap((item) => (item.type === 'function_call_output' ? [String(item.output)] : [])),
    ];
  });
}

/** In every request that holds it, the first result is the same. */
function firstResults(): ReadonlySet<string> {
  return new Set(resultsSent().flatMap(([first]) => (first === undefined ? [] : [first])));
}

function expectTaken(): void {
  expect(stage.world.refused()).toEqual([]);
  expect(stage.world.seen.flatMap((seen) => seen?.unedited ?? [])).toEqual([]);
}

const LEFT_OUT = 'tokens are left out here';

describe.each(agents)('$name', ({ make }) => {
  test('a long output is sent as its ends from its first request on, always in the same bytes; the client keeps the whole', async () => {
    const agent = make(stage.world.gateway.url);
    await agent.turn(`task rounds=1 lines=${LONG}`);
    await agent.turn('again rounds=1 lines=3');
    stage.world.restart();
    await agent.turn('after a restart');
    agent.moveTo((await stage.world.another()).url);
    await agent.turn('elsewhere');
    await stage.world.settled();
    await agent.fork().turn('forked');
    agent.rewind(2);
    await agent.turn('after a rewind');
    const firsts = [...firstResults()];
    expect(firsts).toHaveLength(1);
    expect(firsts[0]).toContain(LEFT_OUT);
    expect(firsts[0]).not.toContain(SECRET_WORD);
    expect(JSON.stringify(agent.history())).toContain(SECRET_WORD);
    expect(JSON.stringify(agent.history())).not.toContain('context-mode');
    expectTaken();
  });

  test('the whole is read back by the id that is said', async () => {
    const agent = make(stage.world.gateway.url);
    await agent.turn(`task rounds=1 lines=${LONG}`);
    await stage.world.settled();
    const docid = /context-mode-msg-[0-9a-f]+/.exec([...firstResults()][0] ?? '')?.[0] ?? '';
    const read = await stage.world.read(docid);
    expect(read).toContain(SECRET_WORD);
  });

  test('what the console shows says which result was trimmed, and the sizes are of what was sent', async () => {
    const agent = make(stage.world.gateway.url);
    await agent.turn(`task rounds=1 lines=${LONG}`);
    const trimmed = stage.world.seen.flatMap((seen) =>
      (seen?.runs ?? []).filter((shown) => shown.is === 'changed' && shown.what === 'trimmed'),
    );
    expect(trimmed).toHaveLength(1);
    const { tokens } = stage.world.seen.at(-1) ?? {};
    expect(tokens?.client).toBeGreaterThan((tokens?.sent ?? 0) + 5_000);
  });

  test('where the archive is too slow the output goes whole, and is never trimmed later', async () => {
    const agent = make(stage.world.gateway.url);
    await agent.turn('hello');
    stage.world.archive.isSlow = true;
    await agent.turn(`task rounds=1 lines=${LONG}`);
    stage.world.archive.isSlow = false;
    await stage.world.settled();
    await agent.turn('again rounds=1 lines=3');
    stage.world.restart();
    await agent.turn('after a restart');
    await agent.turn('and on');
    expect([...firstResults()]).toEqual([expect.stringContaining(SECRET_WORD)]);
    expectTaken();
  });

  test('a conversation that began with it switched off has its outputs whole, and one that began with it keeps what was trimmed', async () => {
    await stage.world.switchOn({ trimming: false });
    const off = make(stage.world.gateway.url);
    await off.turn('hello');
    await stage.world.switchOn({});
    await off.turn(`task rounds=1 lines=${LONG}`);
    expect([...firstResults()]).toEqual([expect.stringContaining(SECRET_WORD)]);
    const on = make(stage.world.gateway.url);
    await on.turn(`other task rounds=1 lines=${LONG}`);
    const before = stage.world.simulator.requests.entries.length;
    await stage.world.switchOn({ trimming: false });
    await on.turn(`more rounds=1 lines=${LONG}`);
    const [first, second] = resultsSent().at(-1) ?? [];
    expect(
      resultsSent()
        .slice(before)
        .map(([one]) => one),
    ).toEqual(
      resultsSent()
        .slice(before)
        .map(() => first),
    );
    expect(first).toContain(LEFT_OUT);
    expect(second).toContain(SECRET_WORD);
    expectTaken();
  });

  test('outputs are trimmed under layouts too, whatever is left out before them', async () => {
    await stage.world.switchOn({ contextLimit: 16_000, keepRecent: 10_000, minGain: 1_000 });
    const agent = make(stage.world.gateway.url);
    for (let turn = 0; turn < 8; turn += 1) {
      await agent.turn(`task ${turn} rounds=1 lines=${LONG}`);
      await stage.world.settled();
    }
    expect(stage.world.seen.some((seen) => seen?.layout != null)).toBe(true);
    for (const results of resultsSent()) for (const result of results) expect(result).toContain(LEFT_OUT);
    expectTaken();
  });
});
