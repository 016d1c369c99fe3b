/** What is known of how a provider counts one thread's prompts for one model. */
export interface Calibration {
  /** Tokens by the provider's count for each estimated one; always within {@link LEAST} and {@link MOST}. */
  readonly factor: number;
  /** Estimated tokens that the factor rests on, at most {@link MEMORY}. */
  readonly weight: number;
}

/** An estimate and the provider's own count of the same bytes, as of a whole prompt or of what was new in it. */
export interface Observation {
  readonly estimated: number;
  readonly counted: number;
}

/** Bounds of a factor: well outside of what the starts are. */
const LEAST = 0.4;
const MOST = 2;
/** What a start counts for, in estimated tokens: the first large observation outweighs it. */
const START_WEIGHT = 1_000;
/** Older observations count less once more than this was seen, so that a factor follows what a thread turns to. */
const MEMORY = 200_000;
/** Below this an observation is mostly what the provider adds by itself to each message. */
const SMALLEST = 500;
/** How far a single observation may move a factor, up or down, whatever it says. */
const STEP = 2;

/**
 * A model's starting factor. Estimates are in the measure of Claude 4.7 and later (about 2.5 characters a token); earlier
 * Claude models take about 3.4, OpenAI's about 4. A model that nobody knows is counted like the dearest.
 */
export function startingCalibration(model: string): Calibration {
  return { factor: startingFactor(model), weight: START_WEIGHT };
}

function startingFactor(model: string): number {
  if (/^(?:gpt-|o[1-9]|codex-)/.test(model)) return 2.5 / 4;
  return OLDER_CLAUDE.test(model) ? 2.5 / 3.4 : 1;
}

/** Claude up to 4.6: `claude-3-5-sonnet-…`, `claude-opus-4-6`, `claude-sonnet-4-20250514`. */
const OLDER_CLAUDE = /^claude-(?:[123](?:[.-]|$)|instant|[a-z]+-(?:3|4(?:$|-[0-6](?:$|-)|-\d{8})))/;

/**
 * The calibration with an observation more: a mean weighted by size, in which no single observation counts for more than
 * twice or half of what the factor was, and the factor stays within its bounds. An observation that is too small, or no
 * count, changes nothing.
 */
export function calibrated(state: Calibration, { estimated, counted }: Observation): Calibration {
  if (!(estimated >= SMALLEST && counted > 0) || !Number.isFinite(estimated + counted)) return state;
  const ratio = within(counted / estimated, state.factor / STEP, state.factor * STEP);
  const weight = Math.min(estimated, MEMORY);
  const kept = Math.min(state.weight, MEMORY - weight / 2);
  const factor = (state.factor * kept + ratio * weight) / (kept + weight);
  return { factor: within(factor, LEAST, MOST), weight: Math.min(MEMORY, kept + weight) };
}

function within(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
