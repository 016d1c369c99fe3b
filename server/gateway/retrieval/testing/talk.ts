import type { Simulator } from '../../../../e2e/simulator/index.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { type HiddenRecord, type RecallStore, retrievalToolJson } from '../../../recall/index.ts';
import { anchorsIn } from '../../anthropic/put-back.ts';
import { clientRequest, itemsComposed, messagesComposed } from '../../compose/testing/composing.ts';
import { estimateBytes, estimateText } from '../../estimate/index.ts';
import type { RawHeaders } from '../../headers.ts';
import { sendHidden } from '../../hidden/hidden-call.ts';
import { systemTimers, type Timers } from '../../keep-alive.ts';
import { ACCOUNT } from '../../testing/gateway.ts';
import { createUpstreams, type UpstreamCall, type UpstreamRequest } from '../../upstream.ts';
import { retrievalLoop } from '../loop.ts';
import type { Protocol, Retrieval } from '../types.ts';
import { type Json, readItems, readParts } from './read-answer.ts';

/** What an answer was to its client. */
export interface ClientAnswer {
  readonly status: number;
  readonly body: string;
  /** `end`, or the code of a fault. */
  readonly ending: string;
}

/** How a talk is set up; everything else is as it is in the product. */
export interface TalkOptions {
  readonly protocol: Protocol;
  readonly retrieval: Retrieval;
  readonly stream?: boolean;
  readonly keepHidden?: RecallStore['keepHidden'];
  readonly timers?: Timers;
  readonly room?: number;
  readonly headers?: readonly string[];
  readonly keeps?: boolean;
  readonly more?: Json;
}

/** An agent behind the hidden loop, in front of the simulated provider: it keeps what it was shown, and sends all of it. */
export class Talk {
  readonly history: Json[] = [];
  /** What was kept, by its id: as the store has it, and as the memory of the gateway does. */
  readonly stored = new Map<string, HiddenRecord>();
  readonly remembered = new Map<string, HiddenRecord>();
  readonly failed: string[] = [];
  /** Everything that its client got. */
  readonly answers: ClientAnswer[] = [];
  readonly #simulator: Simulator;
  readonly #options: TalkOptions;

  constructor(simulator: Simulator, options: TalkOptions) {
    this.#simulator = simulator;
    this.#options = options;
  }

  /** A person types something; the client's own calls are answered until the model is done. */
  async turn(typed: string): Promise<void> {
    this.type(typed);
    for (;;) {
      await this.ask().done;
      if (!this.takeAnswer()) return;
    }
  }

  type(typed: string): void {
    this.history.push(
      this.#isMessages
        ? { role: 'user', content: [{ type: 'text', text: typed }] }
        : { type: 'message', role: 'user', content: [{ type: 'input_text', text: typed }] },
    );
  }

  /** Takes the newest answer into the history and answers its calls; false where it made none, or was broken off. */
  takeAnswer(): boolean {
    const answer = this.answers.at(-1);
    if (answer === undefined || answer.status !== 200) return false;
    return this.#isMessages ? this.#takeParts(answer.body) : this.#takeItems(answer.body);
  }

  /** Another gateway goes on: it knows what was stored alone. */
  restart(): void {
    this.remembered.clear();
    for (const [id, record] of this.stored) this.remembered.set(id, structuredClone(record));
  }

  /**
   * Sends the history as the product would, hidden rounds and all.
   * @param leaveAfter pieces of the answer behind which the client leaves
   */
  ask(leaveAfter = Number.POSITIVE_INFINITY): {
    readonly call: UpstreamCall;
    readonly done: Promise<ClientAnswer>;
  } {
    const {
      protocol,
      retrieval,
      keepHidden,
      timers = systemTimers,
      room = null,
      keeps = true,
    } = this.#options;
    const value = this.#body();
    const compose = this.#isMessages ? messagesComposed : itemsComposed;
    const hidden = [...this.remembered.values()].map((record) => record.data);
    const { composed, verdict } = compose(value, { tool: retrievalToolJson(protocol), hidden });
    if (!verdict.ok) throw new Error(`${verdict.rule} ${verdict.where} ${verdict.message}`);
    const client = clientRequest(this.#isMessages ? 'messages' : 'input', value);
    const request = this.#request(composed.body);
    const loop = retrievalLoop({
      retrieval,
      store: {
        keepHidden: async (accountId, record) => {
          await keepHidden?.(accountId, record);
          this.stored.set(record.id, structuredClone(record));
        },
      },
      asking: {
        accountId: ACCOUNT,
        thread: { agent: this.#isMessages ? 'claude-code' : 'codex', session: 's', thread: '' },
        timeZone: 'UTC',
      },
      clock: systemClock,
      timers,
      mask: async (json) => json.replaceAll('secret', 'masked'),
      first: {
        protocol,
        request,
        client: client.body,
        named: composed.named,
        latestThinking: 'untouched-or-none',
        window: null,
        estimate: estimateBytes,
      },
      chain: this.#isMessages ? anchorsIn(client.body, client.elements).chainAtEnd : '',
      rounds: 0,
      room,
      estimate: estimateText,
      keeps,
      remember: (records) => {
        for (const record of records) this.remembered.set(record.id, structuredClone(record));
      },
      failed: (reason, detail) => this.failed.push(`${reason}: ${detail}`),
    });
    return this.#send(request, loop, timers, leaveAfter);
  }

  /** The conversations that the provider has seen, in order. */
  get upstream(): readonly Json[][] {
    return this.#simulator.requests.entries.map(({ body }) => {
      const value = JSON.parse(body.toString()) as Json;
      return (value.messages ?? value.input) as Json[];
    });
  }

  get #isMessages(): boolean {
    return this.#options.protocol === 'anthropic';
  }

  #send(
    request: UpstreamRequest,
    loop: Parameters<typeof sendHidden>[2],
    timers: Timers,
    leaveAfter: number,
  ) {
    const url = this.#simulator.url;
    const upstreams = createUpstreams(
      { anthropic: url, openai: url, chatgpt: url },
      { https: null, http: null, none: null },
    );
    let resolve: (answer: ClientAnswer) => void = () => {};
    const done = new Promise<ClientAnswer>((taken) => {
      resolve = taken;
    });
    let status = 0;
    const bytes: Buffer[] = [];
    let ending: string | null = null;
    const end = (how: string) => {
      ending = how;
      upstreams.close();
      const answer = { status, body: Buffer.concat(bytes).toString(), ending };
      this.answers.push(answer);
      resolve(answer);
    };
    const handler = {
      onHead: (given: number) => {
        status = given;
      },
      onBytes: (piece: Buffer) => {
        if (ending !== null) return;
        bytes.push(piece);
        if (bytes.length >= leaveAfter) leave();
      },
      onEnd: () => end('end'),
      onFault: ({ code }: { code: string }) => end(code),
    };
    const call = sendHidden(upstreams, request, loop, handler, timers);
    const leave = () => {
      call.abort();
      end('left');
    };
    return { call: { ...call, pause: () => call.pause(), resume: () => call.resume(), abort: leave }, done };
  }

  #request(body: Buffer): UpstreamRequest {
    const own: RawHeaders = this.#isMessages
      ? ['x-api-key', 'k', 'anthropic-version', '2023-06-01']
      : ['authorization', 'Bearer k'];
    const { headers = [] } = this.#options;
    return {
      door: this.#isMessages ? 'anthropic' : 'openai',
      method: 'POST',
      path: this.#isMessages ? '/v1/messages' : '/v1/responses',
      headers: [
        ...['Host', '127.0.0.1', 'content-type', 'application/json'],
        ...own,
        ...headers,
        ...['Content-Length', String(body.length)],
      ],
      body,
    };
  }

  #body(): Json {
    const { stream = true, more = {} } = this.#options;
    return this.#isMessages
      ? {
          model: 'claude-opus-5-5',
          max_tokens: 5_000,
          thinking: { type: 'adaptive' },
          tools: [{ name: 'Read', description: 'Reads.', input_schema: { type: 'object', properties: {} } }],
          messages: this.history,
          stream,
          ...more,
        }
      : {
          model: 'gpt-6.2-sol',
          input: this.history,
          tools: [
            { type: 'function', name: 'Read', parameters: { type: 'object', properties: {} }, strict: false },
          ],
          store: false,
          include: ['reasoning.encrypted_content'],
          reasoning: { summary: 'auto' },
          stream,
          ...more,
        };
  }

  #takeParts(body: string): boolean {
    const parts = readParts(body);
    if (parts.length > 0) this.history.push({ role: 'assistant', content: parts });
    const results = parts
      .filter((part) => part.type === 'tool_use')
      .map((part) => ({ type: 'tool_result', tool_use_id: part.id, content: `of ${String(part.id)}` }));
    if (results.length > 0) this.history.push({ role: 'user', content: results });
    return results.length > 0;
  }

  #takeItems(body: string): boolean {
    const items = readItems(body);
    this.history.push(...items);
    const outputs = items
      .filter((item) => item.type === 'function_call')
      .map((item) => ({
        type: 'function_call_output',
        call_id: item.call_id,
        output: `of ${String(item.call_id)}`,
      }));
    this.history.push(...outputs);
    return outputs.length > 0;
  }
}
