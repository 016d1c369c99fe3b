import type { ArchiveReader, DocId, RequestRow, RequestView } from '../../../server/archive/types.ts';
import type { Uuid } from '../../../server/kernel/ids.ts';
import { PICTURE, PIXELS } from './picture.ts';
import { fakeSearch } from './search.ts';
import { docidOf, documentOf, type FakeSession, logRow } from './sessions.ts';

/** The pattern of SQL's LIKE, sought anywhere. */
function likePattern(like: string): RegExp {
  const source = like
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/%/g, '.*')
    .replace(/_/g, '.');
  return new RegExp(source, 'is');
}

/** An archive in memory that can grow and forget, as the console's harness needs it. */
export function fakeReader(
  sessions: FakeSession[],
  viewOf: (row: RequestRow) => RequestView | null,
): ArchiveReader {
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
    search: async (_account, filter) => fakeSearch(sessions, filter),
    async listSessions(_account, filter) {
      const fitting = sessions
        .map((session) => session.row)
        .filter((row) => filter.agent === undefined || row.agent === filter.agent)
        .filter((row) => filter.projectId === undefined || row.project?.id === filter.projectId)
        .filter(
          (row) => filter.text === undefined || row.title.toLowerCase().includes(filter.text.toLowerCase()),
        )
        .filter((row) => filter.from === undefined || row.lastSeenAt >= filter.from)
        .filter((row) => filter.to === undefined || row.lastSeenAt < filter.to)
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
    async readBytes(_account, docid, part) {
      const place = locate(docid);
      if (place === null) return { missing: true };
      const { docid: whole, text } = documentOf(place.session, place.seq, 0, 1e9);
      const bytes = Buffer.from(text);
      const found = bytes.subarray(part.offset, part.offset + part.length);
      return { found: { docid: whole, bytes: found, total: bytes.length } };
    },
    async findMatches(_account, id, filter) {
      const session = find(id);
      const items: { seq: number; docid: DocId | null; count: number }[] = [];
      for (let seq = (filter.after ?? 0) + 1; session !== null && seq <= session.lines.count; seq += 1) {
        const parts = session.lines.at(seq).line.text.toLowerCase().split(filter.text.toLowerCase());
        const { docid } = logRow(session, seq, 0);
        if (parts.length > 1) items.push({ seq, docid, count: parts.length - 1 });
      }
      const total = items.reduce((sum, one) => sum + one.count, 0);
      return { total, matched: items.length, items: items.slice(0, filter.limit) };
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
    async getRequest(_account, id) {
      const row = sessions.flatMap((one) => one.requests).find((one) => one.id === id);
      return row === undefined ? null : { ...row, view: viewOf(row) };
    },
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
