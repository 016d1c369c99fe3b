import { createHash, randomUUID } from 'node:crypto';
import type { DemoConversation, DemoTurn } from './conversation.ts';
import { readEvents } from './sse.ts';

/** A content block of an answer. */
export interface Block {
  type: string;
  text?: string;
  thinking?: string;
  signature?: string;
  id?: string;
  name?: string;
  input?: unknown;
}

interface Message {
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: string | readonly object[];
}

const betas =
  'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,mid-conversation-system-2026-04-07,effort-2025-11-24';
const toolNames = ['Agent', 'Bash', 'Edit', 'Read', 'Write'];

/**
 * A client that puts requests on the wire in the shapes of Claude Code, for the demo. It is not Claude Code: its tools
 * give scripted results and touch no file.
 */
export class ClaudeLike {
  readonly #base: string;
  readonly #place: DemoConversation;
  readonly #session: string;
  readonly #agentId: string | null;
  readonly #messages: Message[] = [];

  constructor(
    base: string,
    place: DemoConversation,
    session: string = randomUUID(),
    agentId: string | null = null,
  ) {
    this.#base = base;
    this.#place = place;
    this.#session = session;
    this.#agentId = agentId;
  }

  /** Runs a turn to its end and gives the last answer's text. */
  async turn(turn: DemoTurn): Promise<string> {
    const results = [...(turn.results ?? [])];
    if (this.#messages.length === 0) this.#begin(turn.prompt);
    else this.#messages.push({ role: 'user', content: turn.prompt });
    for (;;) {
      const blocks = await this.#ask();
      this.#messages.push({ role: 'assistant', content: blocks });
      const calls = blocks.filter((block) => block.type === 'tool_use');
      if (calls.length === 0) return blocks.map((block) => block.text ?? '').join('');
      const content = [];
      for (const call of calls) {
        const result = call.name === 'Agent' ? await this.#delegate(turn) : (results.shift() ?? '');
        content.push({ type: 'tool_result', tool_use_id: call.id, content: result });
      }
      this.#messages.push({ role: 'user', content });
    }
  }

  #begin(prompt: string): void {
    const reminder =
      "<system-reminder>\nAs you answer the user's questions, you can use the following context:\n# currentDate\nToday's date is in the demo.\n</system-reminder>";
    this.#messages.push({
      role: 'user',
      content: [
        { type: 'text', text: reminder },
        { type: 'text', text: prompt },
      ],
    });
    if (this.#agentId === null) {
      this.#messages.push({
        role: 'system',
        content: 'Available agent types for the Agent tool:\n- general-purpose',
      });
    }
  }

  async #delegate(turn: DemoTurn): Promise<object[]> {
    if (turn.delegated === undefined)
      throw new Error('The script calls a sub-agent that it does not describe.');
    const id = createHash('sha256').update(turn.prompt).digest('hex').slice(0, 17);
    const answer = await new ClaudeLike(this.#base, this.#place, this.#session, id).turn(turn.delegated);
    return [
      { type: 'text', text: answer },
      { type: 'text', text: `agentId: ${id}` },
    ];
  }

  async #ask(): Promise<Block[]> {
    const response = await fetch(`${this.#base}/anthropic/v1/messages?beta=true`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'claude-cli/2.1.197 (external, cli)',
        'x-claude-code-session-id': this.#session,
        ...(this.#agentId === null ? {} : { 'x-claude-code-agent-id': this.#agentId }),
        'anthropic-version': '2023-06-01',
        'anthropic-beta': betas,
        'x-api-key': 'sk-demo',
      },
      body: JSON.stringify(this.#body()),
    });
    const text = await response.text();
    if (response.status === 529) return this.#ask();
    if (response.status !== 200) throw new Error(`The simulator refused a request of the demo: ${text}`);
    return readBlocks(text);
  }

  #body(): object {
    const { folder, branch } = this.#place;
    const main = this.#agentId === null;
    const environment = main
      ? `# Environment\n - Primary working directory: ${folder}\n - Is a git repository: true\n - Platform: linux\n\ngitStatus: This is the git status at the start of the conversation.\n\nCurrent branch: ${branch}\n\nMain branch (you will usually use this for PRs): main\n`
      : `<env>\nWorking directory: ${folder}\nIs directory a git repo: Yes\n</env>`;
    return {
      model: 'claude-opus-4-8',
      messages: this.#messages,
      system: [
        {
          type: 'text',
          text: `x-anthropic-billing-header: cc_version=2.1.197.d3f; cc_entrypoint=cli;${main ? '' : ' cc_is_subagent=true;'}`,
        },
        {
          type: 'text',
          text: "You are Claude Code, Anthropic's official CLI for Claude.",
          cache_control: { type: 'ephemeral' },
        },
        {
          type: 'text',
          text: `You are an interactive agent that helps with software engineering.\n\n${environment}`,
          cache_control: { type: 'ephemeral' },
        },
      ],
      tools: toolNames.map((name) => ({
        name,
        description: `The tool ${name}.`,
        input_schema: { type: 'object', properties: {}, additionalProperties: true },
      })),
      metadata: {
        user_id: JSON.stringify({ device_id: 'd'.repeat(64), account_uuid: '', session_id: this.#session }),
      },
      max_tokens: 64000,
      thinking: main ? { type: 'adaptive' } : { type: 'disabled' },
      stream: true,
    };
  }
}

/** The content blocks of a streamed answer, as the client keeps them. */
export function readBlocks(stream: string): Block[] {
  const blocks: Block[] = [];
  const inputs = new Map<number, string>();
  for (const event of readEvents(stream)) {
    const index = event.index as number;
    if (event.type === 'content_block_start') blocks[index] = event.content_block as Block;
    if (event.type === 'error') throw new Error('The demo does not script broken streams here.');
    const block = blocks[index];
    if (event.type !== 'content_block_delta' || block === undefined) continue;
    const delta = event.delta as {
      text?: string;
      thinking?: string;
      signature?: string;
      partial_json?: string;
    };
    if (delta.text !== undefined) block.text = (block.text ?? '') + delta.text;
    if (delta.thinking !== undefined) block.thinking = (block.thinking ?? '') + delta.thinking;
    if (delta.signature !== undefined) block.signature = delta.signature;
    if (delta.partial_json !== undefined) inputs.set(index, (inputs.get(index) ?? '') + delta.partial_json);
  }
  for (const [index, json] of inputs) {
    const block = blocks[index];
    if (block !== undefined) block.input = JSON.parse(json || '{}');
  }
  return blocks;
}
