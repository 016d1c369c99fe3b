import { expect, test } from 'vitest';
import type { Item, Message, MessageHash } from '../../conversation/index.ts';
import { type Conversation, goesOnBehind } from './conversation.ts';
import { factsOf } from './facts.ts';
import { markNext, NO_MARKS } from './marks.ts';
import { bringsUnseen } from './recollect.ts';

const item = (kind: Item['kind'], text: string, callId: string | null = null): Item => ({
  kind,
  text,
  body: null,
  tool: callId === null ? null : { callId, name: 'Read', namespace: null, isError: false },
  mainInput: null,
  path: null,
  media: [],
});
const typed = (text: string): Message => said('user', [item('input', text)]);
const answer = (text: string, call: string | null = null): Message =>
  said('assistant', [item('answer', text), ...(call === null ? [] : [item('tool_call', '{}', call)])]);
const results = (call: string): Message => said('user', [item('tool_result', 'x', call)]);
const system: Message = said('system', [item('system', 'The task tools have not been used recently.')]);

function said(role: Message['role'], items: readonly Item[]): Message {
  return { role, items, canonical: new Uint8Array(0), transparent: false };
}

/** A request of these messages as the gateway knows it. */
function conversation(messages: readonly Message[]): Conversation {
  const facts = messages.map((message) => factsOf(message, 1));
  const marks: (MessageHash | null)[] = [];
  const states = [];
  let state = NO_MARKS;
  for (const one of facts) {
    const marked = markNext(new Uint8Array(32), state, one);
    state = marked.state;
    marks.push(marked.mark);
    states.push(state);
  }
  const nothing = { anchors: [], chains: [], results: [], outlines: null };
  return {
    body: Buffer.alloc(0),
    elements: messages.map(() => ({ start: 0, end: 0 })),
    facts,
    marks,
    states,
    ...nothing,
  };
}

/** Whether the second request brings answers that nobody saw, seen from the first. */
function unseen(before: readonly Message[], now: readonly Message[]): boolean {
  const next = conversation(now);
  const behind = goesOnBehind(conversation(before), next);
  if (behind === null) throw new Error('it does not go on from there');
  return bringsUnseen(next, behind);
}

const begun = [typed('a'), answer('b', 'c1'), results('c1')];

test('the one answer to the request before is none that nobody saw', () => {
  expect(unseen(begun, [...begun, answer('d'), typed('e')])).toBe(false);
  expect(unseen(begun, [...begun, answer('d', 'c2'), results('c2')])).toBe(false);
  expect(unseen(begun, begun)).toBe(false);
});

test('a system message at the end of the request before, or that came with its answer, changes nothing', () => {
  expect(unseen([...begun, system], [...begun, system, answer('d'), typed('e')])).toBe(false);
  expect(unseen(begun, [...begun, system, answer('d'), system, typed('e')])).toBe(false);
});

test('further answers behind it are', () => {
  const detour = [...begun, answer('d'), typed('e'), answer('f'), typed('g')];
  expect(unseen(begun, detour)).toBe(true);
  expect(unseen(begun, [...begun, answer('d', 'c2'), results('c2'), answer('f'), typed('g')])).toBe(true);
});
