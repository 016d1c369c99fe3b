import { createHash } from 'node:crypto';
import type { RecallActs, SwitchKeeper } from '../../../server/api/index.ts';
import type { RequestRow, RequestView, SeenRun } from '../../../server/archive/types.ts';
import type { ItemKind } from '../../../server/conversation/index.ts';
import type { Millis } from '../../../server/kernel/clock.ts';
import type { Uuid } from '../../../server/kernel/ids.ts';
import type { LayoutPreview, UndoResult } from '../../../server/recall/index.ts';
import {
  type ChainMessage,
  DEFAULT_RECALL,
  INHERITED,
  type LayoutDetail,
  type RecallReader,
  type SetSwitches,
} from '../../../server/recall/index.ts';
import { roleOf } from './conversation.ts';
import { docidOf, type FakeSession, fixedId } from './sessions.ts';

/** Recall over the fake archive: the first session has layouts, a session of 100,000 messages has one. */
export interface FakeRecall {
  readonly layouts: RecallReader;
  readonly switches: SwitchKeeper;
  readonly recall: RecallActs;
  viewOf(row: RequestRow): RequestView | null;
  /** From now on so many requests of the last minutes have failed. */
  fail(count: number): void;
}

const HIDDEN = fixedId(777_001);

function hashOf(session: FakeSession, seq: number): string {
  return createHash('sha256').update(`message ${session.row.id} ${seq}`).digest('hex');
}

/** Positions of the main line's messages, oldest first. */
function messagesOf(session: FakeSession): readonly number[] {
  const seqs = Array.from({ length: session.lines.count }, (_, at) => at + 1);
  if (session.lines.count > 1000) return seqs;
  return seqs.filter((seq) => {
    const { line } = session.lines.at(seq);
    return line.thread === undefined && roleOf(line.kind) !== null;
  });
}

/** Makes it. */
export function fakeRecall(sessions: readonly FakeSession[]): FakeRecall {
  let failures = 0;
  const undone = new Set<string>();
  /** Messages that a chain was asked for with, by their hashes. */
  const places = new Map<string, { readonly session: FakeSession; readonly seq: number }>();
  const placeOf = (row: RequestRow) => {
    const session = sessions.find((one) => one.row.id === row.sessionId);
    return session === undefined ? null : { session, back: session.requests.indexOf(row) };
  };
  const requestOf = (id: string) =>
    sessions.flatMap((one) => one.requests).find((row) => row.id === id) ?? null;
  const chainOf = (
    row: RequestRow,
  ): { readonly session: FakeSession; readonly seqs: readonly number[] } | null => {
    const place = placeOf(row);
    if (place === null || row.kind === 'title') return null;
    const seqs = messagesOf(place.session);
    return { session: place.session, seqs: seqs.slice(0, Math.max(1, seqs.length - place.back * 2)) };
  };
  const viewOf = (row: RequestRow) => {
    const chain = chainOf(row);
    const place = placeOf(row);
    if (chain === null || place === null) return null;
    return viewAt(chain.session, chain.seqs, place.back);
  };
  const details = (session: FakeSession) =>
    hasLayouts(session) ? detailsOf(session).filter(({ message }) => !undone.has(message)) : [];
  const layouts: RecallReader = {
    layouts: async (_account, id) => {
      const session = sessions.find((one) => one.row.id === id);
      return session === undefined ? [] : details(session);
    },
    layout: async (_account, id, message) => {
      const session = sessions.find((one) => one.row.id === id);
      return session === undefined ? null : (details(session).find((one) => one.message === message) ?? null);
    },
    chain: async (_account, id) => {
      const row = requestOf(id);
      const chain = row === null ? null : chainOf(row);
      if (chain === null) return [];
      const made = chain.seqs.map((seq) => chainMessage(chain.session, seq));
      for (const [at, { hash }] of made.entries())
        places.set(hash, { session: chain.session, seq: chain.seqs[at] ?? 1 });
      return made;
    },
    messages: async (_account, hashes, clip) =>
      hashes.flatMap((hash) => {
        const place = places.get(hash);
        return place === undefined ? [] : [shownMessage(place.session, place.seq, clip)];
      }),
    hiddenRound: async (_account, record) =>
      record === HIDDEN
        ? [
            {
              input: '{"q":"refund window quota"}',
              result:
                '2 of 9 places, best first.\n\n1. context-mode-msg-3f2a9c0b1d4e5f60 (typed, 10:02)\nThe refund window should be 30 days for team accounts.',
            },
          ]
        : null,
    marks: async (_account, ids) =>
      new Map(
        ids.flatMap((id) => {
          const row = requestOf(id);
          const view = row === null ? null : viewOf(row);
          if (view === null) return [];
          const unedited = view.unedited?.reason ?? null;
          return [[id, { edited: view.runs.length > 0, made: view.made, unedited }] as const];
        }),
      ),
    failures: async (_account, since) => ({
      count: failures,
      newest:
        failures === 0
          ? null
          : {
              requestId: fixedId(100_006),
              at: (since + 1000) as Millis,
              reason: 'deadline',
              detail: 'The archive did not answer within 300 ms.',
            },
    }),
  };
  return {
    layouts,
    switches: fakeSwitches(sessions),
    recall: fakeActs(sessions, undone),
    viewOf,
    fail(count) {
      failures = count;
    },
  };
}

function hasLayouts(session: FakeSession): boolean {
  return session.row.id === fixedId(1000) || session.lines.count > 1000;
}

function chainMessage(session: FakeSession, seq: number): ChainMessage {
  return {
    hash: hashOf(session, seq),
    items: 1,
    bytes: session.lines.count > 1000 ? 60 : session.lines.at(seq).line.text.length,
  };
}

function shownMessage(session: FakeSession, seq: number, clip: number) {
  const { line, at } = session.lines.at(seq);
  return {
    hash: hashOf(session, seq),
    role: roleOf(line.kind) ?? ('unknown' as const),
    at,
    items: [
      {
        docid: docidOf(session, seq),
        kind: line.kind as ItemKind,
        tool: line.tool ?? null,
        mainInput: line.mainInput ?? null,
        isError: line.isError ?? false,
        text: line.text.slice(0, clip),
        length: line.text.length,
        masked: line.masked ?? false,
        media: line.image === true ? 1 : 0,
      },
    ],
  };
}

/** What the model saw of the request that lies so many requests back. */
function viewAt(session: FakeSession, seqs: readonly number[], back: number): RequestView {
  const base = {
    layout: null,
    made: null,
    because: 'nothing_due',
    unedited: null,
    runs: [],
    sentBytes: 184_220 + back * 900,
    tokens: { client: 168_400 - back * 700, sent: 168_400 - back * 700, limit: 158_650 },
  } satisfies RequestView;
  if (!hasLayouts(session) || back > 6) return base;
  if (back === 5) return { ...base, because: 'gain_too_small' };
  if (back === 6) {
    const detail = 'The archive did not answer within 300 ms.';
    return { ...base, because: null, unedited: { reason: 'deadline', detail } };
  }
  const layout = detailsOf(session)[0]?.message ?? null;
  return {
    ...base,
    layout,
    made: back === 4 ? 'pause' : null,
    because: back === 4 ? null : 'nothing_due',
    runs: runsOf(session, seqs),
    sentBytes: 61_400,
    tokens: { client: 168_400 - back * 700, sent: 54_200 - back * 700, limit: 158_650 },
  };
}

function runsOf(session: FakeSession, seqs: readonly number[]): readonly SeenRun[] {
  const hash = (at: number) => hashOf(session, seqs[at] ?? 0);
  const cut = Math.floor(seqs.length * 0.6);
  const trim = Math.min(seqs.length - 1, cut + 2);
  return [
    { is: 'ours', what: 'tool', bytes: 1204, record: null },
    { is: 'ours', what: 'head', bytes: 18_220, record: null },
    { is: 'ours', what: 'index', bytes: 9120, record: null },
    { is: 'left_out', first: hash(0), last: hash(cut - 1) },
    { is: 'kept', first: hash(cut), last: hash(trim - 1) },
    { is: 'changed', message: hash(trim), what: 'trimmed' },
    { is: 'ours', what: 'hidden_round', bytes: 812, record: HIDDEN },
    ...(trim + 1 < seqs.length
      ? [{ is: 'kept', first: hash(trim + 1), last: hash(seqs.length - 1) } as const]
      : []),
  ];
}

/** Two generations: a layout after a pause, and before it one at the window. */
function detailsOf(session: FakeSession): readonly LayoutDetail[] {
  const { lastSeenAt } = session.row;
  const seqs = messagesOf(session);
  const boundary = seqs[Math.floor(seqs.length * 0.6)] ?? 1;
  const content = {
    boundary: hashOf(session, boundary),
    boundarySeq: boundary,
    indexTokens: 2_310,
    hasMemory: false,
    settings: DEFAULT_RECALL,
    renderer: 1,
  };
  const choices = { tool: 1, trimming: 1 };
  return [
    {
      message: hashOf(session, 900_002),
      thread: 'main',
      reason: 'pause',
      at: (lastSeenAt - 188_000) as Millis,
      tokensBefore: 165_600,
      tokensAfter: 51_400,
      content,
      choices,
      index: indexOf(session),
      masked: 1,
      memory: null,
      left: Math.floor(seqs.length * 0.6),
    },
    {
      message: hashOf(session, 900_001),
      thread: 'main',
      reason: 'window',
      at: (lastSeenAt - 9_000_000) as Millis,
      tokensBefore: 159_100,
      tokensAfter: 96_000,
      content: { ...content, boundarySeq: seqs[4] ?? 1, indexTokens: 900 },
      choices,
      index: indexOf(session).split('\n').slice(0, 4).join('\n'),
      masked: 0,
      memory: null,
      left: 4,
    },
  ];
}

function indexOf(session: FakeSession): string {
  return [
    '[Context Mode, generated by rules: the older part of this conversation, which has left the view.]',
    `2026-11-30 10:02 user: ${session.lines.at(1).line.text}`,
    '→ Grep "refundWindowDays" (context-mode-msg-3f2a9c0b1d4e5f60)',
    '→ Read src/refund.ts (context-mode-msg-9b1c22d0aa3e41f7)',
    '← assistant: The window is one constant for every plan. (context-mode-msg-5c77a0d2be914c08)',
    '[41 items are stored. Read them back with the tool context-mode-search.]',
  ].join('\n');
}

function fakeSwitches(sessions: readonly FakeSession[]): SwitchKeeper {
  const said = new Map<string, SetSwitches>();
  const isThere = (account: Uuid, scope: Uuid) =>
    scope === account || sessions.some(({ row }) => row.id === scope || row.project?.id === scope);
  return {
    read: async (_account, scope) => said.get(scope) ?? INHERITED,
    async write(account, scope, switches) {
      if (!isThere(account, scope)) return false;
      said.set(scope, switches);
      return true;
    },
  };
}

function fakeActs(sessions: readonly FakeSession[], undone: Set<string>): RecallActs {
  return {
    async preview(id): Promise<LayoutPreview | null> {
      const session = sessions.find((one) => one.row.id === id);
      if (session === undefined || !hasLayouts(session)) return null;
      return {
        model: 'claude-opus-4-8',
        tokensNow: 124_200,
        tokensThen: 51_900,
        limit: 158_650,
        indexTokens: 4_120,
        leaves: 24,
        boundary: hashOf(session, 3),
        cacheMark: '5m',
        due: null,
        settings: DEFAULT_RECALL,
      };
    },
    async undo(id): Promise<UndoResult> {
      const session = sessions.find((one) => one.row.id === id);
      const newest = session === undefined || !hasLayouts(session) ? [] : detailsOf(session);
      const inForce = newest.find(({ message }) => !undone.has(message));
      if (inForce === undefined) return { undone: false, why: 'nothing' };
      if (undone.size > 0) return { undone: false, why: 'over_limit', tokens: 168_400, limit: 158_650 };
      undone.add(inForce.message);
      return { undone: true };
    },
  };
}
