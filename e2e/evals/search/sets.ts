/** Seed of the part on which the ranking may be tuned. */
export const TUNING = 20_261_130;
/** Seed of the part that is only looked at. */
export const HELD_OUT = 77_031_999;

/** Sessions, turns in each, and questions of each class, of one part. */
export const SIZE = { sessions: 30, turns: 40, perClass: 22 } as const;

/** The share that the test command runs. */
export const SMALL = { sessions: 12, turns: 20, perClass: 6 } as const;
