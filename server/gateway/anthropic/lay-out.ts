import {
  itemsOf,
  type JsonNode,
  member,
  readJson,
  type Slice,
  stringMember,
  viewOf,
} from '../../conversation/index.ts';
import type { Edit } from '../splice.ts';
import { leftOutBefore, type Edit as NamedEdit } from '../validator/index.ts';
import type { HeadPart } from './head.ts';

/** A layout to be put into a request. */
export interface MessagesLayout {
  /** Index of the oldest entry of the recent part: an assistant's message, or a typed one. */
  readonly at: number;
  /** The running turn's typed message where it stands before `at`: it stays in view. */
  readonly runningTyped: number | null;
  /** Entries before `at` that stay whole, in their order (pairs that loaded deferred tools). */
  readonly stays: readonly number[];
  /** What the agent put there for the model to live by. */
  readonly head: readonly HeadPart[];
  readonly memory: string | null;
  readonly index: string;
  /** The lifetime of a cache mark at the end of the index; null: no mark is free. */
  readonly cacheMark: '5m' | '1h' | null;
  /** True for an entry whose thinking is left out. */
  readonly leavesThinking: (index: number) => boolean;
}

/** A request with a layout: what changes in its bytes, and the names of the changes for the validator. */
export interface LaidOut {
  readonly edits: readonly Edit[];
  readonly named: readonly NamedEdit[];
}

/**
 * Composes a layout for the Messages API: one user message of the head, the memory and the index, joined with the typed
 * message that opens what is in view; then what must stay of the older part; then the recent part in the client's own
 * bytes, less the thinking that is bound to what was sent before.
 * @param elements the entries of `messages`
 */
export function layOutMessages(
  body: Uint8Array,
  elements: readonly Slice[],
  layout: MessagesLayout,
): LaidOut {
  const read = (index: number) => {
    const slice = elements[index];
    return viewOf(body.subarray(slice?.start ?? 0, slice?.end ?? 0));
  };
  const own = ownParts(layout);
  const opening = openingOf(layout, (index) => stringMember(readJson(read(index)) ?? undefined, 'role'));
  const joined = opening === null ? null : withPartsInFront(read(opening), own);
  const front = joined ?? `{"role":"user","content":[${own.join(',')}]}`;
  const keptFrom = opening === layout.at && joined !== null ? layout.at + 1 : layout.at;
  const thinking = thinkingLeftOut(elements, keptFrom, layout, read);
  const bare = layout.stays.map((index) => ({ index, less: withoutThinking(read(index)) }));
  const stays = bare.map(({ index, less }) =>
    less === null || less === 'nothing_else' ? read(index) : less,
  );
  const pieces = [Buffer.from(front), ...stays].map((piece) => piece.toString());
  const next = elements[keptFrom];
  const start = elements[0]?.start ?? 0;
  const end = next?.start ?? elements.at(-1)?.end ?? start;
  const insert = Buffer.from(`${pieces.join(',')}${next === undefined ? '' : ','}`);
  return {
    edits: [{ start, end, insert }, ...thinking.edits],
    named: [
      ...ownEdits(own.length, layout, joined !== null),
      ...leftOutBefore(
        layout.at,
        new Set([...layout.stays, ...(joined === null || opening === null ? [] : [opening])]),
      ),
      ...bare.flatMap(({ index, less }): NamedEdit[] =>
        less === null ? [] : [{ kind: 'left-out-thinking', from: index, to: index + 1 }],
      ),
      ...thinking.named,
    ],
  };
}

/** The typed message that the head is joined with; null: the head stands by itself. */
function openingOf(layout: MessagesLayout, roleOf: (index: number) => string | null): number | null {
  if (layout.stays.length > 0) return null;
  if (layout.runningTyped !== null) return layout.runningTyped;
  return roleOf(layout.at) === 'user' ? layout.at : null;
}

function ownParts({ head, memory, index, cacheMark }: MessagesLayout): readonly string[] {
  const ttl = cacheMark === '1h' ? ',"ttl":"1h"' : '';
  const mark = cacheMark === null ? '' : `,"cache_control":{"type":"ephemeral"${ttl}}`;
  return [
    ...head.map((part) => part.json),
    ...(memory === null ? [] : [`{"type":"text","text":${JSON.stringify(memory)}}`]),
    `{"type":"text","text":${JSON.stringify(index)}${mark}}`,
  ];
}

function ownEdits(count: number, { memory }: MessagesLayout, joined: boolean): readonly NamedEdit[] {
  if (!joined) return [{ kind: 'head-message', element: 0 }];
  const memoryAt = memory === null ? -1 : count - 2;
  return Array.from(
    { length: count },
    (_, part): NamedEdit => ({
      kind: part === memoryAt ? 'memory-part' : 'head-message',
      element: 0,
      part,
    }),
  );
}

/** A user message with parts in front of its own; null: it is none. A bare string becomes a text part of its bytes. */
function withPartsInFront(element: Buffer, parts: readonly string[]): string | null {
  const node = readJson(element);
  const content = member(node ?? undefined, 'content');
  if (stringMember(node ?? undefined, 'role') !== 'user' || content === undefined) return null;
  const raw = element.toString('utf8', content.start, content.end);
  const own =
    content.type === 'string'
      ? `{"type":"text","text":${raw}}`
      : content.type === 'array'
        ? raw.slice(1, -1).trim()
        : null;
  if (own === null || own === '') return null;
  const before = element.toString('utf8', 0, content.start);
  return `${before}[${[...parts, own].join(',')}]${element.toString('utf8', content.end)}`;
}

/** Thinking taken out of entries of the recent part; an entry of thinking alone goes whole. */
function thinkingLeftOut(
  elements: readonly Slice[],
  from: number,
  layout: MessagesLayout,
  read: (index: number) => Buffer,
): LaidOut {
  const edits: Edit[] = [];
  const named: NamedEdit[] = [];
  for (let index = from; index < elements.length; index += 1) {
    const slice = elements[index];
    if (slice === undefined || !layout.leavesThinking(index)) continue;
    const less = withoutThinking(read(index));
    if (less === null) continue;
    if (less === 'nothing_else') {
      edits.push({
        start: slice.start,
        end: elements[index + 1]?.start ?? slice.end,
        insert: Buffer.alloc(0),
      });
      named.push({ kind: 'left-out-messages', from: index, to: index + 1 });
    } else {
      edits.push({ ...slice, insert: less });
      named.push({ kind: 'left-out-thinking', from: index, to: index + 1 });
    }
  }
  return { edits, named };
}

/** An assistant's message less its thinking; null where it has none. An empty message would not be valid. */
function withoutThinking(element: Buffer): Buffer | 'nothing_else' | null {
  if (!element.includes('thinking')) return null;
  const node = readJson(element);
  if (stringMember(node ?? undefined, 'role') !== 'assistant') return null;
  const content = member(node ?? undefined, 'content');
  const parts = itemsOf(content);
  const kept = parts.filter((part) => !isThinking(part));
  if (content === undefined || kept.length === parts.length) return null;
  if (kept.length === 0) return 'nothing_else';
  const raw = kept.map((part) => element.toString('utf8', part.start, part.end));
  return Buffer.concat([
    element.subarray(0, content.start),
    Buffer.from(`[${raw.join(',')}]`),
    element.subarray(content.end),
  ]);
}

function isThinking(part: JsonNode): boolean {
  const type = stringMember(part, 'type');
  return type === 'thinking' || type === 'redacted_thinking';
}
