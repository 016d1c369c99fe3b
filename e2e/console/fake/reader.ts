import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type {
  ArchiveReader,
  DocId,
  Document,
  LogRow,
  RequestRow,
  SessionRow,
} from '../../../server/archive/types.ts';
import type { Millis } from '../../../server/kernel/clock.ts';
import { type Uuid, uuidFrom } from '../../../server/kernel/ids.ts';
import { type Line, roleOf } from './conversation.ts';

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

/** A PNG of 320 by 160 pixels: a page with a heading and lines. */
function pictureBytes(): Buffer {
  const [width, height] = [320, 160];
  const rows = Array.from({ length: height }, (_, y) => {
    const row = Buffer.alloc(1 + width * 3, 250);
    row[0] = 0;
    const isLine = y > 20 && (y < 34 || (y % 16 < 5 && y > 48 && y < 140));
    if (isLine) row.fill(y < 34 ? 60 : 170, 1 + 24 * 3, 1 + (y < 34 ? 160 : 280 - (y % 3) * 30) * 3);
    return row;
  });
  const chunk = (name: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crcOf(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** CRC-32 as PNG wants it (Node 20 has none of its own before 20.15). */
function crcOf(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

const PIXELS = pictureBytes();
const PICTURE = createHash('sha256').update(PIXELS).digest('hex');

function docidOf(session: FakeSession, seq: number): DocId {
  const hex = createHash('sha256').update(`${session.row.id} ${seq}`).digest('hex').slice(0, 16);
  return `context-mode-msg-${hex}` as DocId;
}

function logRow(session: FakeSession, seq: number, clip: number): LogRow {
  const { line, at } = session.lines.at(seq);
  const isMark = roleOf(line.kind) === null;
  return {
    seq,
    at,
    kind: line.kind,
    role: roleOf(line.kind),
    thread: line.thread ?? 'main',
    docid: isMark ? null : docidOf(session, callSeq(session, seq)),
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
function callSeq(session: FakeSession, seq: number): number {
  const { line } = session.lines.at(seq);
  if (line.kind !== 'tool_result') return seq;
  for (let at = seq - 1; at > Math.max(0, seq - 40); at -= 1) {
    const other = session.lines.at(at).line;
    if (other.kind === 'tool_call' && other.call === line.call) return at;
  }
  return seq;
}

function resultOf(session: FakeSession, seq: number): Line | null {
  const { line } = session.lines.at(seq);
  for (let at = seq + 1; at <= Math.min(session.lines.count, seq + 40); at += 1) {
    const other = session.lines.at(at).line;
    if (other.kind === 'tool_result' && other.call === line.call) return other;
  }
  return null;
}

function documentOf(session: FakeSession, seq: number, offset: number, length: number): Document {
  const { line, at } = session.lines.at(seq);
  const result = line.kind === 'tool_call' ? resultOf(session, seq) : null;
  const text = line.kind === 'tool_call' ? (result?.text ?? '') : line.text;
  const bytes = Buffer.from(text);
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
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    at,
    durationMs: result?.ranMs ?? null,
    sessionId: session.row.id,
    seq,
    place:
      project === null
        ? null
        : { project: project.name, path: worktree?.path ?? '', branch: worktree?.branch ?? null },
    masked: (line.masked ?? false) || (result?.masked ?? false),
    confirmed: seq % 17 !== 0,
    media: line.image === true ? [{ hash: PICTURE, mime: 'image/png', bytes: PIXELS.length }] : [],
  };
}

/** The pattern of SQL's LIKE, sought anywhere. */
function likePattern(like: string): RegExp {
  const source = like
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/%/g, '.*')
    .replace(/_/g, '.');
  return new RegExp(source, 'is');
}

/** An archive in memory that can grow and forget, as the console's harness needs it. */
export function fakeReader(sessions: FakeSession[]): ArchiveReader {
  const find = (id: string) => sessions.find((session) => session.row.id === id) ?? null;
  const locate = (prefix: string) => {
    for (const session of sessions) {
      for (let seq = 1; seq <= Math.min(session.lines.count, 3000); seq += 1) {
        if (docidOf(session, seq).startsWith(prefix)) return { session, seq };
      }
    }
    return null;
  };
  return {
    async listSessions(_account, filter) {
      const fitting = sessions
        .map((session) => session.row)
        .filter((row) => filter.agent === undefined || row.agent === filter.agent)
        .filter((row) => filter.projectId === undefined || row.project?.id === filter.projectId)
        .filter(
          (row) => filter.text === undefined || row.title.toLowerCase().includes(filter.text.toLowerCase()),
        )
        .filter((row) => filter.from === undefined || row.lastSeenAt >= filter.from)
        .sort((a, b) => b.lastSeenAt - a.lastSeenAt);
      const start = Number(filter.cursor ?? 0);
      const end = start + filter.limit;
      return { items: fitting.slice(start, end), next: end < fitting.length ? `${end}` : null };
    },
    getSession: async (_account, id) => find(id)?.row ?? null,
    async readLog(_account, id, filter) {
      const session = find(id);
      if (session === null) return { matched: 0, showing: 0, rows: [] };
      const from = Math.max(1, (filter.after ?? 0) + 1);
      const to = Math.min(session.lines.count, (filter.before ?? session.lines.count + 1) - 1);
      const pattern = filter.match === undefined ? null : likePattern(filter.match);
      const seqs: number[] = [];
      for (let seq = from; seq <= to; seq += 1) {
        if (pattern === null || pattern.test(session.lines.at(seq).line.text)) seqs.push(seq);
      }
      const shown = seqs.slice(-filter.limit);
      return {
        matched: seqs.length,
        showing: shown.length,
        rows: shown.map((seq) => logRow(session, seq, filter.clip)),
      };
    },
    async readEvent(_account, id, seq) {
      const session = find(id);
      return session === null || seq < 1 || seq > session.lines.count ? null : logRow(session, seq, 1e9);
    },
    async readDocument(_account, docid, part) {
      const place = locate(docid);
      if (place === null) return { missing: true };
      return { found: documentOf(place.session, place.seq, part.offset ?? 0, part.length ?? 1e9) };
    },
    async readRaw(_account, docid) {
      const place = locate(docid);
      return place === null ? null : Buffer.from(documentOf(place.session, place.seq, 0, 1e9).text);
    },
    readBlob: async (_account, hash) => (hash === PICTURE ? { mime: 'image/png', bytes: PIXELS } : null),
    async listRequests(_account, filter) {
      const rows =
        filter.sessionId === undefined
          ? sessions.flatMap((one) => one.requests)
          : (find(filter.sessionId)?.requests ?? []);
      const start = Number(filter.cursor ?? 0);
      const end = start + filter.limit;
      return { items: rows.slice(start, end), next: end < rows.length ? `${end}` : null };
    },
    getRequest: async (_account, id) =>
      sessions.flatMap((one) => one.requests).find((row) => row.id === id) ?? null,
    async listProjects() {
      const projects = new Map<Uuid, { id: Uuid; name: string; sessions: number }>();
      for (const { row } of sessions) {
        if (row.project === null) continue;
        const known = projects.get(row.project.id);
        projects.set(row.project.id, { ...row.project, sessions: (known?.sessions ?? 0) + 1 });
      }
      return [...projects.values()];
    },
    async *exportSession(_account, id) {
      const session = find(id);
      if (session === null) return;
      yield JSON.stringify({ session: session.row });
      for (let seq = 1; seq <= session.lines.count; seq += 1) yield JSON.stringify(logRow(session, seq, 1e9));
    },
    async deleteSession(_account, id) {
      const at = sessions.findIndex((session) => session.row.id === id);
      if (at >= 0) sessions.splice(at, 1);
      return at >= 0;
    },
    async connections() {
      const agents = new Map<string, Awaited<ReturnType<ArchiveReader['connections']>>[number]>();
      for (const { row, requests } of sessions) {
        const known = agents.get(row.agent);
        const newest = known === undefined || row.lastSeenAt > known.lastSeenAt;
        agents.set(row.agent, {
          agent: row.agent,
          agentVersion: row.agentVersion,
          lastSeenAt: newest ? row.lastSeenAt : known.lastSeenAt,
          requests: (known?.requests ?? 0) + row.requests,
          lastStatus: newest ? (requests[0]?.status ?? 200) : known.lastStatus,
          lastError: newest ? (requests[0]?.error ?? null) : known.lastError,
        });
      }
      return [...agents.values()];
    },
  };
}
