import type { DocId, Item, Message } from '../conversation/index.ts';
import type { CallEntry, IndexEntry } from './index-entries.ts';

/** A message of the older part, with what the archive calls its items. */
export interface IndexedMessage {
  readonly message: Pick<Message, 'role' | 'items'>;
  /** One for each item, in order; a result has its call's. */
  readonly docids: readonly DocId[];
  /** When the gateway first saw it, in milliseconds since 1970. */
  readonly at: number;
}

/** Tools whose result is what a sub-agent brought back. */
export const SUB_AGENT_TOOLS: ReadonlySet<string> = new Set(['Task', 'Agent', 'task', 'spawn_agent']);
const WEB_ADDRESS = /^https?:\/\/\S+$/;

/**
 * What an index tells of messages, in their order: typed words and what was attached, calls, the assistant's texts.
 * Generated text inside user messages, system messages, thinking and results are not told; they are archived.
 * @param folder the working folder; paths inside it are shown from there. Null: it is not known.
 */
export function indexEntries(
  messages: readonly IndexedMessage[],
  folder: string | null,
): readonly IndexEntry[] {
  const entries: IndexEntry[] = [];
  const open = new Map<string, number>();
  let turn = 0;
  for (const { message, docids, at } of messages) {
    if (message.role === 'user' && message.items.some((item) => item.kind === 'input')) turn += 1;
    for (const [index, item] of message.items.entries()) {
      const docid = docids[index];
      if (docid === undefined) continue;
      if (item.kind === 'tool_result') answerCall(entries, open, item);
      const entry = entryOf(item, message.role, { turn, docid, at, folder });
      if (entry === null) continue;
      if (entry.kind === 'call') open.set(item.tool?.callId ?? '', entries.length);
      entries.push(entry);
    }
  }
  return entries;
}

function entryOf(
  item: Item,
  role: Message['role'],
  about: {
    readonly turn: number;
    readonly docid: DocId;
    readonly at: number;
    readonly folder: string | null;
  },
): IndexEntry | null {
  const { turn, docid, at, folder } = about;
  if (item.kind === 'input') return { kind: 'typed', turn, docid, at, text: item.text };
  if (item.kind === 'answer' && item.text.trim() !== '')
    return { kind: 'answer', turn, docid, text: item.text };
  if (item.kind === 'tool_call') return callEntry(item, turn, docid, folder);
  const [media] = item.media;
  const attached = role === 'user' && (item.kind === 'image' || item.kind === 'file');
  return attached ? { kind: 'media', turn, docid, at, mime: media?.mime ?? item.kind } : null;
}

function callEntry(item: Item, turn: number, docid: DocId, folder: string | null): CallEntry {
  const { mainInput, path } = item;
  const isPath = mainInput !== null && mainInput === path;
  return {
    kind: 'call',
    turn,
    docid,
    tool: item.tool?.name ?? 'tool',
    mainInput:
      isPath && folder !== null && mainInput.startsWith(`${folder}/`)
        ? mainInput.slice(folder.length + 1)
        : mainInput,
    bare: isPath || (mainInput !== null && WEB_ADDRESS.test(mainInput)),
    failed: false,
    result: null,
  };
}

/** Notes on the newest call with a result's id what became of it: providers use ids again. */
function answerCall(entries: IndexEntry[], open: ReadonlyMap<string, number>, result: Item): void {
  const at = open.get(result.tool?.callId ?? '');
  const call = at === undefined ? undefined : entries[at];
  if (at === undefined || call?.kind !== 'call') return;
  const brought = SUB_AGENT_TOOLS.has(call.tool) && result.text.trim() !== '' ? result.text : null;
  entries[at] = { ...call, failed: result.tool?.isError ?? false, result: brought };
}
