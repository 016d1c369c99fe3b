import { chainAnswer } from '../answers.ts';
import { hexOf } from '../bytes.ts';
import { messageHash, rootHash } from '../chain.ts';
import type { Item, ItemKind, Message, Role } from '../model.ts';
import type { AgentForms, StoredMessage } from '../moves.ts';
import type { ResolvedChain, ResolveNeed, SliceMapping } from '../resolution.ts';
import { resolveChain } from '../resolve.ts';

/** The account's key of tests. */
export const KEY = new Uint8Array(32).fill(3);
/** The parent of first messages in tests. */
export const ROOT = rootHash(KEY, null);

/** A text, kind first: `input:hello`, `result#id:text`, `call#id:{"a":1}`, `reminder:text`, `answer:…`, `thought:…`. */
export type PartText = string;

/** A message of the tests' own small protocol: role and parts. `mark` is what the canonical form leaves out. */
export interface Spoken {
  readonly role: Role;
  readonly parts: readonly PartText[];
  readonly mark?: string;
}

const KINDS: Readonly<Record<string, ItemKind>> = {
  input: 'input',
  result: 'tool_result',
  call: 'tool_call',
  reminder: 'injected',
  system: 'injected',
  answer: 'answer',
  thought: 'reasoning',
  image: 'image',
};

/** The reminder in its tags, as a part of its own has it. */
export function wrapped(text: string): string {
  return `<r>${text}</r>`;
}

/** The item of a part. */
export function itemOf(part: PartText): Item {
  const [, name = '', id = '', text = ''] = /^(\w+)(?:#(\w*))?:([\s\S]*)$/.exec(part) ?? [];
  const tool =
    name === 'call' || name === 'result' ? { callId: id, name: name === 'call' ? 'Edit' : null } : null;
  return {
    kind: KINDS[name] ?? 'unknown',
    text: name === 'reminder' ? wrapped(text) : text,
    body: null,
    tool: tool === null ? null : { ...tool, namespace: null, isError: false },
    mainInput: null,
    path: null,
    media: name === 'image' ? [{ mime: 'image/png', bytes: Buffer.from(text) }] : [],
  };
}

/** The forms of the tests' agent. */
export const forms: AgentForms = {
  reminderOf: (item) =>
    item.kind === 'injected' ? (/^<r>([\s\S]*)<\/r>$/.exec(item.text)?.[1] ?? null) : null,
  isDropped: (item) => item.kind === 'tool_call' && item.tool?.callId === 'server',
};

/** The bytes of a message as the tests' agent sends it. */
export function elementOf(spoken: Spoken): Uint8Array {
  return Buffer.from(JSON.stringify(spoken), 'utf8');
}

/** The tests' parser: thinking and marks stand for nothing. */
export function parse(element: Uint8Array): Message {
  const spoken = JSON.parse(Buffer.from(element).toString('utf8')) as Spoken;
  const named = spoken.parts.filter((part) => !part.startsWith('thought:'));
  return {
    role: spoken.role,
    items: spoken.parts.map(itemOf),
    canonical: Buffer.from(JSON.stringify(named), 'utf8'),
    transparent: spoken.role === 'assistant' && named.length === 0,
  };
}

/** Children that the archive in memory gives at most. */
const LIMIT = 3;

/** An archive in memory that answers what a resolution asks and keeps what it found. */
export class MemoryArchive {
  readonly messages = new Map<string, StoredMessage>();
  private readonly mappings = new Map<string, SliceMapping[]>();
  asked: ResolveNeed['need'][] = [];
  parsed = 0;

  resolve(conversation: readonly Spoken[]): ResolvedChain {
    const walk = resolveChain({
      key: KEY,
      root: ROOT,
      elements: conversation.map(elementOf),
      parse: (element) => {
        this.parsed++;
        return parse(element);
      },
      forms,
    });
    this.asked = [];
    this.parsed = 0;
    let step = walk.next();
    while (step.done !== true) {
      this.asked.push(step.value.need);
      step = walk.next(this.reply(step.value));
    }
    return step.value;
  }

  /** Resolves a request and keeps what is new in it. */
  record(conversation: readonly Spoken[]): ResolvedChain {
    const chain = this.resolve(conversation);
    for (const { hash, parent, message } of chain.added)
      this.keep({ hash, parent, role: message.role, items: message.items });
    for (const { slice, ...mapping } of chain.aliases) {
      this.mappings.set(hexOf(slice), [...(this.mappings.get(hexOf(slice)) ?? []), mapping]);
    }
    return chain;
  }

  /** Keeps what the provider produced behind a request. */
  answer(parent: StoredMessage['hash'], ...answers: readonly Spoken[]): void {
    for (const { hash, parent: before, message } of chainAnswer(
      KEY,
      parent,
      answers.map((spoken) => parse(elementOf(spoken))),
    )) {
      this.keep({ hash, parent: before, role: message.role, items: message.items });
    }
  }

  private keep(message: StoredMessage): void {
    if (!this.messages.has(hexOf(message.hash))) this.messages.set(hexOf(message.hash), message);
  }

  private reply(asked: ResolveNeed): unknown {
    if (asked.need === 'pause') return undefined;
    if (asked.need === 'masked') return asked.items;
    if (asked.need === 'children') {
      const parent = hexOf(asked.parent);
      const all = [...this.messages.values()].filter((message) => hexOf(message.parent) === parent).reverse();
      const wanted = asked.wanted === null ? undefined : this.messages.get(hexOf(asked.wanted));
      return wanted === undefined || all.indexOf(wanted) < LIMIT
        ? all.slice(0, LIMIT)
        : [...all.slice(0, LIMIT), wanted];
    }
    return new Map(asked.slices.map((slice) => [hexOf(slice), this.mappings.get(hexOf(slice)) ?? []]));
  }
}

/** The name of a message behind a parent. */
export function hashOf(parent: StoredMessage['hash'], spoken: Spoken): StoredMessage['hash'] {
  const message = parse(elementOf(spoken));
  return messageHash(KEY, parent, message.role, message.canonical);
}
