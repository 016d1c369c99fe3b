import { compactionBlock } from '../simulator/anthropic/compaction.ts';
import type { JsonObject } from '../simulator/json.ts';
import { signThinking } from '../simulator/judge.ts';
import { secretOf } from '../simulator/world.ts';
import type { Choices } from './testing-choices.ts';

/** Headers of the requests: betas for what the conversations hold. */
export const HEADERS = [['anthropic-beta', 'compact-2026-09-04,compact-2026-01-12']] as const;

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const CLIENT_TOOLS = ['Bash', 'Read', 'Edit'] as const;
const LATE_TOOLS = ['Late', 'Later'] as const;

const text = (words: string): JsonObject => ({ type: 'text', text: words });

/** Makes valid bodies of the Messages API. */
class Writer {
  private ids = 0;
  private readonly loaded: string[] = [];
  private readonly messages: JsonObject[] = [];

  constructor(
    private readonly choose: Choices,
    private readonly model: string,
    private readonly hasSystemRole: boolean,
  ) {}

  conversation(): JsonObject[] {
    const turns = 1 + this.choose.below(4);
    for (let turn = 0; turn < turns; turn++) this.turn(turn, turn === turns - 1);
    return this.messages;
  }

  private turn(turn: number, isLast: boolean): void {
    const { choose } = this;
    const typed = [
      ...(turn === 0 && choose.once(8) ? [compactionBlock('what was', secretOf(undefined), true)] : []),
      ...(choose.once(2) ? [text('<system-reminder>live by this</system-reminder>')] : []),
      ...(choose.once(8) ? [this.image()] : []),
      text(`go ${choose.of('on', 'back', 'left', 'é😀')} ${turn}`),
    ];
    const isBare = typed.length === 1 && choose.once(2);
    this.messages.push({ role: 'user', content: isBare ? String(typed[0]?.text) : typed });
    if (choose.once(8)) this.messages.push({ role: 'user', content: [text('and more')] });
    this.note();
    for (let rounds = choose.below(4); rounds > 0; rounds--) this.round();
    if (!isLast || this.messages.at(-1)?.role === 'system') this.answer();
    if (isLast && this.messages.at(-1)?.role === 'assistant')
      this.messages.push({ role: 'user', content: 'last' });
  }

  private answer(): void {
    this.messages.push({
      role: 'assistant',
      content: [...this.thinking(), ...this.searched(), text('done.')],
    });
  }

  /** One assistant message with calls, and the results. */
  private round(): void {
    const { choose } = this;
    const calls = [this.call(), ...choose.list(2, () => this.call())];
    const searching = choose.once(10);
    const unfinished = searching ? [this.search()] : [];
    this.messages.push({
      role: 'assistant',
      content: [
        ...this.thinking(),
        ...(choose.once(2) ? [text('let me see')] : []),
        ...this.searched(),
        ...unfinished,
        ...calls,
      ],
    });
    const results = choose.shuffled(calls).map((call) => this.result(call));
    const beside = !searching && choose.once(5) ? [text('<system-reminder>note</system-reminder>')] : [];
    this.messages.push({ role: 'user', content: [...results, ...beside] });
    if (!searching) {
      this.note();
      return;
    }
    const found = unfinished.map((call) => this.found(String(call.id)));
    this.messages.push({ role: 'assistant', content: [...found, text('found.')] });
    this.messages.push({ role: 'user', content: 'good' });
  }

  private note(): void {
    const { choose } = this;
    if (!this.hasSystemRole || !choose.once(4)) return;
    this.messages.push({ role: 'system', content: choose.once(2) ? 'noted' : [text('noted')] });
    this.answer();
    this.messages.push({ role: 'user', content: 'next' });
  }

  private thinking(): JsonObject[] {
    const texts = this.choose.list(2, () => this.choose.of('hm', '', 'ah'));
    return signThinking({ model: this.model, messages: [] }, texts, HEADERS);
  }

  private call(): JsonObject {
    const { choose } = this;
    const late = LATE_TOOLS.filter((name) => this.loaded.includes(name));
    const name = choose.of<string>(...CLIENT_TOOLS, 'Find', ...late);
    return { type: 'tool_use', id: `toolu_${this.ids++}`, name, input: { a: choose.below(9) } };
  }

  private result(call: JsonObject): JsonObject {
    const { choose } = this;
    const base = { type: 'tool_result', tool_use_id: call.id };
    if (call.name === 'Find') {
      const name = choose.of(...LATE_TOOLS);
      this.loaded.push(name);
      return { ...base, content: [{ type: 'tool_reference', tool_name: name }] };
    }
    return choose.of<JsonObject>(
      { ...base, content: 'a result of some length' },
      base,
      { ...base, content: [text('one'), text('two')], is_error: true },
      { ...base, content: [this.image(), text('seen')] },
      { ...base, content: '' },
    );
  }

  private searched(): JsonObject[] {
    if (!this.choose.once(10)) return [];
    const call = this.search();
    return [call, this.found(String(call.id))];
  }

  private search(): JsonObject {
    return {
      type: 'server_tool_use',
      id: `srvtoolu_${this.ids++}`,
      name: 'web_search',
      input: { query: 'q' },
    };
  }

  private found(id: string): JsonObject {
    return { type: 'web_search_tool_result', tool_use_id: id, content: [] };
  }

  private image(): JsonObject {
    return { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } };
  }
}

/** A valid body of the Messages API, with every kind of part that agents send. */
export function messagesBody(choose: Choices): JsonObject {
  const hasSystemRole = choose.once(2);
  const model = hasSystemRole ? 'claude-opus-4-8' : 'claude-opus-4-5';
  const messages = new Writer(choose, model, hasSystemRole).conversation();
  const mark = choose.of<JsonObject>({ type: 'ephemeral' }, { type: 'ephemeral', ttl: '1h' });
  const marked = (value: JsonObject) => (choose.once(2) ? { ...value, cache_control: mark } : value);
  const last = messages.at(-1);
  const parts = Array.isArray(last?.content) ? (last.content as JsonObject[]) : [];
  if (last !== undefined && parts.length > 0)
    last.content = parts.map((part, index) => (index === parts.length - 1 ? marked(part) : part));
  const tool = (name: string, more: JsonObject = {}): JsonObject => ({
    name,
    input_schema: { type: 'object' },
    ...more,
  });
  return {
    model,
    max_tokens: 1000,
    messages,
    system: [text('attribution'), marked(text('prompt'))],
    tools: [
      ...CLIENT_TOOLS.map((name) => tool(name)),
      ...LATE_TOOLS.map((name) => tool(name, { defer_loading: true })),
      { type: 'web_search_20250305', name: 'web_search' },
      marked(tool('Find')),
    ],
    stream: true,
  };
}
