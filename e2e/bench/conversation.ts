/** A conversation as an agent sends it, grown to a size, for the benchmark. Deterministic in its arguments. */
export interface GrowingConversation {
  /** Headers of each request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes of its messages so far. */
  readonly bytes: number;
  /** The body of the next request: the history so far, and a round behind it. */
  next(): Buffer;
}

/** Tools as an agent lists them: with them the gateway adds its own. */
const TOOLS = JSON.stringify(
  ['Read', 'Edit', 'Bash'].map((name) => ({
    name,
    description: `${name} in the project.`,
    input_schema: { type: 'object', properties: { file_path: { type: 'string' } }, required: [] },
  })),
);

/** What agents set at the end of the prompt's fixed part and at the end of the newest message. */
const MARK = { cache_control: { type: 'ephemeral' } };

const MARKED = `,${JSON.stringify(MARK).slice(1, -1)}`;

const SYSTEM = JSON.stringify([
  { type: 'text', text: 'You are a coding agent. Primary working directory: /project', ...MARK },
]);

/** Text of a tool result: words and numbers, as a program prints them. */
function resultText(seed: number, length: number): string {
  const words = [
    'const',
    'return',
    'await',
    'billing',
    'quota',
    'window',
    'refund',
    '{',
    '}',
    '=>',
    'test',
    'passed',
  ];
  let state = seed * 2654435761 + 1;
  const pieces: string[] = [];
  for (let size = 0; size < length; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const piece = `${words[state % words.length]}_${state % 997}${state % 7 === 0 ? '\n' : ' '}`;
    pieces.push(piece);
    size += piece.length;
  }
  return pieces.join('');
}

/** Most results of one round while a conversation grows to its size. */
const RESULTS_AT_ONCE = 10;
/** Bytes of one result then, and of each turn behind it. */
const RESULT_BYTES = 4_000;
const TURN_BYTES = 200;

/**
 * A conversation through its first requests, from its first message on.
 * @param size bytes that it grows to in few requests; behind them each is a small turn longer
 * @param session makes the texts and the session's id differ between runs
 * @param model whose requests they are; a model that nobody knows gets no layout
 */
export function growingConversation(
  size: number,
  session: number,
  model = UNKNOWN_MODEL,
): GrowingConversation {
  const talk = new Talk(session, model);
  return {
    headers: talk.headers,
    get bytes() {
      return talk.bytes;
    },
    next() {
      const left = size - talk.bytes;
      if (talk.isBegun) talk.addRound(Math.max(left, TURN_BYTES));
      talk.isBegun = true;
      return talk.body();
    },
  };
}

/** A conversation of a size that begins in the middle, as one does that went on elsewhere. */
export function foundConversation(size: number, session: number): GrowingConversation {
  const talk = new Talk(session, UNKNOWN_MODEL);
  while (talk.bytes < size) talk.addRound(RESULT_BYTES);
  return {
    headers: talk.headers,
    get bytes() {
      return talk.bytes;
    },
    next() {
      talk.addRound(TURN_BYTES);
      return talk.body();
    },
  };
}

/** A name that stands in no table of models. */
const UNKNOWN_MODEL = 'bench-model-1';

class Talk {
  readonly headers: GrowingConversation['headers'];
  readonly #session: number;
  readonly #model: string;
  readonly #messages: string[];
  /** Bytes of all messages. */
  bytes: number;
  isBegun = false;
  #round = 0;
  #calls = 0;

  constructor(session: number, model: string) {
    this.#session = session;
    this.#model = model;
    this.#messages = [JSON.stringify({ role: 'user', content: `begin ${session}` })];
    this.bytes = this.#messages[0]?.length ?? 0;
    this.headers = {
      'content-type': 'application/json',
      'x-claude-code-session-id': `bench000-0000-4000-8000-${String(session).padStart(12, '0')}`,
      'user-agent': 'claude-cli/2.1.197 (external, sdk-cli)',
      'anthropic-version': '2023-06-01',
      'x-api-key': 'sk-bench',
    };
  }

  /** An answer that calls tools, and their results, of about so many bytes together, but no more than a round has. */
  addRound(bytes: number): void {
    this.#round += 1;
    const count = Math.min(RESULTS_AT_ONCE, Math.ceil(bytes / RESULT_BYTES));
    const length = Math.max(TURN_BYTES, Math.min(RESULT_BYTES, Math.ceil(bytes / count) - CALL_BYTES));
    const calls = Array.from({ length: count }, () => {
      this.#calls += 1;
      return this.#calls;
    });
    const id = (call: number) => `toolu_${this.#session}_${call}`;
    const texts = [
      JSON.stringify({
        role: 'assistant',
        content: [
          { type: 'text', text: `Step ${this.#round}.` },
          ...calls.map((call) => ({
            type: 'tool_use',
            id: id(call),
            name: 'Read',
            input: { file_path: `/project/src/file-${call}.ts` },
          })),
        ],
      }),
      // The mark is taken off once another round follows.
      JSON.stringify({
        role: 'user',
        content: calls.map((call, index) => ({
          type: 'tool_result',
          tool_use_id: id(call),
          content: resultText(this.#session * 10_007 + call, length),
          ...(index === count - 1 ? MARK : {}),
        })),
      }),
    ];
    const last = this.#messages.length - 1;
    this.#messages[last] = (this.#messages[last] ?? '').replace(MARKED, '');
    for (const text of texts) this.bytes += text.length;
    this.#messages.push(...texts);
  }

  body(): Buffer {
    return Buffer.from(
      `{"model":"${this.#model}","messages":[${this.#messages.join(',')}],"system":${SYSTEM},"tools":${TOOLS},"max_tokens":1024,"stream":true}`,
    );
  }
}

/** About what a call and its result have beside the result's text. */
const CALL_BYTES = 200;
