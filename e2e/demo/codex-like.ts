import { randomUUID } from 'node:crypto';
import type { DemoConversation, DemoTurn } from './conversation.ts';
import { readEvents } from './sse.ts';

interface OutputItem {
  readonly type: string;
  readonly call_id?: string;
  readonly content?: readonly { readonly text?: string }[];
  readonly [name: string]: unknown;
}

/** A client that puts requests on the wire in the shapes of Codex, for the demo. It is not Codex and runs nothing. */
export class CodexLike {
  readonly #base: string;
  readonly #place: DemoConversation;
  readonly #session = randomUUID();
  readonly #input: object[] = [];

  constructor(base: string, place: DemoConversation) {
    this.#base = base;
    this.#place = place;
    this.#input.push(
      message('developer', 'You are a coding agent running in the Codex CLI.'),
      message(
        'user',
        `<environment_context>\n  <cwd>${place.folder}</cwd>\n  <shell>bash</shell>\n</environment_context>`,
      ),
    );
  }

  /** Runs a turn to its end. */
  async turn(turn: DemoTurn): Promise<void> {
    const results = [...(turn.results ?? [])];
    this.#input.push(message('user', turn.prompt));
    for (;;) {
      const output = await this.#ask();
      this.#input.push(...output);
      const calls = output.filter(
        (item) => item.type === 'function_call' || item.type === 'custom_tool_call',
      );
      if (calls.length === 0) return;
      for (const call of calls) {
        this.#input.push({
          type: `${call.type}_output`,
          id: `fco_${randomUUID()}`,
          call_id: call.call_id,
          output: `Chunk ID: 1\nWall time: 0.1\nProcess exited with code 0\nOutput:\n${results.shift() ?? ''}`,
        });
      }
    }
  }

  async #ask(): Promise<OutputItem[]> {
    const { folder, remote } = this.#place;
    const turnMetadata = JSON.stringify({
      session_id: this.#session,
      thread_id: this.#session,
      agent_name: '/root',
      request_kind: 'turn',
      thread_source: 'user',
      workspaces: {
        [folder]: {
          associated_remote_urls: { origin: remote },
          latest_git_commit_hash: '4'.repeat(40),
          has_changes: false,
        },
      },
      model: 'gpt-5.4',
    });
    const response = await fetch(`${this.#base}/openai/v1/responses`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        authorization: 'Bearer sk-demo',
        originator: 'codex-tui',
        'user-agent': 'codex-tui/0.171.0 (Linux; x86_64)',
        'session-id': this.#session,
        'thread-id': this.#session,
        'x-codex-turn-metadata': turnMetadata,
      },
      body: JSON.stringify({
        model: 'gpt-5.4',
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
        prompt_cache_key: this.#session,
        client_metadata: { session_id: this.#session, thread_id: this.#session },
      }),
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`The simulator refused a request of the demo: ${text}`);
    return readEvents(text)
      .filter((event) => event.type === 'response.output_item.done')
      .map((event) => event.item as OutputItem);
  }
}

function message(role: 'user' | 'developer', text: string): object {
  return { type: 'message', id: `msg_${randomUUID()}`, role, content: [{ type: 'input_text', text }] };
}
