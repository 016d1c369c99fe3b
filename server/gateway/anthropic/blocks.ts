import { type JsonNode, member, readJson, stringMember } from '../../conversation/index.ts';
import { textOf } from '../reading/events.ts';
import { rawText } from '../reading/parts.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A content block while its deltas arrive. */
export interface Block {
  /** The block as `content_block_start` gave it. */
  readonly node: JsonNode & { type: 'object' };
  readonly source: Buffer;
  /** Texts that deltas add to, by the key of the block that they belong to. */
  readonly added: Map<string, string>;
  input: string;
  readonly citations: string[];
  stopped: boolean;
}

/** The block that a `content_block_start` opens; null where its data holds none. @param text the event's data */
export function openBlock(text: string): Block | null {
  const source = Buffer.from(text, 'utf8');
  const node = member(readJson(source) ?? undefined, 'content_block');
  if (node?.type !== 'object') return null;
  return { node, source, added: new Map(), input: '', citations: [], stopped: false };
}

/** Adds what a `content_block_delta` brings. @param text the event's data */
export function growBlock(block: Block | undefined, delta: Fields | null, text: string): void {
  if (block === undefined || delta === null) return;
  const grow = (key: string, more: unknown) => {
    if (typeof more === 'string') block.added.set(key, (block.added.get(key) ?? '') + more);
  };
  if (delta.type === 'text_delta') grow('text', delta.text);
  else if (delta.type === 'thinking_delta') grow('thinking', delta.thinking);
  else if (delta.type === 'signature_delta') grow('signature', delta.signature);
  else if (delta.type === 'input_json_delta') block.input += textOf(delta.partial_json) ?? '';
  else if (delta.type === 'compaction_delta') grow('content', delta.content);
  else if (delta.type === 'citations_delta') {
    const source = Buffer.from(text, 'utf8');
    const citation = member(member(readJson(source) ?? undefined, 'delta'), 'citation');
    if (citation !== undefined) block.citations.push(rawText(citation, source));
  }
}

/** The JSON of a block with what its deltas added; `partialInput` where its input is not JSON (yet). */
export function blockText(block: Block): { readonly json: string; readonly partialInput?: string } {
  const { node, source } = block;
  const isCall = member(node, 'input') !== undefined;
  const input = block.input === '' ? null : block.input;
  const isBroken =
    isCall && (input === null ? !block.stopped : readJson(Buffer.from(input, 'utf8')) === null);
  const fields = new Map<string, string>();
  for (const entry of node.entries) fields.set(entry.key, rawText(entry.value, source));
  for (const [key, added] of block.added)
    fields.set(key, JSON.stringify((stringMember(node, key) ?? '') + added));
  if (block.citations.length > 0) fields.set('citations', `[${block.citations.join(',')}]`);
  if (isBroken) fields.set('input', JSON.stringify(input ?? ''));
  else if (input !== null) fields.set('input', input);
  const json = `{${[...fields].map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
  return isBroken ? { json, partialInput: input ?? '' } : { json };
}
