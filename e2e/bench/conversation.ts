/** A conversation as an agent sends it, grown to a size, for the benchmark. Deterministic in its arguments. */
export interface GrowingConversation {
  /** Headers of each request. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body of the next request: the history so far and one new message. */
  next(): Buffer;
}

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

/**
 * @param size bytes of the first body, about
 * @param session makes the texts and the session's id differ between runs
 */
export function growingConversation(size: number, session: number): GrowingConversation {
  const id = `bench000-0000-4000-8000-${String(session).padStart(12, '0')}`;
  const messages: string[] = [JSON.stringify({ role: 'user', content: `begin ${session}` })];
  let turn = 0;
  const addTurn = (length: number) => {
    turn += 1;
    const call = `toolu_${session}_${turn}`;
    messages.push(
      JSON.stringify({
        role: 'assistant',
        content: [
          { type: 'text', text: `Step ${turn}.` },
          { type: 'tool_use', id: call, name: 'Read', input: { file_path: `/project/src/file-${turn}.ts` } },
        ],
      }),
      JSON.stringify({
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: call, content: resultText(session * 10_007 + turn, length) },
        ],
      }),
    );
  };
  for (let bytes = 0; bytes < size - 1600; bytes = messages.reduce((sum, one) => sum + one.length, 0)) {
    addTurn(Math.min(4000, Math.max(64, size - 1600 - bytes)));
    if (size < 4000) break;
  }
  const system = JSON.stringify([
    { type: 'text', text: 'You are a coding agent. Primary working directory: /project' },
  ]);
  return {
    headers: {
      'content-type': 'application/json',
      'x-claude-code-session-id': id,
      'user-agent': 'claude-cli/2.1.197 (external, sdk-cli)',
      'anthropic-version': '2023-06-01',
      'x-api-key': 'sk-bench',
    },
    next() {
      addTurn(200);
      return Buffer.from(
        `{"model":"claude-opus-4-8","messages":[${messages.join(',')}],"system":${system},"max_tokens":1024,"stream":true}`,
      );
    },
  };
}
