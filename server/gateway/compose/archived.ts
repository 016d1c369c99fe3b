import type { ArchiveWriter, MaskedItem } from '../../archive/index.ts';
import {
  answerNeeds,
  docIdOf,
  hexOf,
  type Item,
  type MessageHash,
  type Role,
  resolveChain,
  type Slice,
} from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { ChainItem, IndexedMessage, RecallStore, ThreadName } from '../../recall/index.ts';
import type { ProtocolAdapter, ReadRequest } from '../adapter.ts';
import { hintsFor } from '../reading/hints.ts';
import { maskItems } from '../record/mask-items.ts';
import type { Conversation } from './conversation.ts';

/** The archive's side of what is asked here. */
export type ChainSource = Pick<ArchiveWriter, 'lookUpSlices' | 'childrenOf' | 'sessionOfChain'>;

/** A request's elements in the archive. */
export interface ArchivedChain {
  /** The message behind each element, by its hash. */
  readonly positions: readonly MessageHash[];
  /** What the archive holds of each message, by the hash in hex. */
  readonly items: ReadonlyMap<string, readonly ChainItem[]>;
  /** How many items it holds of all of them. */
  readonly stored: number;
}

/** Finds a request's elements in the archive; null where its session is not there yet. */
export async function archivedChain(
  parts: { readonly archive: ChainSource; readonly recall: RecallStore },
  question: {
    readonly accountId: Uuid;
    readonly key: Uint8Array;
    readonly thread: ThreadName;
    readonly adapter: ProtocolAdapter;
    readonly read: ReadRequest;
    readonly body: Buffer;
  },
): Promise<ArchivedChain | null> {
  const { accountId, key, thread, adapter, read, body } = question;
  const root = await parts.recall.rootOf(accountId, thread);
  if (root === null) return null;
  const chain = await answerNeeds<MaskedItem>(
    resolveChain<MaskedItem>({
      key,
      root,
      elements: read.elements.map(({ start, end }) => body.subarray(start, end)),
      parse: (element) =>
        adapter.parseMessage(element, hintsFor(adapter, read, element.byteOffset - body.byteOffset)),
      forms: adapter.forms,
    }),
    {
      slices: (slices) => parts.archive.lookUpSlices(accountId, slices),
      children: (parent, wanted) => parts.archive.childrenOf(accountId, parent, wanted),
      masked: (items) => maskItems(items, key),
    },
  );
  const distinct = chain.positions.filter(
    (hash, index) => index === 0 || hexOf(hash) !== hexOf(chain.positions[index - 1] as MessageHash),
  );
  const rows = await parts.recall.chainItems(accountId, distinct);
  const items = new Map<string, ChainItem[]>();
  for (const row of rows) {
    const known = items.get(hexOf(row.message));
    if (known === undefined) items.set(hexOf(row.message), [row]);
    else known.push(row);
  }
  return { positions: chain.positions, items, stored: rows.length };
}

/** Whether the archive has read back all of an element's message, so that it may leave the view. */
export function isConfirmed(chain: ArchivedChain, element: number): boolean {
  const items = chain.items.get(hexOf(chain.positions[element] ?? new Uint8Array()));
  return items?.every((item) => item.confirmed) ?? false;
}

/** A message of the older part as an index tells it, and its first element. */
export interface OlderMessage {
  readonly element: number;
  readonly message: IndexedMessage;
  /** Documents whose words are the client's own; of the others they are the archive's. */
  readonly typed: readonly string[];
}

/**
 * The messages of a chain for an index, in order: texts are the archive's own, what a person typed is the client's, who
 * sends it in this request.
 */
export function olderMessages(
  chain: ArchivedChain,
  conversation: Conversation,
  parse: (slice: Slice) => readonly Item[],
): readonly OlderMessage[] {
  const messages: OlderMessage[] = [];
  let last = '';
  for (const [element, hash] of chain.positions.entries()) {
    const hex = hexOf(hash);
    if (hex === last) continue;
    last = hex;
    const rows = chain.items.get(hex) ?? [];
    const [first] = rows;
    if (first === undefined) continue;
    const facts = conversation.facts[element];
    const slice = conversation.elements[element];
    const own =
      facts?.typed && slice !== undefined ? parse(slice).filter((item) => item.kind === 'input') : [];
    const typedRows = rows.filter((row) => row.kind === 'input');
    const isOwn = own.length === typedRows.length;
    messages.push({
      element,
      typed: isOwn ? typedRows.map((row) => row.docid) : [],
      message: {
        message: {
          role: roleOf(facts?.side),
          items: rows.map((row) => itemOf(row, isOwn ? own[typedRows.indexOf(row)] : undefined)),
        },
        docids: rows.map((row) => row.docid),
        at: rows.find((row) => row.at !== null)?.at ?? 0,
      },
    });
  }
  return messages;
}

/** The texts that a person typed, by document, as this request holds them: what a kept index refers to. */
export function typedTexts(
  key: Uint8Array,
  chain: Pick<ArchivedChain, 'positions'>,
  conversation: Conversation,
  parse: (slice: Slice) => readonly Item[],
): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const [element, hash] of chain.positions.entries()) {
    const slice = conversation.elements[element];
    if (!conversation.facts[element]?.typed || slice === undefined) continue;
    for (const [position, item] of parse(slice).entries())
      if (item.kind === 'input') texts.set(docIdOf(key, hash, position), item.text);
  }
  return texts;
}

function roleOf(side: 'user' | 'assistant' | 'system' | undefined): Role {
  return side ?? 'unknown';
}

function itemOf(row: ChainItem, own: Item | undefined): Item {
  return {
    kind: row.kind as Item['kind'],
    text: own?.text ?? row.text,
    body: null,
    tool:
      row.callId === null
        ? null
        : { callId: row.callId, name: row.tool, namespace: null, isError: row.isError },
    mainInput: row.mainInput,
    path: row.path,
    media: row.mime === null ? [] : [{ mime: row.mime, bytes: new Uint8Array(0) }],
  };
}
