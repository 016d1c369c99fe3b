import { randomBytes } from 'node:crypto';

/** The source of unpredictable bytes. Code that needs randomness takes one; only the process entry passes the host's. */
export type RandomBytes = (size: number) => Uint8Array;

/** The host's own cryptographic randomness. */
export const systemRandom: RandomBytes = (size) => randomBytes(size);
