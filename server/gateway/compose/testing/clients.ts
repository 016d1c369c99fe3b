import { randomUUID } from 'node:crypto';
import {
  askedOf,
  CLEARED,
  environment,
  eventsOf,
  item,
  leave,
  readBlocks,
  textsOf,
  tidied,
  turnsIn,
  withoutOldTurn,
} from './histories.ts';
import { type Speaker, senderFields, senderHeaders } from './messages-head.ts';

type Json = Record<string, unknown>;

/** A tool result that a test's agent gives, by the call's command, or by the path of the file that it reads. */
export type Run = (command: string, path: string) => string;

/** An agent of a test: it keeps its history and sends all of it with every request, as real ones do. */
export interface TestAgent {
  readonly agent: 'claude-code' | 'codex';
  readonly session: string;
  /** Everything that it would send next, as JSON. */
  history(): readonly Json[];
  /** A person types something; the agent works until it has an answer, and gives its text. `between`: behind each round. */
  turn(typed: string, between?: () => Promise<void>): Promise<string>;
  /** The same history under a new name, as a fork or a resumed copy; through another gateway where `base` is given. */
  fork(base?: string): TestAgent;
  /** Sends its next requests to another address. */
  moveTo(base: string): void;
  /** Goes back to where a turn began: the history is that of the turns before. */
  rewind(turns: number): void;
  /** Goes on with another model. */
  switchTo(model: string): void;
  /** Leaves its next request in mid-answer, and sends the same again. */
  breakOff(): void;
  /** Clears old results and drops a turn, as agents do to save room; Claude Code's thinking goes, since it would be refused. */
  tidy(): void;
  /** Sends its newest request once more, as after a lost connection; the answer is thrown away. */
  resend(base?: string): Promise<void>;
  /** The texts that a person typed, as its history holds them. */
  typed(): readonly string[];
}

/** What an agent is made of. */
export interface TestAgentOptions {
  readonly base: string;
  readonly model: string;
  readonly run: Run;
  /** Claude Code sends some reminders as system messages, or inside user messages for models without them. */
  readonly systemMessages?: boolean;
  readonly stream?: boolean;
  readonly tools?: boolean;
  /** The folder that it says it works in; left out: Claude Code says none, Codex `/home/dev/project`. */
  readonly folder?: string;
  /** Who speaks the Messages API; left out: Claude Code. */
  readonly speaker?: Speaker;
}

/** An agent that speaks the Messages API in Claude Code's shapes. It is not Claude Code: its tools are a function. */
export class ClaudeAgent implements TestAgent {
  readonly agent = 'claude-code';
  readonly session = randomUUID();
  #options: TestAgentOptions;
  #messages: Json[];
  /** How many messages there were when each turn began. */
  #turns: number[];
  #breaks = false;
  #newest: string | null = null;

  constructor(options: TestAgentOptions, messages: readonly Json[] = [], turns: readonly number[] = []) {
    this.#options = options;
    this.#messages = [...messages];
    this.#turns = [...turns];
  }

  get #speaker(): Speaker {
    return this.#options.speaker ?? 'claude-code';
  }

  history(): readonly Json[] {
    return this.#messages;
  }

  fork(base = this.#options.base): ClaudeAgent {
    return new ClaudeAgent({ ...this.#options, base }, this.#messages, this.#turns);
  }

  moveTo(base: string): void {
    this.#options = { ...this.#options, base };
  }

  rewind(turns: number): void {
    const at = this.#turns.at(-turns) ?? 0;
    this.#messages = this.#messages.slice(0, at);
    this.#turns = this.#turns.slice(0, -turns);
  }

  switchTo(model: string): void {
    this.#options = { ...this.#options, model };
  }

  breakOff(): void {
    this.#breaks = true;
  }

  tidy(): void {
    this.#messages = withoutOldTurn(this.#messages, this.#turns).map((message) => ({
      ...message,
      content: tidied(message.content, 'tool_result', 'content', 'thinking'),
    }));
    this.#turns = turnsIn(this.#messages);
  }

  async resend(base = this.#options.base): Promise<void> {
    if (this.#newest !== null) await this.#send(this.#newest, base);
  }

  typed(): readonly string[] {
    return this.#messages.filter(({ role }) => role === 'user').flatMap(textsOf);
  }

  async turn(typed: string, between?: () => Promise<void>): Promise<string> {
    this.#turns.push(this.#messages.length);
    const first = this.#messages.length === 0 && this.#speaker === 'claude-code';
    const reminder =
      '<system-reminder>\nAs you answer the user, you can use:\n# claudeMd\nBe brief.\n</system-reminder>';
    this.#messages.push({
      role: 'user',
      content: first
        ? [
            { type: 'text', text: reminder },
            { type: 'text', text: typed },
          ]
        : [{ type: 'text', text: typed }],
    });
    if (first && this.#options.systemMessages)
      this.#messages.push({
        role: 'system',
        content: 'Available agent types for the Agent tool:\n- general',
      });
    for (;;) {
      const content = await this.#ask();
      this.#messages.push({ role: 'assistant', content });
      const calls = content.filter((part) => part.type === 'tool_use');
      if (calls.length === 0)
        return content.map((part) => (part.type === 'text' ? String(part.text) : '')).join('');
      this.#messages.push({
        role: 'user',
        content: calls.map((call) => ({
          type: 'tool_result',
          tool_use_id: call.id,
          content: this.#options.run(...askedOf(call.input as Json)),
        })),
      });
      await between?.();
    }
  }

  /** The body of the next request: the newest two messages bear cache marks, as Claude Code sets them. */
  #body(): Json {
    const marked = this.#messages.map((message, index) => {
      const content = message.content;
      if (index < this.#messages.length - 2 || message.role === 'system' || !Array.isArray(content))
        return message;
      const parts = content as Json[];
      const last = parts.at(-1);
      if (last === undefined || last.type === 'thinking') return message;
      return {
        ...message,
        content: [...parts.slice(0, -1), { ...last, cache_control: { type: 'ephemeral' } }],
      };
    });
    return {
      model: this.#options.model,
      messages: marked,
      ...senderFields(this.#speaker, this.session, this.#options.folder),
      ...(this.#options.tools === false
        ? {}
        : {
            tools: [
              {
                name: 'Bash',
                description: 'Runs a command.',
                input_schema: { type: 'object', properties: { command: { type: 'string' } } },
              },
              {
                name: 'Read',
                description: 'Reads a file.',
                input_schema: { type: 'object', properties: { file_path: { type: 'string' } } },
              },
            ],
          }),
      max_tokens: 8_000,
      thinking: { type: 'adaptive' },
      stream: this.#options.stream ?? true,
    };
  }

  async #ask(): Promise<Json[]> {
    const body = JSON.stringify(this.#body());
    this.#newest = body;
    if (this.#breaks) await leave(await this.#request(body));
    this.#breaks = false;
    const text = await this.#send(body);
    if (this.#options.stream === false) return (JSON.parse(text) as { content: Json[] }).content;
    return readBlocks(text);
  }

  async #send(body: string, base?: string): Promise<string> {
    const response = await this.#request(body, base);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${response.status}: ${text.slice(0, 500)}`);
    return text;
  }

  #request(body: string, base = this.#options.base): Promise<Response> {
    return fetch(`${base}/anthropic/v1/messages?beta=true`, {
      method: 'POST',
      headers: senderHeaders(this.#speaker, this.session),
      body,
    });
  }
}

/** An agent that speaks the Responses API in Codex's shapes. It is not Codex. */
export class CodexAgent implements TestAgent {
  readonly agent = 'codex';
  readonly session = randomUUID();
  #options: TestAgentOptions;
  #input: Json[];
  #turns: number[];
  #breaks = false;
  #newest: string | null = null;

  constructor(options: TestAgentOptions, input: readonly Json[] = [], turns: readonly number[] = []) {
    this.#options = options;
    const begin = [item('developer', 'You are a coding agent.'), environment(options.folder)];
    this.#input = input.length > 0 ? [...input] : begin;
    this.#turns = [...turns];
  }

  history(): readonly Json[] {
    return this.#input;
  }

  fork(base = this.#options.base): CodexAgent {
    return new CodexAgent({ ...this.#options, base }, this.#input, this.#turns);
  }

  moveTo(base: string): void {
    this.#options = { ...this.#options, base };
  }

  rewind(turns: number): void {
    this.#input = this.#input.slice(0, this.#turns.at(-turns) ?? 0);
    this.#turns = this.#turns.slice(0, -turns);
  }

  switchTo(model: string): void {
    this.#options = { ...this.#options, model };
  }

  breakOff(): void {
    this.#breaks = true;
  }

  tidy(): void {
    this.#input = withoutOldTurn(this.#input, this.#turns).map((one) =>
      one.type === 'function_call_output' ? { ...one, output: CLEARED } : one,
    );
    this.#turns = turnsIn(this.#input);
  }

  async resend(base = this.#options.base): Promise<void> {
    if (this.#newest !== null) await this.#send(this.#newest, base);
  }

  typed(): readonly string[] {
    return this.#input.filter(({ role }) => role === 'user').flatMap(textsOf);
  }

  async turn(typed: string, between?: () => Promise<void>): Promise<string> {
    this.#turns.push(this.#input.length);
    this.#input.push(item('user', typed));
    for (;;) {
      const output = await this.#ask();
      this.#input.push(...output);
      const calls = output.filter((one) => one.type === 'function_call');
      if (calls.length === 0) {
        const last = output.findLast((one) => one.type === 'message');
        return ((last?.content ?? []) as Json[]).map((part) => String(part.text ?? '')).join('');
      }
      for (const call of calls) {
        const { cmd } = JSON.parse(String(call.arguments)) as { cmd?: string };
        this.#input.push({
          type: 'function_call_output',
          call_id: call.call_id,
          output: this.#options.run(cmd ?? '', ''),
        });
      }
      await between?.();
    }
  }

  async #ask(): Promise<Json[]> {
    const body = JSON.stringify(this.#body());
    this.#newest = body;
    if (this.#breaks) await leave(await this.#request(body));
    this.#breaks = false;
    return eventsOf(await this.#send(body))
      .filter((event) => event.type === 'response.output_item.done')
      .map((event) => event.item as Json);
  }

  async #send(body: string, base?: string): Promise<string> {
    const response = await this.#request(body, base);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${response.status}: ${text.slice(0, 500)}`);
    const failed = eventsOf(text).find((event) => event.type === 'response.failed');
    if (failed !== undefined) throw new Error(JSON.stringify(failed).slice(0, 500));
    return text;
  }

  #request(body: string, base = this.#options.base): Promise<Response> {
    const turn = JSON.stringify({
      session_id: this.session,
      thread_id: this.session,
      request_kind: 'turn',
      thread_source: 'user',
      workspaces: {},
    });
    return fetch(`${base}/openai/v1/responses`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        authorization: 'Bearer sk-test',
        originator: 'codex-tui',
        'user-agent': 'codex-tui/0.171.0 (Linux; x86_64)',
        'session-id': this.session,
        'thread-id': this.session,
        'x-codex-turn-metadata': turn,
      },
      body,
    });
  }

  #body(): Json {
    return {
      model: this.#options.model,
      stream: true,
      input: this.#input,
      tools: [
        {
          type: 'function',
          name: 'exec_command',
          description: 'Runs a command.',
          strict: false,
          parameters: { type: 'object', properties: { cmd: { type: 'string' } } },
        },
      ],
      tool_choice: 'auto',
      parallel_tool_calls: true,
      reasoning: { summary: 'auto' },
      store: false,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: this.session,
      client_metadata: { session_id: this.session, thread_id: this.session },
    };
  }
}
