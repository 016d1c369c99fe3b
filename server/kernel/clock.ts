/** A moment in UTC as whole milliseconds since 1970 (what `timestamptz(3)` can hold and give back). */
export type Millis = number & { readonly __unit: 'ms since epoch' };

/** The source of the present moment. Code that needs "now" takes a clock; only the process entry makes one. */
export interface Clock {
  /** The present moment in UTC, whole milliseconds. It may step back if the host's clock does. */
  now(): Millis;
  /** Milliseconds that only ever grow, with fractions, for measuring how long something took. */
  monotonic(): number;
}

/** The host's own clock. */
export const systemClock: Clock = {
  now: () => Date.now() as Millis,
  monotonic: () => performance.now(),
};

/** A clock that stands still until it is moved, for tests and simulations. */
export interface ManualClock extends Clock {
  /** Moves the clock by `ms` (negative values step back, as a host's clock can). */
  advance(ms: number): void;
}

/** Makes a {@link ManualClock} that starts at `start`. */
export function manualClock(start: number): ManualClock {
  let now = start;
  let ticks = 0;
  return {
    now: () => now as Millis,
    monotonic: () => ticks,
    advance(ms) {
      now += ms;
      ticks += Math.max(0, ms);
    },
  };
}
