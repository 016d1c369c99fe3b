/** A JSON object. */
export type Json = Record<string, unknown>;

/** The parts of an answer of the Messages API, whole or as a stream, as Claude Code keeps them: whole ones, no blank texts. */
export function readParts(body: string): Json[] {
  if (body.startsWith('{')) return ((JSON.parse(body) as Json).content as Json[]).filter(isFilled);
  const open = new Map<number, { part: Json; input: string }>();
  const parts: Json[] = [];
  for (const event of eventsOf(body)) {
    const index = Number(event.index);
    if (event.type === 'content_block_start')
      open.set(index, { part: { ...(event.content_block as Json) }, input: '' });
    const block = open.get(index);
    if (block === undefined) continue;
    if (event.type === 'content_block_delta') grow(block, event.delta as Json);
    if (event.type === 'content_block_stop')
      parts.push(block.input === '' ? block.part : { ...block.part, input: JSON.parse(block.input) });
  }
  return parts.filter(isFilled);
}

function grow(block: { part: Json; input: string }, delta: Json): void {
  for (const key of ['text', 'thinking', 'signature']) {
    if (typeof delta[key] === 'string') block.part[key] = `${String(block.part[key] ?? '')}${delta[key]}`;
  }
  if (typeof delta.partial_json === 'string') block.input += delta.partial_json;
}

function isFilled(part: Json): boolean {
  return part.type !== 'text' || String(part.text).trim() !== '';
}

/** The items of an answer of the Responses API, whole or as a stream, as Codex keeps them. */
export function readItems(body: string): Json[] {
  const items = body.startsWith('{')
    ? ((JSON.parse(body) as Json).output as Json[])
    : eventsOf(body).flatMap((event) =>
        event.type === 'response.output_item.done' ? [event.item as Json] : [],
      );
  return items.map((item) => (item.type === 'reasoning' ? { ...item, content: null } : item));
}

/** The data of a stream's events. */
export function eventsOf(stream: string): Json[] {
  return stream
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)) as Json);
}
