type Json = Record<string, unknown>;

export function askedOf({ command, file_path: path }: Json): [command: string, path: string] {
  return [String(command ?? ''), String(path ?? '')];
}

export const CLEARED = '[Old tool result content cleared]';

/** Leaves an answer once its first bytes are there. */
export async function leave(response: Response): Promise<void> {
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
}

/** A history without its second turn, where it has more than three. */
export function withoutOldTurn(history: readonly Json[], turns: readonly number[]): readonly Json[] {
  const [, second = 0, third = 0, fourth] = turns;
  return fourth === undefined ? history : [...history.slice(0, second), ...history.slice(third)];
}

/** Where turns begin: at what a person typed. */
export function turnsIn(history: readonly Json[]): number[] {
  return history.flatMap((one, index) => (one.role === 'user' && textsOf(one).length > 0 ? [index] : []));
}

export function tidied(content: unknown, type: string, field: string, leaves: string): unknown {
  if (!Array.isArray(content)) return content;
  return (content as Json[])
    .filter((part) => part.type !== leaves)
    .map((part) => (part.type === type ? { ...part, [field]: CLEARED } : part));
}

export function textsOf({ content }: Json): string[] {
  if (!Array.isArray(content)) return [];
  return (content as Json[])
    .map(({ text }) => String(text ?? ''))
    .filter((text) => text !== '' && !text.startsWith('<'));
}

export function item(role: string, text: string): Json {
  return { type: 'message', role, content: [{ type: 'input_text', text }] };
}

export function environment(folder = '/home/dev/project'): Json {
  return item('user', `<environment_context>\n  <cwd>${folder}</cwd>\n</environment_context>`);
}

export function eventsOf(stream: string): Json[] {
  return stream
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)) as Json);
}

/** The content of a streamed answer, as the agent keeps it. */
export function readBlocks(stream: string): Json[] {
  const blocks: Json[] = [];
  const inputs = new Map<number, string>();
  for (const event of eventsOf(stream)) {
    const index = Number(event.index);
    if (event.type === 'error') throw new Error(JSON.stringify(event));
    if (event.type === 'content_block_start') blocks[index] = { ...(event.content_block as Json) };
    const block = blocks[index];
    if (event.type !== 'content_block_delta' || block === undefined) continue;
    const delta = event.delta as Json;
    for (const key of ['text', 'thinking', 'signature'] as const) {
      if (typeof delta[key] === 'string') block[key] = String(block[key] ?? '') + delta[key];
    }
    if (typeof delta.partial_json === 'string')
      inputs.set(index, (inputs.get(index) ?? '') + delta.partial_json);
  }
  for (const [index, json] of inputs) {
    const block = blocks[index];
    if (block !== undefined) block.input = JSON.parse(json || '{}');
  }
  return blocks.filter((block) => block.type !== 'text' || String(block.text ?? '').trim() !== '');
}
