import { expect, test } from 'vitest';
import { NOT_IN_VIEW } from './stubs.ts';
import { ClaudeAgent } from './testing/clients.ts';
import { codeWordsModel, run } from './testing/model.ts';
import { worldOfFile } from './testing/stage.ts';

const stage = worldOfFile(undefined, async (world) => {
  const works = codeWordsModel();
  const asked = new Set<string>();
  world.simulator.script.add((turn) => {
    const typed = turn.typed.at(-1) ?? turn.prompt;
    if (!typed.startsWith('read')) return works(turn);
    if (asked.has(typed)) return { steps: [{ say: 'Read.' }] };
    asked.add(typed);
    return { steps: [{ think: 'read' }, { call: 'Read', input: { file_path: '/home/dev/harbour.txt' } }] };
  });
});

const CONTENT = '1\tThe harbour opens at six.\n2\tIt closes at nine.';
const STUB = 'Wasted call — file unchanged since your last Read. Refer to that earlier tool_result instead.';
const SMALL = { contextLimit: 12_000, keepRecent: 10_000, minGain: 1_000 } as const;

/** An agent whose Read gives the file's content once, and then says that it has not changed. */
function readingAgent(first: string = CONTENT): ClaudeAgent {
  let reads = 0;
  const tool = (command: string) => {
    if (command !== '') return run(command);
    reads += 1;
    return reads === 1 ? first : STUB;
  };
  return new ClaudeAgent({
    base: stage.world.gateway.url,
    model: 'claude-opus-5-5',
    run: tool,
    systemMessages: true,
  });
}

/** The tool results of the newest request. */
function resultsSent(): readonly string[] {
  const body = stage.world.simulator.requests.entries.at(-1)?.body.toString() ?? '{}';
  const { messages } = JSON.parse(body) as { messages: { content: unknown }[] };
  return messages
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .flatMap((part) => (part.type === 'tool_result' ? [String(part.content)] : []));
}

async function workOn(agent: ClaudeAgent): Promise<void> {
  for (let turn = 0; turn < 6; turn += 1) {
    await agent.turn(`task ${turn} rounds=2 lines=120`);
    await stage.world.settled();
  }
}

function expectTaken(): void {
  expect(stage.world.refused()).toEqual([]);
  expect(stage.world.seen.flatMap((seen) => seen?.unedited ?? [])).toEqual([]);
}

test('a second read of a file whose first has left the view gives its content, then and ever after; the client keeps its own words', async () => {
  await stage.world.switchOn(SMALL);
  const agent = readingAgent();
  await agent.turn('read it');
  await workOn(agent);
  expect(resultsSent()).not.toContain(CONTENT);
  await agent.turn('read it again');
  const shown = stage.world.seen.flatMap((seen) =>
    (seen?.runs ?? []).filter((one) => one.is === 'changed' && one.what === 'filled'),
  );
  expect(shown.length).toBeGreaterThan(0);
  const holds = () => {
    expect(resultsSent()).toContain(CONTENT);
    expect(resultsSent()).not.toContain(STUB);
  };
  holds();
  await agent.turn('go on rounds=1 lines=2');
  holds();
  stage.world.restart();
  await agent.turn('after a restart rounds=0');
  holds();
  agent.moveTo((await stage.world.another()).url);
  await agent.turn('elsewhere rounds=0');
  holds();
  await stage.world.settled();
  await agent.fork().turn('forked rounds=0');
  holds();
  expect(JSON.stringify(agent.history())).toContain(STUB);
  expectTaken();
});

test('while the first read is in view the words of the client go as they are', async () => {
  const agent = readingAgent();
  await agent.turn('read it');
  await agent.turn('read it again');
  expect(resultsSent()).toEqual([CONTENT, STUB]);
  expectTaken();
});

test('a stub that stays in view is filled by the layout that leaves its read out', async () => {
  await stage.world.switchOn(SMALL);
  const agent = readingAgent();
  await agent.turn('read it');
  for (let turn = 0; turn < 8; turn += 1) {
    await agent.turn(`read it again ${turn}`);
    const results = resultsSent();
    expect(results).toContain(CONTENT);
    if (results[0] !== CONTENT) expect(results).not.toContain(STUB);
    await agent.turn(`task ${turn} rounds=1 lines=120`);
    await stage.world.settled();
  }
  const fillingLayouts = stage.world.seen.filter(
    (seen) => seen?.made != null && seen.runs.some((one) => one.is === 'changed' && one.what === 'filled'),
  );
  expect(fillingLayouts.length).toBeGreaterThan(0);
  expectTaken();
});

test('where the first read is nowhere in the conversation, the model is told how to see the content', async () => {
  await stage.world.switchOn(SMALL);
  const agent = readingAgent(STUB);
  await workOn(agent);
  await agent.turn('read what was read before a compaction');
  expect(resultsSent()).toContain(NOT_IN_VIEW);
  expect(resultsSent()).not.toContain(STUB);
  expectTaken();
});
