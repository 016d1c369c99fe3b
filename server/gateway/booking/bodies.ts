import { fieldNamed, scanBody } from '../../conversation/index.ts';
import type { CachedPrompt } from '../../ledger/index.ts';
import type { ProtocolAdapter } from '../adapter.ts';
import { cachedMessages, type ReadEntry, readMessageParts } from '../anthropic/cached-prompt.ts';
import { cachedItems, type ReadItem, readItemParts } from '../openai/cached-prompt.ts';
import { BlockMemo, type CountTokens } from './read-blocks.ts';
import type { BodyPieces, SentForms } from './types.ts';

/** Reads bodies as the prompt cache sees them, and remembers their parts. */
export interface PromptReader {
  /** Reads the parts of a body that are new, in turns with other work, so that `read` is quick. */
  readParts(protocol: ProtocolAdapter['protocol'], body: Uint8Array): Promise<void>;
  /**
   * Null: it cannot be read.
   * @param readsReasoningOf on Responses: see {@link cachedItems}
   */
  read(
    protocol: ProtocolAdapter['protocol'],
    model: string,
    key: Uint8Array,
    body: Uint8Array,
    readsReasoningOf?: number | null,
  ): CachedPrompt | null;
}

/** Makes a reader. @param count estimated tokens of a part */
export function createPromptReader(count: CountTokens): PromptReader {
  const entries = new BlockMemo<ReadEntry>();
  const items = new BlockMemo<ReadItem>();
  return {
    readParts: (protocol, body) =>
      protocol === 'anthropic'
        ? readMessageParts(body, { memo: entries, count })
        : readItemParts(body, { memo: items, count }),
    read: (protocol, model, key, body, readsReasoningOf = null) =>
      protocol === 'anthropic'
        ? cachedMessages(body, { key, model, count, memo: entries })
        : cachedItems(body, { key, model, count, memo: items }, readsReasoningOf),
  };
}

/** The five bodies of the fixed row, beginning with the client's. */
export function bodiesOf(client: Uint8Array, forms: SentForms | null): readonly Uint8Array[] {
  const bodies = [client];
  if (forms === null) return [client, client, client, client, client];
  for (const pieces of [forms.trimmed, forms.laidOut, forms.withTool, forms.sent]) {
    const before = bodies.at(-1) ?? client;
    bodies.push(pieces === null ? before : joined(client, pieces));
  }
  return bodies;
}

function joined(client: Uint8Array, pieces: BodyPieces): Uint8Array {
  return Buffer.concat(
    pieces.map((piece) => (piece instanceof Uint8Array ? piece : client.subarray(piece[0], piece[1]))),
  );
}

const LISTS = { anthropic: 'messages', openai: 'input' } as const;

/** A body with further elements behind its conversation; null where that is no list. */
export function withElements(
  protocol: ProtocolAdapter['protocol'],
  body: Uint8Array,
  more: readonly string[],
): Uint8Array | null {
  if (more.length === 0) return body;
  const name = LISTS[protocol];
  const scan = scanBody(body, new Set([name]));
  const last = scan === null ? undefined : fieldNamed(scan, name)?.elements?.at(-1);
  if (last === undefined) return null;
  return Buffer.concat([
    body.subarray(0, last.end),
    Buffer.from(`,${more.join(',')}`),
    body.subarray(last.end),
  ]);
}
