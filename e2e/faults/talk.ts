import { createHash, randomUUID } from 'node:crypto';
import { type Call, exchange, type Outcome } from './exchange.ts';
import { answerTo } from './provider.ts';

/** A typed word or an answer, in the order of the conversation. */
export interface Line {
  readonly kind: 'input' | 'answer';
  readonly text: string;
}

/** How the talk's requests may differ from the usual. */
export interface TalkOptions {
  /** Bytes of filling in each typed text. */
  readonly padding?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A client in the shape of Claude Code that sends its whole history with every request, as agents do. */
export class Talk {
  readonly id = randomUUID();
  readonly name: string;
  readonly #options: TalkOptions;
  readonly #lines: Line[] = [];
  #asked = false;

  constructor(name: string, options: TalkOptions = {}) {
    this.name = name;
    this.#options = options;
  }

  /** What was typed and answered so far, a question without its answer included. */
  get lines(): readonly Line[] {
    return this.#lines;
  }

  /** Types the next question. Without an answer to the last one that is asked again. */
  type(): void {
    if (this.#asked) return;
    this.#asked = true;
    const filling = 'filling '.repeat(Math.ceil((this.#options.padding ?? 0) / 8));
    this.#lines.push({
      kind: 'input',
      text: `Question ${this.#lines.length} of ${this.name}. ${filling}`.trim(),
    });
  }

  /** The request that the history stands for; the same bytes until an answer is taken. */
  call(base: string, headers: Readonly<Record<string, string>> = {}): Call {
    return {
      base,
      path: '/v1/messages?beta=true',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'claude-cli/2.1.197 (external, cli)',
        'x-claude-code-session-id': this.id,
        'anthropic-version': '2023-06-01',
        'x-api-key': 'sk-faults',
        ...this.#options.headers,
        ...headers,
      },
      body: Buffer.from(JSON.stringify(this.#body())),
    };
  }

  /**
   * Sends what the history stands for and takes the answer.
   * @throws where the connection broke or the answer is not the provider's: it may be asked again then
   */
  async ask(base: string, headers: Readonly<Record<string, string>> = {}): Promise<Outcome> {
    this.type();
    const call = this.call(base, headers);
    const outcome = await exchange(call);
    const text = answerTo(createHash('sha256').update(call.body).digest('hex'));
    if (outcome.status !== 200 || !outcome.body.includes('message_stop')) {
      throw new Error(`the answer is not whole: ${outcome.status} ${outcome.body.toString('utf8', 0, 300)}`);
    }
    this.answered(text);
    return outcome;
  }

  /** Takes an answer to the last question. */
  answered(text: string): void {
    this.#lines.push({ kind: 'answer', text });
    this.#asked = false;
  }

  #body(): object {
    return {
      model: 'claude-opus-4-8',
      messages: this.#lines.map(({ kind, text }) => ({
        role: kind === 'input' ? 'user' : 'assistant',
        content: [{ type: 'text', text }],
      })),
      system: [
        {
          type: 'text',
          text: 'You are a coding agent.\n\n# Environment\n - Primary working directory: /nowhere/faults',
        },
      ],
      metadata: { user_id: JSON.stringify({ device_id: 'd', account_uuid: '', session_id: this.id }) },
      max_tokens: 1024,
      stream: true,
    };
  }
}

/** The bytes of a talk's next request on a bare connection to the gateway; `fault` is what the provider shall do. */
export function wire(talk: Talk, fault: string): Buffer {
  talk.type();
  const { path, headers, body } = talk.call('', fault === '' ? {} : { 'x-fault': fault });
  const lines = Object.entries({ host: '127.0.0.1', ...headers, 'content-length': String(body.byteLength) });
  const head = [
    `POST /anthropic${path} HTTP/1.1`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ];
  return Buffer.concat([Buffer.from(head.join('\r\n')), body]);
}
