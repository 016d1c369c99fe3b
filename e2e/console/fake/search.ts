import type { SearchAnswer, SearchFilter, SearchHit } from '../../../server/archive/types.ts';
import { ContextModeError } from '../../../server/kernel/errors.ts';
import { roleOf } from './conversation.ts';
import { callOf, docidOf, type FakeSession, inputOf } from './sessions.ts';

/** What a question asks for, in patterns. */
interface Asked {
  readonly any: readonly RegExp[];
  readonly all: readonly RegExp[];
  readonly none: readonly RegExp[];
}

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const pattern = (text: string) => new RegExp(text, 'giu');

const known = new Map<string, number>();

/** Where a pattern stands first, or -1; remembered for texts so large that looking twice would be felt. */
function placeIn(text: string, one: RegExp): number {
  if (text.length < 100_000) return text.search(one);
  const key = `${one.source} ${text.length}`;
  const found = known.get(key) ?? text.search(one);
  known.set(key, found);
  return found;
}

function askedBy(q: string): Asked {
  const any: RegExp[] = [];
  const all: RegExp[] = [];
  const none: RegExp[] = [];
  for (const [, minus, phrase, word = ''] of q.matchAll(/(-?)(?:"([^"]*)"|([^\s"]+))/gu)) {
    const text = phrase ?? word;
    if (text === '') continue;
    const one = text.endsWith('*')
      ? pattern(`${literal(text.slice(0, -1))}[\\p{L}\\p{N}_]*`)
      : pattern(literal(text));
    if (minus === '-') none.push(one);
    else if (phrase !== undefined || text.endsWith('*')) all.push(one);
    else any.push(one);
  }
  if (any.length + all.length > 0) return { any, all, none };
  throw new ContextModeError('bad_request', 'This search has nothing to look for.', {
    hint: 'Name at least one word that must be there; -word alone only takes away.',
  });
}

/** Looks through everything, line by line: simple, slow, and in the shape of the real thing. */
export function fakeSearch(sessions: readonly FakeSession[], filter: SearchFilter): SearchAnswer {
  const asked = askedBy(filter.q);
  const hits = sessions
    .filter(({ row }) => filter.sessionId === undefined || row.id === filter.sessionId)
    .filter(({ row }) => filter.projectId === undefined || row.project?.id === filter.projectId)
    .flatMap((session) => hitsIn(session, asked, filter))
    .sort((a, b) => b.score - a.score || b.at - a.at);
  const start = Number(filter.cursor ?? 0);
  const end = start + filter.limit;
  return {
    items: hits.slice(start, end),
    next: end < hits.length ? `${end}` : null,
    notes: /\bthe\b/i.test(filter.q)
      ? ['“the” stands in more than one text of twenty: of its places the newest 20,000 were ranked.']
      : [],
  };
}

function hitsIn(session: FakeSession, asked: Asked, filter: SearchFilter): SearchHit[] {
  const hits: SearchHit[] = [];
  for (let seq = 1; seq <= Math.min(session.lines.count, 3000); seq += 1) {
    const { line, at } = session.lines.at(seq);
    const role = roleOf(line.kind);
    if (role === null) continue;
    const call = callOf(session, seq);
    const lead = session.lines.at(call).line;
    const kind = line.kind as SearchHit['kind'];
    const path = inputOf(lead, 'file_path') ?? inputOf(lead, 'path');
    const fits =
      (filter.kinds === undefined || filter.kinds.includes(kind)) &&
      (filter.role === undefined || filter.role === role) &&
      (filter.thread === undefined || filter.thread === (line.thread ?? 'main')) &&
      (filter.tool === undefined || filter.tool === lead.tool) &&
      (filter.path === undefined || (path ?? '').endsWith(filter.path)) &&
      (filter.from === undefined || at >= filter.from) &&
      (filter.to === undefined || at < filter.to);
    if (!fits || asked.none.some((one) => placeIn(line.text, one) >= 0)) continue;
    if (asked.all.some((one) => placeIn(line.text, one) < 0)) continue;
    const found = [...asked.all, ...asked.any].filter((one) => placeIn(line.text, one) >= 0);
    if (found.length === 0) continue;
    const first = Math.min(...found.map((one) => placeIn(line.text, one)));
    hits.push({
      docid: docidOf(session, call),
      sessionId: session.row.id,
      seq: call,
      sessionTitle: session.row.title,
      project: session.row.project,
      thread: line.thread ?? 'main',
      kind,
      role,
      tool: lead.tool ?? null,
      path,
      at,
      offset: first - (line.text.slice(0, first).match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0),
      snippet: snippetOf(line.text, first, found),
      score: found.length,
    });
  }
  return hits;
}

function snippetOf(text: string, first: number, patterns: readonly RegExp[]): SearchHit['snippet'] {
  const from = Math.max(0, first - 90);
  const shown = text.slice(from, from + 300);
  const marks = patterns
    .flatMap((one) => [...shown.matchAll(one)])
    .map((match) => [match.index, match.index + match[0].length] as const)
    .sort(([a], [b]) => a - b)
    .filter(([start], at, all) => at === 0 || start >= (all[at - 1]?.[1] ?? 0));
  return { text: shown, marks };
}
