import { randomUUID } from 'node:crypto';
import { type Block, readBlocks } from './claude-like.ts';
import type { DemoConversation, DemoTurn } from './conversation.ts';

const SHAPES = {
  opencode: {
    /** OpenCode names the session in headers and says where it works in a section of its prompt. */
    headers: (session: string) => ({
      'user-agent': 'opencode/1.18.33 ai-sdk/provider-utils/4.0.46 runtime/bun/1.3.14',
      'x-session-affinity': session,
      'x-session-id': session,
    }),
    prompt: (folder: string) =>
      `You are OpenCode.\n<env>\n  Working directory: ${folder}\n  Is directory a git repo: yes\n</env>`,
    tools: ['bash', 'edit', 'read', 'task', 'write'],
  },
  pi: {
    /** Pi names no session; its prompt ends with the folder. */
    headers: () => ({ 'user-agent': 'Anthropic/JS 0.91.1' }),
    prompt: (folder: string) =>
      `You are a coding assistant in pi.\nCurrent date: 2026-11-30\nCurrent working directory: ${folder}`,
    tools: ['read', 'bash', 'edit', 'write'],
  },
} as const;

/**
 * A client that puts requests on the wire in the shapes of OpenCode or Pi, for the demo. It is neither and runs
 * nothing.
 */
export class SmallLike {
  readonly #base: string;
  readonly #place: DemoConversation;
  readonly #shape: (typeof SHAPES)['opencode' | 'pi'];
  readonly #session = `ses_${randomUUID().replaceAll('-', '').slice(0, 26)}`;
  readonly #messages: object[] = [];

  constructor(base: string, place: DemoConversation, agent: keyof typeof SHAPES) {
    this.#base = base;
    this.#place = place;
    this.#shape = SHAPES[agent];
  }

  /** Runs a turn to its end. */
  async turn(turn: DemoTurn): Promise<void> {
    const results = [...(turn.results ?? [])];
    this.#messages.push({ role: 'user', content: [{ type: 'text', text: turn.prompt }] });
    for (;;) {
      const blocks = await this.#ask();
      this.#messages.push({ role: 'assistant', content: blocks });
      const calls = blocks.filter((block) => block.type === 'tool_use');
      if (calls.length === 0) return;
      this.#messages.push({
        role: 'user',
        content: calls.map((call) => ({
          type: 'tool_result',
          tool_use_id: call.id,
          content: results.shift() ?? '',
        })),
      });
    }
  }

  async #ask(): Promise<Block[]> {
    const { headers, prompt, tools } = this.#shape;
    const response = await fetch(`${this.#base}/anthropic/v1/messages`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
        'x-api-key': 'sk-demo',
        ...headers(this.#session),
      },
      body: JSON.stringify({
        model: 'claude-sonnet-4-6',
        max_tokens: 32_000,
        system: [{ type: 'text', text: prompt(this.#place.folder), cache_control: { type: 'ephemeral' } }],
        messages: this.#messages,
        tools: tools.map((name) => ({
          name,
          description: `The tool ${name}.`,
          input_schema: { type: 'object', properties: {}, additionalProperties: true },
        })),
        stream: true,
      }),
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`The simulator refused a request of the demo: ${text}`);
    return readBlocks(text);
  }
}
