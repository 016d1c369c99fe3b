/** How much of the newest conversation stays in view, in tokens. */
export const PRESETS = { lean: 60_000, balanced: 150_000, roomy: 300_000 } as const;

/** A preset's name. */
export type Preset = keyof typeof PRESETS;

/** Below this gain, in tokens, no layout is made for a pause or by the cost rule. */
export const DEFAULT_MIN_GAIN = 20_000;

/** The settings that a layout is made under; frozen with it. */
export interface RecallSettings {
  /** A preset, or a number of tokens. */
  readonly keepRecent: Preset | number;
  /** Tokens; null: by the rule of {@link contextLimitOf}. */
  readonly contextLimit: number | null;
  /** Tokens that a layout must take off the prompt to be worth it. */
  readonly minGain: number;
  /** IANA name of the zone in which the index tells times. */
  readonly timeZone: string;
}

/** What holds where nobody set anything. */
export const DEFAULT_RECALL: RecallSettings = {
  keepRecent: 'balanced',
  contextLimit: null,
  minGain: DEFAULT_MIN_GAIN,
  timeZone: 'UTC',
};

/**
 * The prompt that is not to be passed, in tokens: the person's own, else the lower of 0.80 of the largest prompt and 0.95
 * of the point at which the agent compacts. Null under a window that nobody knows.
 */
export function contextLimitOf(
  setting: number | null,
  maxInput: number | null,
  compactsAt: number | null,
): number | null {
  if (setting !== null) return setting;
  const byWindow = maxInput === null ? Number.POSITIVE_INFINITY : Math.floor(maxInput * 0.8);
  const byAgent = compactsAt === null ? Number.POSITIVE_INFINITY : Math.floor(compactsAt * 0.95);
  const limit = Math.min(byWindow, byAgent);
  return Number.isFinite(limit) ? limit : null;
}

/** What a layout may take of a prompt, in tokens. */
export interface Budgets {
  /** The newest part of the conversation. */
  readonly recent: number;
  /** Above this the index folds. */
  readonly index: number;
  /** Above this, folded, the index cuts its oldest typed lines. */
  readonly indexAtMost: number;
}

/**
 * The budgets of a layout.
 * @param fixed tokens of what stands before the recent part whatever it is: system prompt, tools, the agent's own head,
 *   memory block, index
 * @param limit the context limit; null where the window is unknown: then the recent part is bounded by its preset alone,
 *   and the index by what the preset would be under a window of 200,000
 */
export function budgetsOf(settings: RecallSettings, limit: number | null, fixed: number): Budgets {
  const { keepRecent } = settings;
  const wanted = typeof keepRecent === 'number' ? keepRecent : PRESETS[keepRecent];
  const bound = limit ?? UNKNOWN_LIMIT;
  const room = limit === null ? wanted : Math.floor(limit * 0.6) - fixed;
  return {
    recent: Math.max(0, Math.min(wanted, room)),
    index: Math.floor(bound / 4),
    indexAtMost: Math.floor(bound / 2),
  };
}

/** The limit that an unknown window is treated as when an index is bounded: 0.80 of 200,000 tokens. */
const UNKNOWN_LIMIT = 160_000;
