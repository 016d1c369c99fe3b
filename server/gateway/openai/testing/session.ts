import type { JsonObject } from '../../../../e2e/simulator/json.ts';
import { encryptReasoning, judgeOpenai } from '../../../../e2e/simulator/judge.ts';
import type { Uuid } from '../../../kernel/ids.ts';
import {
  type BoundaryElement,
  chooseBoundary,
  RETRIEVAL_TOOL,
  retrievalToolJson,
} from '../../../recall/index.ts';
import type { BodyPlan, PlannedLayout } from '../../compose/plan.ts';
import { itemsComposed, type Judged } from '../../compose/testing/composing.ts';
import { itemsAnswer } from '../hidden-rounds.ts';

export type Item = JsonObject;
export type Body = JsonObject & { input: Item[] };

const message = (role: string, text: string): Item => ({
  type: 'message',
  role,
  content: [{ type: 'input_text', text }],
});
const ENVIRONMENT = message('user', '<environment_context>\n<cwd>/project</cwd>\n</environment_context>');

/** What the model makes before it calls our tool or ends. */
export interface Step {
  readonly reasons: boolean;
  readonly says: boolean;
  /** Calls of ours. */
  readonly asks: number;
}

/** One answer: hidden rounds, then the rest, which calls the client's tools and ours beside them or not. */
export interface Answer {
  readonly hidden: readonly Step[];
  readonly last: Step;
  readonly mixed: boolean;
  /** The person breaks in: the client has this share of its items and no call; null: it has all. */
  readonly cut: number | null;
}

export interface SessionOptions {
  readonly tool: boolean;
  /** The client's tools come in an item. */
  readonly itemTools: boolean;
  readonly trims: boolean;
  readonly space: number;
}

const LONG = 60;

/** A session of Codex, the gateway and the provider. */
export class Session {
  readonly client: Item[] = [];
  readonly kept: unknown[] = [];
  layout: PlannedLayout | null = null;
  readonly #options: SessionOptions;
  readonly #issued = new Map<string, { readonly id: string; readonly ciphertext: string }>();
  #serial = 0;
  #sent: Judged<Body> | null = null;

  constructor(options: SessionOptions) {
    this.#options = options;
    const shell = { type: 'function', name: 'shell', parameters: {} };
    if (options.itemTools) this.client.push({ type: 'additional_tools', role: 'developer', tools: [shell] });
    this.client.push(message('developer', 'You are an agent.'), ENVIRONMENT);
  }

  type(late: boolean): void {
    if (late)
      this.client.push(message('developer', `<collaboration_mode>${this.#serial}</collaboration_mode>`));
    this.client.push(message('user', `typed ${this.#serial++} “é”`));
  }

  layOut(recent: number): void {
    const boundary = chooseBoundary(elementsOf(this.client), recent);
    if (typeof boundary === 'string') return;
    const { at, runningTyped } = boundary;
    this.layout = { at, runningTyped, memory: 'Facts.', index: `Index ${this.#serial++}.`, cacheMark: null };
  }

  send(): Judged<Body> {
    const { tool, trims, space } = this.#options;
    const plan: Partial<BodyPlan> = {
      tool: tool ? retrievalToolJson('openai') : null,
      layout: this.layout,
      hidden: this.kept,
      results: trims ? this.client.flatMap(trimmed) : [],
      leavesReasoning: () => true,
    };
    this.#sent = itemsComposed<Body>(this.#body(), plan, 'untouched', space);
    return this.#sent;
  }

  refusal(): string | null {
    const body = this.#sent?.body;
    return body === undefined
      ? null
      : (judgeOpenai(body, [], { issuedItems: this.#issued })?.message ?? null);
  }

  answer({ hidden, last, mixed, cut }: Answer, calls: number): void {
    const upstream = this.#sent?.body;
    if (upstream === undefined) throw new Error('Nothing was sent.');
    let answer = itemsAnswer(() => this.#id('record') as Uuid, 'codex');
    const input = () => [...upstream.input, ...answer.sent.map((json) => JSON.parse(json) as Item)];
    const got: Item[] = [];
    for (const step of this.#options.tool ? hidden : []) {
      const made = this.#made({ ...upstream, input: input() }, step);
      got.push(...made.filter((item) => item.name !== RETRIEVAL_TOOL));
      answer = answer.withRound(roundOf(made, false)) ?? answer;
    }
    const isMixed = mixed && calls > 0 && this.#options.tool;
    const made = this.#made(
      { ...upstream, input: input() },
      { ...last, says: last.says || calls === 0, asks: 0 },
    );
    const ids = Array.from({ length: calls }, () => this.#id('call'));
    made.push(...ids.map((id) => called(id, 'shell')));
    if (isMixed) made.splice(made.length - 1, 0, called(this.#id('own'), RETRIEVAL_TOOL));
    this.#issue(made);
    got.push(...made.filter((item) => item.name !== RETRIEVAL_TOOL));
    answer = isMixed
      ? (answer.withRound(roundOf(made, true)) ?? answer)
      : answer.withEnd(made.map((item) => JSON.stringify(item)));
    this.kept.push(...answer.records(false).map((record) => record.data));
    const echoed = cut === null ? got : got.slice(0, cutAt(got, cut));
    this.client.push(
      ...echoed.map((item) => (item.type === 'reasoning' ? { ...item, content: null } : item)),
    );
    if (cut !== null) return;
    this.client.push(...ids.map((id) => outputOf(id, 'x'.repeat(30 + (this.#serial++ % 50)))));
  }

  #body(): Body {
    const tools = this.#options.itemTools
      ? {}
      : { tools: [{ type: 'function', name: 'shell', parameters: {} }] };
    const rest = { store: false, include: ['reasoning.encrypted_content'], stream: true };
    return { model: 'gpt-6.2-sol', ...tools, input: [...this.client], ...rest } as unknown as Body;
  }

  #id(kind: string): string {
    return `${kind}_${this.#serial++}`;
  }

  #made(body: Body, { reasons, says, asks }: Step): Item[] {
    const made: Item[] = [];
    if (reasons)
      made.push({
        type: 'reasoning',
        id: this.#id('rs'),
        summary: [],
        encrypted_content: encryptReasoning(body, 'hm'),
      });
    if (says)
      made.push({
        type: 'message',
        id: this.#id('msg'),
        role: 'assistant',
        content: [{ type: 'output_text', text: `said ${this.#serial++} “é”` }],
      });
    made.push(...Array.from({ length: asks }, () => called(this.#id('own'), RETRIEVAL_TOOL)));
    this.#issue(made);
    return made;
  }

  /** The provider remembers which reasoning its items came with. */
  #issue(made: readonly Item[]): void {
    const reasoning = made.find((item) => item.type === 'reasoning');
    if (reasoning === undefined) return;
    const issued = { id: String(reasoning.id), ciphertext: String(reasoning.encrypted_content) };
    for (const item of made) if (item !== reasoning) this.#issued.set(String(item.id), issued);
  }
}

function roundOf(made: readonly Item[], mixed: boolean) {
  const ours = made.filter((item) => item.name === RETRIEVAL_TOOL);
  return {
    parts: made.map((item) => JSON.stringify(item)),
    calls: ours.map((item) => ({
      id: String(item.call_id),
      input: String(item.arguments),
      result: JSON.stringify(`found for ${String(item.call_id)}`),
      documents: [],
    })),
    mixed,
  };
}

function called(id: string, name: string): Item {
  return { type: 'function_call', id: `fc_${id}`, call_id: id, name, arguments: '{"q":"x"}' };
}

function outputOf(id: string, output: string): Item {
  return { type: 'function_call_output', call_id: id, output };
}

/** Where a cut leaves at least one item, no call, and no reasoning without what it led to. */
function cutAt(items: readonly Item[], share: number): number {
  const allowed = items.flatMap((item, index) => {
    const isCall = items.slice(0, index + 1).some(({ type }) => type === 'function_call');
    return isCall || item.type === 'reasoning' ? [] : [index + 1];
  });
  return allowed[Math.floor(share * allowed.length)] ?? items.length;
}

function trimmed({ type, output }: Item, element: number): BodyPlan['results'] {
  return type === 'function_call_output' && String(output).length > LONG
    ? [{ element, part: null, kind: 'trimmed-result', text: 'cut “here”' }]
    : [];
}

/** What a boundary is chosen by: a group of reasoning, calls and answers is joined to its beginning. */
function elementsOf(items: readonly Item[]): readonly BoundaryElement[] {
  const isMade = (item: Item | undefined) =>
    item?.type === 'reasoning' || item?.type === 'function_call' || item?.role === 'assistant';
  return items.map((item, index) => {
    const isTyped = item.role === 'user' && item !== ENVIRONMENT;
    return {
      role: isMade(item) ? 'assistant' : item.role === 'user' ? 'user' : 'other',
      older: item.role === 'developer' || item === ENVIRONMENT ? 'stays' : 'leaves',
      typed: isTyped,
      results: item.type === 'function_call_output',
      opens: item.type === 'function_call' ? [String(item.call_id)] : [],
      closes: item.type === 'function_call_output' ? [String(item.call_id)] : [],
      joins: isMade(item) && isMade(items[index - 1]),
      tokens: JSON.stringify(item).length,
      confirmed: true,
    };
  });
}
