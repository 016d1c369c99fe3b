import type { Uuid } from '../../kernel/ids.ts';
import type { LayoutPreview, ThreadName, UndoResult } from '../../recall/index.ts';
import type { Bookkeeping } from '../booking/bookkeeping.ts';
import type { TappedRequest } from '../tap.ts';
import type { AnswerHandler, UpstreamCall, UpstreamRequest, Upstreams } from '../upstream.ts';
import type { SeenByModel, SentForms } from './seen.ts';

/** What puts requests together before they go out. */
export interface Composer {
  /**
   * Prepares a request. Null: it is none that may be changed, and goes at once as it came. The promise never rejects and
   * is there within the deadline.
   */
  prepare(request: TappedRequest, upstream: UpstreamRequest): Promise<Prepared> | null;
  /** The layout that a thread would get if one were made at its newest request; null: there is none to be made. */
  preview(accountId: Uuid, thread: ThreadName): Promise<LayoutPreview | null>;
  /** Wishes the layout in force away: at the thread's next request the one before takes its place. */
  undo(accountId: Uuid, thread: ThreadName): Promise<UndoResult>;
  /** What failed often lately, in a sentence for a person; null: nothing did. */
  trouble(): string | null;
  /** What a person switched is to be read anew. */
  switched(): void;
  /** Forgets what is remembered: something that it stands on was deleted. */
  forget(): void;
}

/** A request that is ready to go. */
export interface Prepared {
  /** For the console; null: nothing was to be changed. */
  readonly seen: SeenByModel | null;
  /** What the ledger is told once the answer has ended; left out: what went out is what came. */
  readonly book?: Bookkeeping;
  /** What went out once the first form was refused; left out: there is one form alone. */
  readonly forms?: SentForms;
  /** The session that it was found to belong to, where its agent names none and its history does not tell it. */
  readonly session?: string;
  send(upstreams: Pick<Upstreams, 'send'>, handler: AnswerHandler): UpstreamCall;
}

/** A request as its client sent it. */
export function asItCame(upstream: UpstreamRequest, unedited: SeenByModel['unedited'] = null): Prepared {
  return {
    seen: unedited === null ? null : unseenBecause(upstream.body.byteLength, unedited),
    send: (upstreams, handler) => upstreams.send(upstream, handler),
  };
}

/** A view of the client's own bytes, and why they are. */
function unseenBecause(bytes: number, unedited: NonNullable<SeenByModel['unedited']>): SeenByModel {
  const tokens = { client: 0, sent: 0, limit: null };
  return { layout: null, made: null, because: null, unedited, runs: [], sentBytes: bytes, tokens };
}
