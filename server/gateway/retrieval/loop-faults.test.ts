import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { manualClock } from '../../kernel/clock.ts';
import { manualTimers } from '../testing/timers.ts';
import { type Model, ours, startModel } from './testing/model.ts';
import { readParts } from './testing/read-answer.ts';
import { Talk, type TalkOptions } from './testing/talk.ts';
import { TOO_OFTEN } from './texts.ts';
import type { Protocol, Retrieval } from './types.ts';

let model: Model;
beforeAll(async () => {
  model = await startModel('faults');
});
afterAll(() => model.simulator.stop());

const PROTOCOLS = ['anthropic', 'openai'] as const;
const retrieval: Retrieval = {
  answer: async () => ({ text: 'found', images: [], documents: [] }),
};
const read = { call: 'Read', input: {} };
const talking = (protocol: Protocol, more: Partial<TalkOptions> = {}) =>
  new Talk(model.simulator, { protocol, retrieval, ...more });
const settled = () => new Promise((resolve) => setTimeout(resolve, 20));
const asked = () => model.simulator.requests.entries.length;

/** Work that a test lets go on by hand. */
function held() {
  let free = () => {};
  const done = new Promise<void>((resolve) => {
    free = resolve;
  });
  return { done, free };
}

describe.each(PROTOCOLS)('%s: a round that is not kept', (protocol) => {
  test('is not sent: the client sees a fault, and its next request has nothing of it', async () => {
    for (const keepHidden of [async () => Promise.reject(new Error('no database')), () => held().done]) {
      model.start([{ steps: [{ think: 'a' }, { say: 'Looking.' }, ours('x')] }]);
      const timers = manualTimers(manualClock(0));
      const talk = talking(protocol, { keepHidden, timers });
      talk.type('go');
      const { done } = talk.ask();
      const end = setInterval(() => timers.advance(100), 5);
      const answer = await done;
      clearInterval(end);
      expect(answer).toMatchObject({ status: 200, ending: 'HIDDEN_ROUND_FAILED' });
      expect(asked()).toBe(1);
      expect(talk.failed).toHaveLength(1);
      expect(talk.remembered.size).toBe(0);
      talk.takeAnswer();
      await talk.turn('again');
      model.checkAll(talk);
    }
  });

  test('and is written too late is emptied again', async () => {
    model.start([{ steps: [{ say: 'Looking.' }, ours('x')] }]);
    const timers = manualTimers(manualClock(0));
    const store = held();
    const talk = talking(protocol, { keepHidden: () => store.done, timers });
    talk.type('go');
    const { done } = talk.ask();
    const end = setInterval(() => timers.advance(100), 5);
    await done;
    clearInterval(end);
    store.free();
    await settled();
    expect([...talk.stored.values()].map((record) => record.data)).toEqual([null]);
  });

  test('beside the client’s own call leaves that alone: the answer ends, and ours was never made', async () => {
    model.start([{ steps: [{ think: 'a' }, ours('x'), read] }]);
    const timers = manualTimers(manualClock(0));
    const talk = talking(protocol, { keepHidden: () => held().done, timers });
    talk.type('go');
    const { done } = talk.ask();
    const end = setInterval(() => timers.advance(100), 5);
    expect(await done).toMatchObject({ ending: 'end' });
    clearInterval(end);
    expect(talk.takeAnswer()).toBe(true);
    await talk.ask().done;
    expect(JSON.stringify(talk.upstream.at(-1))).not.toContain('context-mode-search');
    expect(talk.answers.map((one) => one.status)).toEqual([200, 200]);
  });
});

describe.each(PROTOCOLS)('%s: a client that leaves', (protocol) => {
  test('while the archive is asked leaves nothing behind and no further request', async () => {
    model.start([{ steps: [{ say: 'Looking.' }, ours('x')] }]);
    const archive = held();
    let isAsked = false;
    const talk = talking(protocol, {
      retrieval: {
        answer: async () => {
          isAsked = true;
          await archive.done;
          return { text: 'found', images: [], documents: [] };
        },
      },
    });
    talk.type('go');
    const { call } = talk.ask();
    while (!isAsked) await settled();
    call.abort();
    archive.free();
    await settled();
    expect([asked(), talk.stored.size, talk.remembered.size]).toEqual([1, 0, 0]);
  });

  test('while the round is being kept has it taken back', async () => {
    model.start([{ steps: [{ say: 'Looking.' }, ours('x')] }]);
    const store = held();
    let isKept = false;
    const talk = talking(protocol, {
      keepHidden: () => {
        isKept = true;
        return store.done;
      },
    });
    talk.type('go');
    const { call } = talk.ask();
    while (!isKept) await settled();
    call.abort();
    store.free();
    await settled();
    expect(asked()).toBe(1);
    expect(talk.remembered.size).toBe(0);
    expect([...talk.stored.values()].map((record) => record.data)).toEqual([null]);
  });
});

test('a person who breaks in while the follow-up runs gets the round put back in front of what was shown of it', async () => {
  model.start([
    { steps: [{ say: 'One.' }, ours('x')] },
    { steps: [{ think: 'b' }, { say: 'Two' }, { gate: 'never' }, { say: 'Three' }] },
  ]);
  const talk = talking('anthropic');
  talk.type('go');
  const { call, done } = talk.ask();
  while (asked() < 2) await settled();
  await settled();
  await settled();
  call.abort();
  const parts = readParts((await done).body);
  expect(parts.map((part) => part.type)).toEqual(['text', 'thinking', 'text']);
  talk.history.push({ role: 'assistant', content: parts });
  await settled();
  await talk.turn('[Request interrupted by user] go on');
  const [, second, third] = talk.upstream;
  expect(third?.slice(0, second?.length)).toEqual(second);
  expect(talk.answers.at(-1)?.status).toBe(200);
});

describe.each(PROTOCOLS)('%s: a follow-up that the provider refuses', (protocol) => {
  test('behind a head that has gone out is a fault, and the attempt after it a new one', async () => {
    for (const status of [400, 429, 529]) {
      model.start([{ steps: [{ say: 'Looking.' }, ours('x')] }]);
      model.simulator.faults.add({ fault: { kind: 'status', status }, skip: 1 });
      const talk = talking(protocol);
      talk.type('go');
      expect(await talk.ask().done).toMatchObject({ status: 200, ending: 'HIDDEN_ROUND_REFUSED' });
      await talk.ask().done;
      expect(talk.upstream.at(-1)).toHaveLength(1);
      expect(talk.answers.at(-1)).toMatchObject({ status: 200, ending: 'end' });
    }
  });

  test('and that does not stream reaches the client as it came', async () => {
    model.start([{ steps: [{ say: 'Looking.' }, ours('x')] }]);
    model.simulator.faults.add({ fault: { kind: 'status', status: 529 }, skip: 1 });
    const talk = talking(protocol, { stream: false });
    talk.type('go');
    expect(await talk.ask().done).toMatchObject({ status: 529, ending: 'end' });
  });

  test('is a fault too where its stream breaks off', async () => {
    model.start([{ steps: [{ say: 'Looking.' }, ours('x')] }, { steps: [{ say: 'Found it.' }] }]);
    model.simulator.faults.add({ fault: { kind: 'reset', afterEvents: 4, pauseMs: 20 }, skip: 1 });
    const talk = talking(protocol);
    talk.type('go');
    expect((await talk.ask().done).ending).toBe('ECONNRESET');
    await settled();
    await talk.ask().done;
    expect(talk.upstream.at(-1)).toHaveLength(1);
  });
});

describe.each(PROTOCOLS)('%s: the bound', (protocol) => {
  test('is told to the model after eight rounds, and a model that calls on breaks off', async () => {
    model.start(Array.from({ length: 40 }, (_, index) => ({ steps: [ours(`${index}`)] })));
    const talk = talking(protocol);
    talk.type('go');
    expect((await talk.ask().done).ending).toBe('HIDDEN_ROUND_FAILED');
    expect(asked()).toBe(17);
    const results = JSON.stringify(talk.upstream.at(-1));
    expect(results.split(TOO_OFTEN).length - 1).toBe(8);
    expect(results.split('"found"').length - 1).toBe(8);
    expect(talk.failed).toEqual(['too_often: 16 rounds']);
  });

  test('lets a model that goes on without the tool do so', async () => {
    model.start(Array.from({ length: 9 }, (_, index) => ({ steps: [ours(`${index}`)] })));
    const talk = talking(protocol);
    await talk.turn('go');
    await talk.turn('more');
    model.checkAll(talk);
    expect(asked()).toBe(11);
  });
});

describe.each(PROTOCOLS)('%s: an answer that ends in the middle of our call', (protocol) => {
  test('ends for the client without it, and nothing is asked or kept', async () => {
    const more = protocol === 'anthropic' ? { max_tokens: 20 } : { max_output_tokens: 20 };
    for (const stream of [true, false]) {
      model.start([{ steps: [{ say: 'Looking.' }, ours('long '.repeat(50))] }]);
      const talk = talking(protocol, { more, stream });
      await talk.turn('go');
      expect([asked(), talk.stored.size]).toEqual([1, 0]);
      const [answer] = talk.answers;
      expect(answer).toMatchObject({ status: 200, ending: 'end' });
      expect(answer?.body).toContain(protocol === 'anthropic' ? '"max_tokens"' : '"incomplete"');
      expect(answer?.body).not.toContain('long');
      await talk.turn('more');
      model.checkAll(talk);
    }
  });
});

describe.each(PROTOCOLS)('%s: a side request', (protocol) => {
  test('has its calls answered, and nothing is kept of it', async () => {
    model.start([{ steps: [{ say: 'Looking.' }, ours('x')] }, { steps: [{ say: 'Found.' }] }]);
    const talk = talking(protocol, { keeps: false });
    await talk.turn('go');
    expect([asked(), talk.stored.size, talk.remembered.size]).toEqual([2, 0, 0]);
    expect(talk.answers[0]?.body).toContain('Found.');
  });
});
