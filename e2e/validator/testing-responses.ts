import type { JsonObject } from '../simulator/json.ts';
import { encryptCompaction, encryptReasoning, type JudgeOptions } from '../simulator/judge.ts';
import type { Choices } from './testing-choices.ts';

const MODEL = 'gpt-5.5';

/** Makes valid inputs of the Responses API, and keeps which reasoning each item of an answer came with. */
class Writer {
  private ids = 0;
  private readonly items: JsonObject[] = [];
  readonly issued = new Map<string, { readonly id: string; readonly ciphertext: string }>();

  constructor(private readonly choose: Choices) {}

  input(): JsonObject[] {
    const { choose } = this;
    if (choose.once(3)) this.items.push(this.toolsItem());
    this.items.push(this.message('developer', 'base instructions'));
    if (choose.once(2))
      this.items.push(this.message('user', '<environment_context>here</environment_context>'));
    const turns = 1 + choose.below(4);
    for (let turn = 0; turn < turns; turn++) {
      this.items.push(this.message('user', `go ${choose.of('on', 'back', 'é😀')} ${turn}`));
      if (turn === 0 && choose.once(5)) this.compact();
      for (let rounds = choose.below(4); rounds > 0; rounds--) this.round();
      if (turn < turns - 1) this.answer();
    }
    return this.items;
  }

  private compact(): void {
    const id = `cmp_${this.ids++}`;
    this.items.push({ type: 'compaction', id, encrypted_content: encryptCompaction(id, 'what was') });
    this.items.push(this.message('user', 'next'));
  }

  private answer(): void {
    const reasoning = this.reasoning();
    this.items.push(...reasoning, this.bound(this.message('assistant', 'done.'), reasoning));
  }

  /** Reasoning, perhaps a text, calls, and their outputs. */
  private round(): void {
    const { choose } = this;
    const reasoning = this.reasoning();
    const told = choose.once(3) ? [this.bound(this.message('assistant', 'let me see'), reasoning)] : [];
    const searched = choose.once(8)
      ? [{ type: 'web_search_call', id: `ws_${this.ids++}`, status: 'completed' }]
      : [];
    const calls = [this.call(), ...choose.list(2, () => this.call())].map((call) =>
      this.bound(call, reasoning),
    );
    this.items.push(...reasoning, ...told, ...searched, ...calls);
    this.items.push(...choose.shuffled(calls).map((call) => this.output(call)));
  }

  private reasoning(): JsonObject[] {
    return this.choose.list(2, () => ({
      type: 'reasoning',
      id: `rs_${this.ids++}`,
      summary: [],
      encrypted_content: encryptReasoning({ model: MODEL, input: [] }, `thought ${this.ids}`),
    }));
  }

  private bound(item: JsonObject, reasoning: readonly JsonObject[]): JsonObject {
    const last = reasoning.at(-1);
    if (last !== undefined)
      this.issued.set(String(item.id), { id: String(last.id), ciphertext: String(last.encrypted_content) });
    return item;
  }

  private call(): JsonObject {
    const number = this.ids++;
    const base = { id: `fc_${number}`, call_id: `call_${number}`, name: this.choose.of('exec', 'view') };
    return this.choose.of<JsonObject>(
      { type: 'function_call', ...base, arguments: '{"cmd":"ls"}' },
      { type: 'custom_tool_call', ...base, input: 'x' },
      { type: 'tool_search_call', id: base.id, call_id: base.call_id, arguments: {} },
    );
  }

  private output(call: JsonObject): JsonObject {
    const call_id = String(call.call_id);
    if (call.type === 'tool_search_call')
      return { type: 'tool_search_output', call_id, tools: [{ type: 'function', name: 'late' }] };
    return this.choose.of<JsonObject>(
      { type: `${String(call.type)}_output`, call_id, output: 'a result of some length' },
      {
        type: `${String(call.type)}_output`,
        call_id,
        output: [{ type: 'input_text', text: 'a part of a result' }],
      },
    );
  }

  private message(role: string, words: string): JsonObject {
    const type = role === 'assistant' ? 'output_text' : 'input_text';
    return { type: 'message', id: `msg_${this.ids++}`, role, content: [{ type, text: words }] };
  }

  private toolsItem(): JsonObject {
    return {
      type: 'additional_tools',
      role: 'developer',
      tools: [{ type: 'namespace', name: 'n', tools: [] }],
    };
  }
}

/** A valid body of the Responses API, and what the provider remembers of it. */
export function responsesBody(choose: Choices): {
  readonly body: JsonObject;
  readonly options: JudgeOptions;
} {
  const writer = new Writer(choose);
  const input = writer.input();
  const tools = ['exec', 'view'].map((name) => ({ type: 'function', name, parameters: {} }));
  const body = { model: MODEL, input, tools, store: false, stream: true };
  return { body, options: { issuedItems: writer.issued } };
}
