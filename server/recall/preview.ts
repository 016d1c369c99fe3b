import type { RecallSettings } from './limits.ts';
import type { LayoutReason } from './moments.ts';

/** The layout that a session's main line would get if one were made at its newest request. Estimates, in tokens. */
export interface LayoutPreview {
  /** The model of the newest request, whose prices count. */
  readonly model: string;
  /** The prompt under the layout in force (or none), and under the new one. */
  readonly tokensNow: number;
  readonly tokensThen: number;
  /** What must not be passed; null: the model's window is not known. */
  readonly limit: number | null;
  readonly indexTokens: number;
  /** Messages that would leave the view, and the oldest one that stays (hex). */
  readonly leaves: number;
  readonly boundary: string;
  /** How long the client asks the provider to keep the prompt in its cache; null: it sets no marks. */
  readonly cacheMark: '5m' | '1h' | null;
  /** What would make it at the next request, if nothing else changed; null: nothing is due. */
  readonly due: LayoutReason | null;
  /** The settings that it would be made under. */
  readonly settings: RecallSettings;
}

/**
 * What became of a wish to take a layout back. Taking it back is a new layout with the older boundary, made at the
 * session's next request. `nothing`: no layout is in force; `over_limit`: the prompt would not fit (`tokens` estimated, and
 * the limit); `unknown_state`: the thread is not known to this process or its archive has a gap; `busy`: the database did
 * not answer in time.
 */
export type UndoResult =
  | { readonly undone: true }
  | { readonly undone: false; readonly why: 'nothing' | 'unknown_state' | 'busy' }
  | { readonly undone: false; readonly why: 'over_limit'; readonly tokens: number; readonly limit: number };
