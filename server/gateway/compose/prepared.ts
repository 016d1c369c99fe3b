import type { Uuid } from '../../kernel/ids.ts';
import type { LayoutReason, RecallSettings, ThreadName } from '../../recall/index.ts';
import type { TappedRequest } from '../tap.ts';
import type { AnswerHandler, UpstreamCall, UpstreamRequest, Upstreams } from '../upstream.ts';
import type { SeenByModel } from './seen.ts';

/** What puts requests together before they go out. */
export interface Composer {
  /**
   * Prepares a request. Null: it is none that may be changed, and goes at once as it came. The promise never rejects and
   * is there within the deadline.
   */
  prepare(request: TappedRequest, upstream: UpstreamRequest): Promise<Prepared> | null;
  /** The layout that a thread would get if one were made at its newest request; null: there is none to be made. */
  preview(accountId: Uuid, thread: ThreadName): Promise<PreviewedLayout | null>;
  /** Wishes the layout in force away: at the thread's next request the one before takes its place. */
  undo(accountId: Uuid, thread: ThreadName): Promise<UndoWish>;
  /** What failed often lately, in a sentence for a person; null: nothing did. */
  trouble(): string | null;
  /** What a person switched is to be read anew. */
  switched(): void;
  /** Forgets what is remembered: something that it stands on was deleted. */
  forget(): void;
}

/** A layout that could be made. Estimates, in tokens. */
export interface PreviewedLayout {
  readonly model: string;
  /** The prompt under the layout in force (or none), and under the new one. */
  readonly tokensNow: number;
  readonly tokensThen: number;
  /** What must not be passed; null: the model's window is not known. */
  readonly limit: number | null;
  readonly indexTokens: number;
  /** Elements that would leave the view, and the oldest message that stays (hex). */
  readonly leaves: number;
  readonly boundary: string;
  readonly cacheMark: '5m' | '1h' | null;
  /** What would make it at the next request, if nothing else changed; null: nothing is due. */
  readonly due: LayoutReason | null;
  readonly settings: RecallSettings;
}

/** What becomes of a wish to take a layout back. */
export type UndoWish =
  | { readonly undone: true }
  | { readonly undone: false; readonly why: 'nothing' | 'unknown_state' | 'busy' }
  | { readonly undone: false; readonly why: 'over_limit'; readonly tokens: number; readonly limit: number };

/** A request that is ready to go. */
export interface Prepared {
  /** For the console; null: nothing was to be changed. */
  readonly seen: SeenByModel | null;
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
