import { readJson } from '../../conversation/index.ts';
import type { Millis } from '../../kernel/clock.ts';
import { fieldText, type LineObject } from './line.ts';

/** A line of Claude Code's files that stands in its tree. */
export interface ClaudeNode {
  /**
   * `passed`: it stands between others and says nothing that is sent. `aside`: the agent put it beside what is said.
   * `boundary`: a compaction; what follows begins anew.
   */
  readonly kind: 'user' | 'assistant' | 'aside' | 'boundary' | 'passed';
  readonly uuid: string;
  readonly parentUuid: string | null;
  readonly at: Millis | null;
  /** Raw JSON of the parts (a bare string is one text part); of an aside the one message that it is. */
  readonly parts: readonly Uint8Array[];
  /** The provider's id, which the lines of one answer share. */
  readonly answerId: string | null;
  /** Ids of the tool calls that it makes, or whose results it brings. */
  readonly calls: readonly string[];
  readonly results: readonly string[];
  /** On a boundary: the messages that are sent again behind its summary, and the line that they follow. */
  readonly preserved: { readonly anchor: string; readonly uuids: readonly string[] } | null;
}

/** Raw JSON of a text part with this raw JSON string. */
export function textPart(rawString: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from('{"type":"text","text":'), rawString, Buffer.from('}')]);
}

/** The parts of a message: the entries of its content, or the one text that it is. Copies, so that a line can go. */
export function partsOf(message: LineObject): readonly Uint8Array[] {
  const entries = message.entries('content');
  if (entries !== null) return entries.map((entry) => Uint8Array.from(entry));
  const raw = message.raw('content');
  return raw === null || raw[0] !== 0x22 ? [] : [textPart(raw)];
}

/** Ids in the parts of this type. */
export function idsIn(parts: readonly Uint8Array[], type: string, field: string): readonly string[] {
  return parts.flatMap((part) => (fieldText(part, 'type') === type ? (fieldText(part, field) ?? []) : []));
}

/** What a boundary says of messages that are sent again. */
export function preservedBy(line: LineObject): ClaudeNode['preserved'] {
  const raw = line.object('compactMetadata')?.raw('preservedMessages') ?? null;
  const node = raw === null ? null : readJson(raw);
  if (node?.type !== 'object') return null;
  const field = (name: string) => node.entries.find((entry) => entry.key === name)?.value;
  const [anchor, uuids] = [field('anchorUuid'), field('uuids')];
  if (anchor?.type !== 'string' || uuids?.type !== 'array') return null;
  return {
    anchor: anchor.value,
    uuids: uuids.items.flatMap((item) => (item.type === 'string' ? [item.value] : [])),
  };
}
