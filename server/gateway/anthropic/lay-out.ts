import { fieldNamed, fieldsOf, type Scan, type Slice, stringIn } from '../../conversation/index.ts';
import type { Piece } from '../compose/changed.ts';
import type { OlderPart, PlannedLayout, ViewRun } from '../compose/plan.ts';
import { partsOfList, readParts } from './message-parts.ts';

/** What stands in front: parts of a user message, in their order. */
export interface Front {
  readonly head: readonly string[];
  readonly memory: string | null;
  /** Null: there is no layout, but a memory part alone. */
  readonly index: string | null;
}

/** The front of a request without a layout. */
export function memoryFront(text: string): Front {
  return { head: [], memory: textPart(text, ''), index: null };
}

/** The parts of a layout's front, as JSON texts. */
export function frontOf(layout: PlannedLayout, older: OlderPart, mark: PlannedLayout['cacheMark']): Front {
  const ttl = mark === '1h' ? ',"ttl":"1h"' : '';
  const cached = mark === null ? '' : `,"cache_control":{"type":"ephemeral"${ttl}}`;
  return {
    head: older.head,
    memory: layout.memory === null ? null : textPart(layout.memory, ''),
    index: textPart(layout.index, cached),
  };
}

/** The front as a message by itself. */
export function frontPiece({ head, memory, index }: Front): Piece {
  const parts = [...head, memory, index].filter((part) => part !== null);
  const json = Buffer.from(`{"role":"user","content":[${parts.join(',')}]}`);
  return { json, edits: [{ kind: 'head-message' }] };
}

/** What the front is to a view of the request. */
export function frontRuns({ head, memory, index }: Front): readonly ViewRun[] {
  const run = (what: 'head' | 'memory' | 'index', ...texts: readonly string[]): ViewRun => ({
    is: 'ours',
    what,
    bytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
    record: null,
  });
  return [
    ...(head.length === 0 ? [] : [run('head', ...head)]),
    ...(memory === null ? [] : [run('memory', memory)]),
    ...(index === null ? [] : [run('index', index)]),
  ];
}

function textPart(text: string, more: string): string {
  return `{"type":"text","text":${JSON.stringify(text)}${more}}`;
}

/** Cache marks that a request may have, a top-level one counted. */
const MOST_MARKS = 4;

/** Elements in front of the recent part that are looked at for marks: clients set theirs on the newest messages. */
const LOOK_BACK = 20;

/**
 * The mark that the end of the index gets, if one is free: four at most are allowed, and none for an hour stands behind
 * one for five minutes (system and tools stand before the index, the recent part and a top-level mark behind). Marks
 * that a layout has just put out of view are counted too: a client moves its marks on with each request, so that the
 * same answer holds for the next.
 */
export function freeMark(
  body: Buffer,
  scan: Scan,
  elements: readonly Slice[],
  { at, cacheMark }: Pick<PlannedLayout, 'at' | 'cacheMark'>,
): PlannedLayout['cacheMark'] {
  if (cacheMark === null) return null;
  const before = [
    ...marksOfList(body, fieldNamed(scan, 'tools')?.value),
    ...marksOfList(body, fieldNamed(scan, 'system')?.value),
  ];
  const top = fieldNamed(scan, 'cache_control');
  const automatic = top?.kind === 'object' ? [ttlOf(body.subarray(top.value.start, top.value.end))] : [];
  const seen = elements
    .slice(Math.max(0, at - LOOK_BACK))
    .flatMap(({ start, end }) => marksOfMessage(body.subarray(start, end)));
  if (before.length + seen.length + automatic.length >= MOST_MARKS) return null;
  const wrong = cacheMark === '1h' ? before.includes('5m') : [...seen, ...automatic].includes('1h');
  return wrong ? null : cacheMark;
}

type Ttl = '5m' | '1h';

const NEEDLE = '"cache_control"';

/** The marks of a list of tools or of system texts. */
function marksOfList(body: Buffer, slice: Slice | undefined): readonly Ttl[] {
  if (slice === undefined) return [];
  const list = body.subarray(slice.start, slice.end);
  return list.includes(NEEDLE) ? marksOfParts(list) : [];
}

function marksOfMessage(element: Buffer): readonly Ttl[] {
  if (!element.includes(NEEDLE)) return [];
  const { parts } = readParts(element) ?? { parts: [] };
  return parts.flatMap(({ json }) => marksOfPart(json));
}

/** A part's own mark, and those of the parts that a result holds. */
function marksOfPart(json: Buffer): readonly Ttl[] {
  if (!json.includes(NEEDLE)) return [];
  const fields = fieldsOf(json);
  const content = fields.get('content');
  const inner = content === undefined ? [] : marksOfParts(json.subarray(content.start, content.end));
  const own = fields.get('cache_control');
  const mark = own === undefined ? null : json.subarray(own.start, own.end);
  return mark === null || mark[0] !== 0x7b ? inner : [...inner, ttlOf(mark)];
}

function marksOfParts(list: Buffer): readonly Ttl[] {
  return partsOfList(list).flatMap(({ json }) => marksOfPart(json));
}

function ttlOf(mark: Buffer): Ttl {
  return stringIn(mark, fieldsOf(mark).get('ttl')) === '1h' ? '1h' : '5m';
}
