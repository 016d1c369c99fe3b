/** A long session as an agent resends it with every request: the same bytes for the same arguments. */
export interface Transcript {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What each entry of the history says, in its order: words, a call's input, a result. */
  readonly texts: readonly string[];
  /** The request that sends the whole history. */
  body(): Buffer;
  /** Adds a turn: a call of a tool and its result. */
  grow(): void;
}

/** What a transcript is made of. */
export interface TranscriptOptions {
  readonly messages: number;
  /** Bytes of the first body, about. */
  readonly bytes: number;
  /** Makes texts and id differ between transcripts. */
  readonly seed: number;
}

const WORDS =
  'const return await billing quota window refund { } => test passed error: at src/index.ts line'.split(' ');

/** Text of a tool result: words and numbers, as programs print them. */
function printed(seed: number, length: number): string {
  let state = (Math.imul(seed, 2_654_435_761) + 1) >>> 0;
  const pieces: string[] = [];
  for (let size = 0; size < length; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const piece = `${WORDS[(state >>> 8) % WORDS.length]}_${(state >>> 12) % 997}${state % 7 === 0 ? '\n' : ' '}`;
    pieces.push(piece);
    size += piece.length;
  }
  return pieces.join('').slice(0, length);
}

/** A session of Claude Code. */
export function claudeTranscript(options: TranscriptOptions): Transcript {
  const id = `1a06e000-0000-4000-8000-${String(options.seed).padStart(12, '0')}`;
  return transcriptOf(options, {
    path: '/v1/messages?beta=true',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'claude-cli/2.1.197 (external, cli)',
      'x-claude-code-session-id': id,
      'anthropic-version': '2023-06-01',
      'x-api-key': 'sk-large',
    },
    typed: (text) => ({ role: 'user', content: [{ type: 'text', text }] }),
    input: (file) => ({ file_path: file }),
    call: (call, input) => ({
      role: 'assistant',
      content: [{ type: 'tool_use', id: call, name: 'Read', input }],
    }),
    result: (call, text) => ({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: call, content: text }],
    }),
    whole: (entries) =>
      `{"model":"claude-opus-4-8","messages":[${entries}],"system":[{"type":"text","text":"You are a coding agent. Primary working directory: /nowhere/large"}],"max_tokens":1024,"stream":true}`,
  });
}

/** A session of Codex. */
export function codexTranscript(options: TranscriptOptions): Transcript {
  const id = `01960000-0000-7000-8000-${String(options.seed).padStart(12, '0')}`;
  return transcriptOf(options, {
    path: '/v1/responses',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'codex_cli_rs/0.142.5 (Linux; x86_64)',
      originator: 'codex_cli_rs',
      'session-id': id,
      'thread-id': id,
      authorization: 'Bearer sk-large',
    },
    typed: (text) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }),
    input: (file) => ({ cmd: `cat ${file}` }),
    call: (call, input) => ({
      type: 'function_call',
      name: 'exec_command',
      arguments: JSON.stringify(input),
      call_id: call,
    }),
    result: (call, text) => ({ type: 'function_call_output', call_id: call, output: text }),
    whole: (entries) =>
      `{"model":"gpt-5.4","instructions":"You are a coding agent.","input":[${entries}],"stream":true,"store":false}`,
  });
}

interface Form extends Pick<Transcript, 'path' | 'headers'> {
  readonly typed: (text: string) => object;
  readonly input: (file: string) => object;
  readonly call: (call: string, input: object) => object;
  readonly result: (call: string, text: string) => object;
  readonly whole: (entries: string) => string;
}

function transcriptOf({ messages, bytes, seed }: TranscriptOptions, form: Form): Transcript {
  const begin = `Begin ${seed}.`;
  const entries: string[] = [JSON.stringify(form.typed(begin))];
  const texts = [begin];
  const each = Math.floor((2 * bytes) / messages) - 350;
  const grow = () => {
    const turn = entries.length;
    const call = `call_${seed}_${turn}`;
    const input = form.input(`/nowhere/large/src/file-${turn}.ts`);
    const result = printed(seed * 100_003 + turn, each);
    entries.push(JSON.stringify(form.call(call, input)), JSON.stringify(form.result(call, result)));
    texts.push(JSON.stringify(input), result);
  };
  while (entries.length < messages) grow();
  return {
    path: form.path,
    headers: form.headers,
    texts,
    body: () => Buffer.from(form.whole(entries.join(','))),
    grow,
  };
}

/** A request whose one text is nothing but escapes: of `bytes` on the wire, backslashes. */
export function backslashes(bytes: number, seed: number): Pick<Transcript, 'path' | 'headers' | 'body'> {
  const { path, headers } = claudeTranscript({ messages: 1, bytes: 1_000, seed });
  const text = '\\'.repeat(Math.floor(bytes / 2) * 2);
  return {
    path,
    headers,
    body: () =>
      Buffer.from(
        `{"model":"claude-opus-4-8","messages":[{"role":"user","content":[{"type":"text","text":"${text}"}]}],"max_tokens":1024,"stream":true}`,
      ),
  };
}
