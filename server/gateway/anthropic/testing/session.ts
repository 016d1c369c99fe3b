import type { JsonObject } from '../../../../e2e/simulator/json.ts';
import { judgeAnthropic, signThinking } from '../../../../e2e/simulator/judge.ts';
import {
  type BoundaryElement,
  chooseBoundary,
  RETRIEVAL_TOOL,
  retrievalToolJson,
} from '../../../recall/index.ts';
import type { Anchors, BodyPlan, PlannedLayout, PlannedResult } from '../../compose/plan.ts';
import { clientRequest, type Judged, messagesComposed } from '../../compose/testing/composing.ts';
import type { HiddenAnswer, HiddenPlace } from '../../hidden/answers.ts';
import { olderMessages } from '../older.ts';
import { anchorsIn, assistantParts } from '../put-back.ts';

export type Part = JsonObject;
export interface Message {
  role: string;
  content: string | Part[];
}
export type Body = JsonObject & { readonly messages: Message[] };

export const text = (words: string): Part => ({ type: 'text', text: words });
const reminder = (words: string): Part => text(`<system-reminder>\n${words}\n</system-reminder>`);

/** What the model makes before it calls our tool or ends: how many blocks of thinking, and a text or none. */
export interface Step {
  readonly thinks: number;
  readonly says: boolean;
}

/** One answer as the client gets it: hidden rounds, then the rest. */
export interface Answer {
  readonly hidden: readonly Step[];
  readonly last: Step;
  /** The last step calls our tool beside the client's. */
  readonly mixed: boolean;
  /** The client has a text of nothing but blanks in it. */
  readonly blank: boolean;
  /** The person breaks in: the client has this share of its parts and no call; null: it has all. */
  readonly cut: number | null;
}

/** A session between an agent, a gateway and the strictest provider. */
export interface SessionOptions {
  readonly systemMessages: boolean;
  readonly tool: boolean;
  readonly trims: boolean;
  /** What JSON.stringify takes: how the client writes its bodies. */
  readonly space: number;
}

/** Longer results are trimmed, by a rule that looks at the text alone. */
const LONG = 60;

export class Session {
  readonly client: Message[] = [];
  readonly kept: HiddenAnswer[] = [];
  upstream: Body | null = null;
  layout: PlannedLayout | null = null;
  #madeAt = -1;
  #serial = 0;
  #last: Judged<Body> | null = null;
  /** Anchors of the request before, and the chain before each of its elements. */
  #known: { readonly anchors: Anchors; readonly chains: readonly string[] } = { anchors: [], chains: [] };
  readonly #options: SessionOptions;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  type(bare: boolean, late: boolean): void {
    const first = this.client.length === 0 ? [reminder('As you work:\n# claudeMd\nBe brief.')] : [];
    const words = `typed ${this.#serial++} “é”`;
    this.client.push({
      role: 'user',
      content: bare && this.client.length > 0 ? words : [...first, ...(late ? [LATE] : []), text(words)],
    });
    if (late) this.inject(`# MCP Server Instructions\nserver ${this.#serial}`);
  }

  inject(words: string): void {
    if (this.#options.systemMessages) this.client.push({ role: 'system', content: words });
  }

  /** The person breaks in: what is typed stands behind the results, in the same message. */
  breakIn(): void {
    const last = this.client.at(-1);
    if (last?.role !== 'user' || typeof last.content === 'string') return;
    this.client[this.client.length - 1] = {
      ...last,
      content: [...last.content, text(`wait ${this.#serial++}`)],
    };
  }

  body(): Body {
    const tools = [
      { name: 'Read', description: 'reads', input_schema: { type: 'object' } },
      { name: 'ToolSearch', description: 'loads', input_schema: { type: 'object' } },
      { name: 'Late', description: 'late', input_schema: { type: 'object' }, defer_loading: true },
    ];
    const system = [{ type: 'text', text: 'You are an agent.', cache_control: { type: 'ephemeral' } }];
    const fixed = {
      model: 'claude-opus-5-5',
      max_tokens: 100,
      thinking: { type: 'adaptive' },
      system,
      tools,
    };
    return { ...fixed, messages: [...this.client], stream: true } as unknown as Body;
  }

  /** Makes a layout at the newest message, if a cut is allowed anywhere. */
  layOut(recent: number): void {
    const boundary = chooseBoundary(this.client.map(elementOf), recent);
    if (typeof boundary === 'string') return;
    const { at, runningTyped } = boundary;
    const index = `Index ${this.#serial++}.`;
    this.layout = { at, runningTyped, memory: 'Facts.', index, cacheMark: '5m' };
    this.#madeAt = this.client.length - 1;
    this.upstream = null;
  }

  plan(): Partial<BodyPlan> {
    return {
      tool: this.#options.tool ? retrievalToolJson('anthropic') : null,
      layout: this.layout,
      hidden: this.kept,
      results: this.#options.trims ? this.client.flatMap(trimmed) : [],
      leavesReasoning: (element) => element <= this.#madeAt,
    };
  }

  /** Sends the client's request. What is known of the request before is not read again, and makes no difference. */
  send(): Judged<Body> {
    const { space } = this.#options;
    const { body, elements } = clientRequest('messages', this.body(), space);
    const known = this.#known.anchors.slice(0, -1);
    const more = anchorsIn(body, elements, known.length, this.#known.chains[known.length]);
    const anchors = [...known, ...more.anchors];
    this.#known = {
      anchors,
      chains: elements.map((_, at) => anchorsIn(body, elements.slice(0, at)).chainAtEnd),
    };
    const { layout } = this;
    const older = layout === null ? undefined : olderMessages(body, elements, layout.at);
    const read =
      older === undefined || 'unknown' in older ? {} : { layout: { ...layout, older } as PlannedLayout };
    const sent = messagesComposed<Body>(
      this.body(),
      { ...this.plan(), anchors, ...read },
      'untouched-or-none',
      space,
    );
    const again = messagesComposed<Body>(this.body(), this.plan(), 'untouched-or-none', space);
    if (!again.composed.body.equals(sent.composed.body)) throw new Error('Known and read are not the same.');
    this.upstream = sent.body;
    this.#last = sent;
    return sent;
  }

  /** The refusal of the provider at its strictest; null: it takes what was sent. */
  refusal(): string | null {
    const body = this.#last?.body;
    return body === undefined ? null : (judgeAnthropic(body, [], { binding: 'enforced' })?.message ?? null);
  }

  /** The model answers what was sent; the client gets one message. @param calls ids of the client's calls in it */
  answer({ hidden, last, mixed, blank, cut }: Answer, calls: number, loads: boolean): void {
    const body = this.upstream;
    if (body === null) throw new Error('Nothing was sent.');
    const list = [...body.messages];
    const visible: Part[] = [];
    const places: HiddenPlace[] = [];
    for (const step of this.#options.tool ? hidden : []) {
      const parts = this.#made({ ...body, messages: [...list] as unknown as JsonObject[] }, step);
      const sent = this.#asked(parts, 1 + (this.#serial % 2));
      list.push(...sent);
      visible.push(...parts);
      const reasoning = visible.filter((part) => part.type === 'thinking').length;
      places.push({ reasoning, position: visible.length - reasoning, sent: sent.map(written) });
    }
    const rest = this.#made(
      { ...body, messages: [...list] as unknown as JsonObject[] },
      { ...last, says: last.says || calls === 0 },
    );
    const ids = Array.from({ length: calls }, () => `toolu_${this.#serial++}`);
    rest.push(...ids.map((id) => called(id, loads ? 'ToolSearch' : 'Read')));
    visible.push(...rest);
    const isMixed = mixed && calls > 0 && this.#options.tool;
    const [whole, results] = isMixed ? this.#asked(rest, 1) : [];
    const { chainAtEnd } = this.#chain();
    const told = { role: 'assistant', content: visible };
    if (places.length > 0 || isMixed)
      this.kept.push({
        id: `record_${this.#serial++}`,
        chain: chainAtEnd,
        open: false,
        parts: assistantParts(Buffer.from(JSON.stringify(told))) ?? [],
        places,
        mixed:
          whole === undefined || results === undefined
            ? null
            : {
                message: written(whole),
                results: (results.content as Part[]).map((part) => JSON.stringify(part)),
              },
      });
    const got = cut === null ? visible : visible.slice(0, cutAt(visible, cut));
    this.client.push({ ...told, content: blank && places.length > 0 ? [text(' \n'), ...got] : got });
    if (calls > 0 && cut === null)
      this.client.push({ role: 'user', content: ids.map((id) => answered(id, loads, this.#serial++)) });
  }

  #chain() {
    const { body, elements } = clientRequest('messages', this.body());
    return anchorsIn(body, elements);
  }

  #made(body: JsonObject, { thinks, says }: Step): Part[] {
    const texts = Array.from({ length: thinks }, () => `thought ${this.#serial++}`);
    return [...signThinking(body, texts), ...(says ? [text(`said ${this.#serial++} “é”`)] : [])];
  }

  #asked(parts: readonly Part[], count: number): [Message, Message] {
    const ids = Array.from({ length: count }, () => `toolu_own_${this.#serial++}`);
    return [
      { role: 'assistant', content: [...parts, ...ids.map((id) => called(id, RETRIEVAL_TOOL))] },
      {
        role: 'user',
        content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: `found for ${id}` })),
      },
    ];
  }
}

/** Where a cut leaves at least one part, no call, and no half of what was thought at once. */
function cutAt(parts: readonly Part[], share: number): number {
  const allowed = parts.flatMap((part, index) => {
    const next = parts[index + 1];
    const isCall = parts.slice(0, index + 1).some(({ type }) => type === 'tool_use');
    return isCall || (part.type === 'thinking' && next?.type === 'thinking') ? [] : [index + 1];
  });
  return allowed[Math.floor(share * allowed.length)] ?? parts.length;
}

const LATE = reminder('# MCP Server Instructions\nuse it');

function called(id: string, name: string): Part {
  return { type: 'tool_use', id, name, input: {} };
}

function answered(id: string, loads: boolean, serial: number): Part {
  const content = loads ? [{ type: 'tool_reference', tool_name: 'Late' }] : 'x'.repeat(30 + (serial % 50));
  return { type: 'tool_result', tool_use_id: id, content };
}

function trimmed({ role, content }: Message, element: number): PlannedResult[] {
  if (role !== 'user' || typeof content === 'string') return [];
  return content.flatMap((part, place): PlannedResult[] =>
    part.type === 'tool_result' && typeof part.content === 'string' && part.content.length > LONG
      ? [{ element, part: place, kind: 'trimmed-result', text: 'cut “here”' }]
      : [],
  );
}

/** A message as a provider's stream has it: other bytes than the client's for the same. */
function written(message: Message): string {
  const parts = (message.content as Part[]).map(({ type, ...rest }) => ({ ...rest, type }));
  return JSON.stringify({ role: message.role, content: parts }).replace(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** What a boundary is chosen by. */
export function elementOf(message: Message): BoundaryElement {
  const parts = typeof message.content === 'string' ? [text(message.content)] : message.content;
  const ids = (type: string, key: string) =>
    parts.flatMap((part) => (part.type === type ? [String(part[key])] : []));
  const results = ids('tool_result', 'tool_use_id');
  return {
    role: message.role === 'user' || message.role === 'assistant' ? message.role : 'system',
    older: 'leaves',
    typed: message.role === 'user' && parts.some((part) => part.type === 'text' && !isReminder(part)),
    results: results.length > 0,
    opens: ids('tool_use', 'id'),
    closes: results,
    joins: false,
    tokens: JSON.stringify(message).length,
    confirmed: true,
  };
}

function isReminder(part: Part): boolean {
  return String(part.text).startsWith('<system-reminder>');
}
