import { decodeBody } from '../decode.ts';
import { createGate } from '../record/gate.ts';
import type { Deadline } from './types.ts';

/** Most bytes that a request's body may unfold to. */
const BODY_LIMIT = 33 * 1024 * 1024;
/** A body that unfolds to more than so many times its size is no conversation: it goes as it came. */
const UNFOLDS_TIMES = 100;
/** Bodies that are unfolded at once, and how far; what unfolds to more waits for its turn, one after another. */
const UNFOLDED_AT_ONCE = 2;
const UNFOLDED_BYTES = 6 * 1024 * 1024;

/** Unfolds a request's body; null where it cannot be. Each may take its limit before it is known for what it is. */
export type Unfolder = (body: Uint8Array, encoding: string, deadline: Deadline) => Promise<Uint8Array | null>;

/** Makes what unfolds the bodies of a process, few at once. */
export function createUnfolder(): Unfolder {
  const few = createGate(UNFOLDED_AT_ONCE);
  const one = createGate(1);
  return async (body, encoding, deadline) => {
    if (encoding === '') return decodeBody(body, encoding, { limit: BODY_LIMIT });
    const upTo = async (limit: number) => (deadline.isOver ? null : decodeBody(body, encoding, { limit }));
    return (
      (await few(() => upTo(UNFOLDED_BYTES))) ??
      (await one(() => upTo(Math.min(BODY_LIMIT, UNFOLDS_TIMES * body.byteLength))))
    );
  };
}
