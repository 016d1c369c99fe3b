import { createHash } from 'node:crypto';
import type { DocId, Document, LogRow, RequestRow, SessionRow } from '../../../server/archive/types.ts';
import type { Millis } from '../../../server/kernel/clock.ts';
import { type Uuid, uuidFrom } from '../../../server/kernel/ids.ts';
import { type Line, roleOf } from './conversation.ts';
import { PICTURE, PIXELS } from './picture.ts';

/** A session of the fake archive: its row, its lines, its requests. */
export interface FakeSession {
  readonly row: SessionRow;
  readonly lines: Lines;
  readonly requests: readonly RequestRow[];
}

/** Lines by position, from 1; made when they are asked for, so that a long session costs nothing. */
export interface Lines {
  readonly count: number;
  at(seq: number): { readonly line: Line; readonly at: Millis };
}

/** A UUID that is the same in every run. */
export function fixedId(number: number): Uuid {
  const random = createHash('sha256').update(`id ${number}`).digest().subarray(0, 10);
  return uuidFrom(1_796_000_000_000 + number, random);
}

/** The id of the document at a position, the same in every run. */
export function docidOf(session: FakeSession, seq: number): DocId {
  const hex = createHash('sha256').update(`${session.row.id} ${seq}`).digest('hex').slice(0, 16);
  return `context-mode-msg-${hex}` as DocId;
}

/** A position of a log as the archive gives it. */
export function logRow(session: FakeSession, seq: number, clip: number): LogRow {
  const { line, at } = session.lines.at(seq);
  const isMark = roleOf(line.kind) === null;
  return {
    seq,
    at,
    kind: line.kind,
    role: roleOf(line.kind),
    thread: line.thread ?? 'main',
    docid: isMark ? null : docidOf(session, callOf(session, seq)),
    tool: line.tool ?? null,
    mainInput: line.mainInput ?? null,
    body: line.text.slice(0, clip),
    length: line.text.length,
    durationMs: line.ranMs ?? null,
    data: line.data ?? null,
    media: line.image === true ? 1 : 0,
    callId: line.call ?? null,
    isError: line.isError ?? false,
  };
}

/** Call and result are one document, named by the call's position. */
export function callOf(session: FakeSession, seq: number): number {
  const { line } = session.lines.at(seq);
  if (line.kind !== 'tool_result') return seq;
  for (let at = seq - 1; at > Math.max(0, seq - 40); at -= 1) {
    const other = session.lines.at(at).line;
    if (other.kind === 'tool_call' && other.call === line.call) return at;
  }
  return seq;
}

function resultOf(session: FakeSession, seq: number): { readonly line: Line; readonly seq: number } | null {
  const { line } = session.lines.at(seq);
  for (let at = seq + 1; at <= Math.min(session.lines.count, seq + 40); at += 1) {
    const other = session.lines.at(at).line;
    if (other.kind === 'tool_result' && other.call === line.call) return { line: other, seq: at };
  }
  return null;
}

const known = new Map<string, { readonly bytes: number; readonly sha256: string }>();

/** Bytes of a text and their hash; remembered for large ones, of which every piece is asked for with both. */
function measured(text: string): { readonly bytes: number; readonly sha256: string } {
  const found = known.get(text);
  if (found !== undefined) return found;
  const whole = Buffer.from(text);
  const made = { bytes: whole.length, sha256: createHash('sha256').update(whole).digest('hex') };
  if (text.length > 1_000_000) known.set(text, made);
  return made;
}

/** The document at a position. */
export function documentOf(session: FakeSession, seq: number, offset: number, length: number): Document {
  const { line, at } = session.lines.at(seq);
  const answer = line.kind === 'tool_call' ? resultOf(session, seq) : null;
  const result = answer?.line ?? null;
  const text = line.kind === 'tool_call' ? (result?.text ?? '') : line.text;
  const { bytes, sha256 } = measured(text);
  const { project, worktree } = session.row;
  return {
    docid: docidOf(session, seq),
    kind: line.kind as Document['kind'],
    role: roleOf(line.kind) ?? 'unknown',
    tool: line.tool ?? null,
    input: line.kind === 'tool_call' ? line.text : null,
    text: text.slice(offset, offset + length),
    offset,
    length: text.length,
    nextOffset: offset + length < text.length ? offset + length : null,
    bytes,
    sha256,
    at,
    durationMs: result?.ranMs ?? null,
    sessionId: session.row.id,
    seq,
    resultSeq: answer?.seq ?? null,
    place:
      project === null
        ? null
        : { project: project.name, path: worktree?.path ?? '', branch: worktree?.branch ?? null },
    masked: (line.masked ?? false) || (result?.masked ?? false),
    confirmed: seq % 17 !== 0,
    media: line.image === true ? [{ hash: PICTURE, mime: 'image/png', bytes: PIXELS.length }] : [],
    ...changesOf(session, seq),
    sessions: {
      total: seq === 5 ? 2 : 1,
      items: [
        { sessionId: session.row.id, title: session.row.title, seq },
        ...(seq === 5
          ? [{ sessionId: fixedId(1003), title: 'Write a migration for split invoices', seq: 1 }]
          : []),
      ],
    },
    previous: neighbour(session, seq, -1),
    next: neighbour(session, seq, 1),
  };
}

/** What came of the file that a document shows: its newest change, and the newest read behind that. */
function changesOf(session: FakeSession, seq: number): Pick<Document, 'changed' | 'fresh'> {
  const { line } = session.lines.at(seq);
  const path = inputOf(line, 'file_path');
  if (path === null || line.tool !== 'Read' || session.lines.count > 1000) return {};
  const later = Array.from({ length: session.lines.count - seq }, (_, at) => seq + at + 1).filter(
    (at) => inputOf(session.lines.at(at).line, 'file_path') === path,
  );
  const changed = later.findLast((at) => session.lines.at(at).line.tool !== 'Read');
  if (changed === undefined) return {};
  const fresh = later.findLast((at) => at > changed);
  const mention = (at: number) => ({ docid: docidOf(session, at), at: session.lines.at(at).at });
  return {
    changed: { ...mention(changed), path, kind: 'edit' },
    ...(fresh === undefined ? {} : { fresh: mention(fresh) }),
  };
}

function neighbour(session: FakeSession, seq: number, step: 1 | -1): Document['next'] {
  for (let at = seq + step; at > 0 && at <= session.lines.count; at += step) {
    const { kind } = session.lines.at(at).line;
    if (roleOf(kind) !== null && callOf(session, at) === at) return { docid: docidOf(session, at), seq: at };
  }
  return null;
}

/** A text of a call's input; null where it has none of this name. */
export function inputOf(line: Line, name: string): string | null {
  if (line.kind !== 'tool_call' || line.text.length > 10_000) return null;
  const value = (JSON.parse(line.text) as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : null;
}
