import type { RequestView, SeenRun } from '../archive/types.ts';
import type { ChainMessage } from '../recall/index.ts';

/** A stretch of the client's messages `[from, to)`, counted from the first one, and how much is in it. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly items: number;
  readonly bytes: number;
}

/** A part of what the model saw, in its order, beside the client's messages that it is about. */
export type ViewPart =
  | ({ readonly is: 'kept' | 'left_out' } & Stretch)
  | ({ readonly is: 'changed'; readonly what: ChangedRun['what'] } & Stretch)
  | {
      readonly is: 'ours';
      readonly what: OursRun['what'];
      readonly bytes: number;
      readonly record: string | null;
    }
  /** A stretch whose messages the archive does not hold (any more). */
  | { readonly is: 'missing'; readonly was: 'kept' | 'left_out' | 'changed' };

type ChangedRun = Extract<SeenRun, { is: 'changed' }>;
type OursRun = Extract<SeenRun, { is: 'ours' }>;

/**
 * Lays what the model saw beside the client's messages. Without a view, or with one that tells of no change, all messages
 * are one kept stretch.
 */
export function viewPartsOf(view: RequestView | null, chain: readonly ChainMessage[]): readonly ViewPart[] {
  const runs = view?.runs ?? [];
  if (runs.length === 0)
    return chain.length === 0 ? [] : [{ is: 'kept', ...stretch(chain, 0, chain.length) }];
  const places = new Map(chain.map(({ hash }, at) => [hash, at]));
  return runs.map((run): ViewPart => {
    if (run.is === 'ours') return { is: 'ours', what: run.what, bytes: run.bytes, record: run.record };
    const from = places.get(run.is === 'changed' ? run.message : run.first);
    const last = places.get(run.is === 'changed' ? run.message : run.last);
    if (from === undefined || last === undefined || last < from) return { is: 'missing', was: run.is };
    const range = stretch(chain, from, last + 1);
    return run.is === 'changed' ? { is: 'changed', what: run.what, ...range } : { is: run.is, ...range };
  });
}

function stretch(chain: readonly ChainMessage[], from: number, to: number): Stretch {
  let items = 0;
  let bytes = 0;
  for (const message of chain.slice(from, to)) {
    items += message.items;
    bytes += message.bytes;
  }
  return { from, to, items, bytes };
}
