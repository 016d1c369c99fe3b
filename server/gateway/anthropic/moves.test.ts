import { describe, expect, it } from 'vitest';
import {
  chainAnswer,
  hexOf,
  type Item,
  type Message,
  type ResolvedChain,
  type ResolveNeed,
  resolveChain,
  rootHash,
  type SliceMapping,
  type StoredMessage,
} from '../../conversation/index.ts';
import { type Exchange, exchangesOf } from '../reading/testing/recorded.ts';
import { anthropicAdapter } from './index.ts';

const KEY = new Uint8Array(32).fill(9);
const ROOT = rootHash(KEY, null);

/** What requests and answers left behind, kept in memory. */
class Kept {
  readonly messages = new Map<string, StoredMessage>();
  private readonly mappings = new Map<string, SliceMapping[]>();
  parsed = 0;

  /** Takes a request, then its answer; gives what the request added. */
  take({ head, body, status, contentType, answer }: Exchange): ResolvedChain<Item> {
    this.parsed = 0;
    const elements = anthropicAdapter.readRequest(head, body)?.elements ?? [];
    const walk = resolveChain<Item>({
      key: KEY,
      root: ROOT,
      elements: elements.map(({ start, end }) => body.subarray(start, end)),
      parse: (element) => {
        this.parsed++;
        return anthropicAdapter.parseMessage(element);
      },
      forms: anthropicAdapter.forms,
    });
    let step = walk.next();
    while (step.done !== true) step = walk.next(this.reply(step.value));
    const chain = step.value;
    for (const { slice, ...mapping } of chain.aliases) {
      this.mappings.set(hexOf(slice), [...(this.mappings.get(hexOf(slice)) ?? []), mapping]);
    }
    const answered = chainAnswer(
      KEY,
      chain.head,
      anthropicAdapter.readAnswer(status, contentType, answer).messages,
    );
    for (const one of [...chain.added, ...answered]) this.keep(one.hash, one.parent, one.message);
    return chain;
  }

  private keep(hash: StoredMessage['hash'], parent: StoredMessage['parent'], message: Message): void {
    if (!this.messages.has(hexOf(hash))) {
      this.messages.set(hexOf(hash), { hash, parent, role: message.role, items: message.items });
    }
  }

  private reply(asked: ResolveNeed): unknown {
    if (asked.need === 'pause') return undefined;
    if (asked.need === 'masked') return asked.items;
    if (asked.need === 'slices') {
      return new Map(asked.slices.map((slice) => [hexOf(slice), this.mappings.get(hexOf(slice)) ?? []]));
    }
    return [...this.messages.values()]
      .filter((message) => hexOf(message.parent) === hexOf(asked.parent))
      .reverse();
  }
}

const rolesOf = (chain: ResolvedChain): string => chain.added.map((added) => added.message.role).join(' ');

describe.each([
  ['opus-hooks', 'user system|user|user|user system|user|user system|user system|user'],
  ['sonnet-hooks', 'user|user|user|user|user|user|user|user'],
])('a recorded conversation whose reminders move (%s)', (name, expected) => {
  const exchanges = exchangesOf(`claude-code/${name}`);

  it('adds what is new in each request, and no message a second time', () => {
    const kept = new Kept();
    expect(exchanges.map((exchange) => rolesOf(kept.take(exchange))).join('|')).toBe(expected);
    const answers = [...kept.messages.values()].filter((message) => message.role === 'assistant');
    expect(answers).toHaveLength(exchanges.length);
  });

  it('adds nothing when any of its requests comes again, and parses nothing', () => {
    const kept = new Kept();
    for (const exchange of exchanges) {
      const first = kept.take(exchange);
      const again = kept.take(exchange);
      expect(again.added).toEqual([]);
      expect(hexOf(again.head)).toBe(hexOf(first.head));
      expect(kept.parsed).toBe(0);
    }
  });

  it('is a chain of its own from the first message in which one character differs', () => {
    const kept = new Kept();
    for (const exchange of exchanges) kept.take(exchange);
    const last = exchanges.at(-1) as Exchange;
    const spoilt = Buffer.from(last.body.toString('utf8').replace('two', 'tvo'));
    expect(spoilt.equals(last.body)).toBe(false);
    expect(kept.take({ ...last, body: spoilt }).added.length).toBeGreaterThan(5);
  });
});

it.each(['opus-session', 'sonnet-session', 'opus-subagent', 'opus-image'])(
  'answers that came back in %s are those that were given',
  (name) => {
    const kept = new Kept();
    for (const exchange of exchangesOf(`claude-code/${name}`)) {
      const { added } = kept.take(exchange);
      const compacted = added.some((one) =>
        one.message.items.some((item) => item.text.startsWith('This session is being continued')),
      );
      if (!compacted) expect(added.filter((one) => one.message.role === 'assistant')).toEqual([]);
    }
  },
);
