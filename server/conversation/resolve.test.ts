import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerNeeds, chainAnswer } from './answers.ts';
import { hexOf } from './bytes.ts';
import { resolveChain } from './resolve.ts';
import {
  elementOf,
  forms,
  hashOf,
  KEY,
  MemoryArchive,
  parse,
  ROOT,
  type Spoken,
  wrapped,
} from './testing/archive.ts';

const typed = (text: string, mark?: string): Spoken => ({
  role: 'user',
  parts: [`input:${text}`],
  ...(mark === undefined ? {} : { mark }),
});
const said = (...parts: readonly string[]): Spoken => ({ role: 'assistant', parts });
const results = (...parts: readonly string[]): Spoken => ({ role: 'user', parts });
const system = (text: string): Spoken => ({ role: 'system', parts: [`system:${text}`] });

const spokenText = fc.constantFrom('a', 'b', 'c');
const spoken: fc.Arbitrary<Spoken> = fc.oneof(
  spokenText.map((text) => typed(text)),
  spokenText.map((text) => said(`answer:${text}`)),
  spokenText.map((text) => said(`thought:${text}`)),
  spokenText.map((text) => results(`result#1:${text}`, `reminder:${text}`)),
  spokenText.map(system),
);
const conversation = fc.array(spoken, { maxLength: 8 });

describe('a resend', () => {
  it('adds nothing, asks for slices alone and parses nothing but reasoning that stands first', () => {
    fc.assert(
      fc.property(fc.array(conversation, { maxLength: 3 }), conversation, (before, last) => {
        const archive = new MemoryArchive();
        for (const request of before) archive.record(request);
        const first = archive.record(last);
        const again = archive.record(last);
        expect(again.added).toEqual([]);
        expect(again.aliases).toEqual([]);
        expect(hexOf(again.head)).toBe(hexOf(first.head));
        // Reasoning before any message leads nowhere that could be kept.
        const leading = last.findIndex((message) => !parse(elementOf(message)).transparent);
        expect(archive.parsed).toBe(leading < 0 ? last.length : leading);
        expect(new Set(archive.asked)).toEqual(new Set(last.length === 0 ? [] : ['slices']));
        if (leading === 0) expect(archive.asked).toHaveLength(1);
      }),
    );
  });

  it('under other marks is the same chain, and known from then on', () => {
    const archive = new MemoryArchive();
    const first = archive.record([typed('hi', 'marked')]);
    const moved = archive.record([typed('hi'), said('answer:hello'), typed('bye', 'marked')]);
    expect(hexOf(moved.positions[0] ?? ROOT)).toBe(hexOf(first.head));
    expect(moved.added).toHaveLength(2);
    archive.record([typed('hi')]);
    expect(archive.parsed).toBe(0);
  });
});

describe('a chain', () => {
  it('is a function of the conversation alone: parents are in order and each message hangs on the one before', () => {
    fc.assert(
      fc.property(conversation, (request) => {
        const chain = new MemoryArchive().record(request);
        let at = ROOT;
        for (const added of chain.added) {
          expect(hexOf(added.parent)).toBe(hexOf(at));
          at = added.hash;
        }
        expect(hexOf(chain.head)).toBe(hexOf(at));
        expect(chain.positions).toHaveLength(request.length);
        expect(chain.added).toHaveLength(
          request.filter((message) => !parse(elementOf(message)).transparent).length,
        );
      }),
    );
  });

  it('grows by what is new, and a fork shares what is old', () => {
    fc.assert(
      fc.property(conversation, conversation, conversation, (base, one, other) => {
        const archive = new MemoryArchive();
        const root = archive.record(base);
        const left = archive.record([...base, ...one]);
        const right = archive.record([...base, ...other]);
        const at = base.length - 1;
        if (at < 0) return;
        expect(hexOf(left.positions[at] ?? ROOT)).toBe(hexOf(root.head));
        expect(hexOf(right.positions[at] ?? ROOT)).toBe(hexOf(root.head));
      }),
    );
  });

  it('holds the answer that came back as the one that was produced', () => {
    const archive = new MemoryArchive();
    const { head } = archive.record([typed('edit')]);
    archive.answer(head, said('thought:hm', 'answer:I edit.', 'answer: ', 'call#1:{"path":"a"}'));
    const echo = said('answer:I edit.', 'call#1:{"all":false,"path":"a"}');
    const chain = archive.record([typed('edit'), echo, results('result#1:ok')]);
    expect(chain.added.map((added) => added.message.role)).toEqual(['user']);
    expect(archive.messages.size).toBe(3);
    archive.record([typed('edit'), echo, results('result#1:ok'), typed('more')]);
    expect(archive.parsed).toBe(1);
  });

  it('gives reasoning to the message behind it, and it moves no one', () => {
    const archive = new MemoryArchive();
    const chain = archive.record([typed('a'), said('thought:x'), said('thought:y'), said('answer:b')]);
    expect(chain.added[1]?.reasoning.map((message) => message.items[0]?.text)).toEqual(['x', 'y']);
    expect(hexOf(archive.record([typed('a'), said('answer:b')]).head)).toBe(hexOf(chain.head));
    const produced = chainAnswer(
      KEY,
      chain.head,
      [said('thought:z'), said('answer:c')].map((one) => parse(elementOf(one))),
    );
    expect(produced.map((added) => added.reasoning.length)).toEqual([1]);
    expect(hexOf(produced[0]?.hash ?? ROOT)).toBe(hexOf(hashOf(chain.head, said('answer:c'))));
  });
});

it('finds a message by its name among any number of siblings, and goes on to compare behind it', () => {
  const archive = new MemoryArchive();
  const { head } = archive.record([typed('first')]);
  archive.answer(head, said('call#1:{}'));
  for (let index = 0; index < 10; index++) archive.record([typed(`other ${index}`)]);
  const chain = archive.record([typed('first', 'marked'), said('call#1:{"all":true}'), typed('on')]);
  expect(chain.added.map((added) => added.message.items[0]?.text)).toEqual(['on']);
});

it('keeps no form that leads from the root to the root', () => {
  const archive = new MemoryArchive();
  expect(archive.record([said('thought:x')])).toMatchObject({ head: ROOT, added: [], aliases: [] });
});

describe('moved reminders', () => {
  const before: Spoken[] = [typed('run'), said('call#1:{}')];
  const own = [...before, results('result#1:hi', 'reminder:be brief')];
  const after: Spoken[] = [said('answer:done'), typed('next')];

  it('folded into a result are the known message, at once and from its slice later', () => {
    const archive = new MemoryArchive();
    const { head } = archive.record(own);
    const folded = [...before, results(`result#1:hi\n\n${wrapped('be brief')}`)];
    const chain = archive.record([...folded, ...after]);
    expect(hexOf(chain.positions[2] ?? ROOT)).toBe(hexOf(head));
    expect(chain.added).toHaveLength(2);
    archive.record([...folded, ...after]);
    expect(archive.parsed).toBe(0);
  });

  it('in the system message behind are the known message, together with that one', () => {
    const archive = new MemoryArchive();
    const { head } = archive.record(own);
    const moved = [...before, results('result#1:hi'), system('be brief')];
    const chain = archive.record([...moved, ...after]);
    expect(chain.positions.slice(2, 4).map(hexOf)).toEqual([hexOf(head), hexOf(head)]);
    expect(chain.added).toHaveLength(2);
    archive.record([...moved, ...after]);
    expect(archive.asked).toEqual(['slices', 'slices']);
    expect(archive.parsed).toBe(0);
  });

  it('in a system message with more behind it leave that one a message of its own', () => {
    const archive = new MemoryArchive();
    const { head } = archive.record(own);
    const moved = [...before, results('result#1:hi'), system('be brief\n\nand kind')];
    const chain = archive.record(moved);
    expect(hexOf(chain.positions[2] ?? ROOT)).toBe(hexOf(head));
    expect(chain.added.map((added) => added.message.role)).toEqual(['system']);
    expect(hexOf(archive.record(moved).head)).toBe(hexOf(chain.head));
    expect(archive.record(moved).added).toEqual([]);
  });

  it('in a system message that was there already are that one and the message before it', () => {
    const archive = new MemoryArchive();
    const { head } = archive.record([...own, system('tasks')]);
    const moved = [...before, results('result#1:hi'), system('be brief\n\ntasks')];
    const chain = archive.record([...moved, ...after]);
    expect(chain.positions.slice(2, 4).map(hexOf)).toEqual([hexOf(head), hexOf(head)]);
    expect(chain.added).toHaveLength(2);
    archive.record([...moved, ...after]);
    expect(archive.parsed).toBe(0);
  });

  it('that are missing make another message, also once the moved form is known', () => {
    const archive = new MemoryArchive();
    const { head } = archive.record(own);
    archive.record([...before, results('result#1:hi'), system('be brief'), ...after]);
    for (const behind of [[], [said('answer:done')], [system('be rude')]]) {
      const chain = archive.resolve([...before, results('result#1:hi'), ...behind]);
      expect(hexOf(chain.positions[2] ?? ROOT)).not.toBe(hexOf(head));
      expect(chain.added).toHaveLength(1 + behind.length);
    }
  });

  it('out of a stored system message are that message and the one before it', () => {
    const archive = new MemoryArchive();
    const first = archive.record([typed('hi'), system('a\n\nb')]);
    const switched = [results('reminder:a', 'reminder:b', 'input:hi')];
    const chain = archive.record([...switched, ...after]);
    expect(hexOf(chain.positions[0] ?? ROOT)).toBe(hexOf(first.head));
    expect(chain.added).toHaveLength(2);
    archive.record([...switched, ...after]);
    expect(archive.parsed).toBe(0);
  });

  it('with one character more anywhere are new from there on', () => {
    fc.assert(
      fc.property(fc.nat({ max: 4 }), (at) => {
        const archive = new MemoryArchive();
        archive.record([...own, ...after]);
        const spoilt = [...before, results(`result#1:hi\n\n${wrapped('be brief')}`), ...after].map(
          (message, index) =>
            index === at ? { ...message, parts: message.parts.map((text) => `${text}!`) } : message,
        );
        expect(archive.resolve(spoilt).added).toHaveLength(5 - at);
      }),
    );
  });
});

it('is driven by functions that answer, and ends with what they throw', async () => {
  const walk = () => resolveChain({ key: KEY, root: ROOT, elements: [elementOf(typed('a'))], parse, forms });
  const answers = {
    slices: async () => new Map(),
    children: async () => [],
    masked: async () => [],
  };
  expect((await answerNeeds(walk(), answers)).added).toHaveLength(1);
  const broken = { ...answers, children: () => Promise.reject(new Error('gone')) };
  await expect(answerNeeds(walk(), broken)).rejects.toThrow('gone');
});
