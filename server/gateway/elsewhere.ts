import type { Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { Asking, Guard } from './guard.ts';
import { incomingNow } from './incoming.ts';
import { type RefusalCause, refusal } from './refuse.ts';

/** Why a request that is for no door (a page, the API, health) is refused, or null: there the guard has the last word. */
export async function refusalElsewhere(guard: Guard, request: Asking): Promise<RefusalCause | null> {
  const foreign = guard.foreign(request);
  if (foreign !== null)
    return { code: 'forbidden', reason: foreign, message: 'This address answers its own machine only.' };
  const owned = guard.owned(request);
  return (typeof owned === 'boolean' ? owned : await owned) ? null : NOT_OWNER;
}

/**
 * The same for a framework's handler of the request that the running code answers. A request that nobody watched
 * (see `watchIncoming`) is nobody's, and refused.
 */
export async function webRefusalElsewhere(guard: Guard, clock: Clock): Promise<Response | null> {
  const cause = await refusalElsewhere(guard, incomingNow() ?? { rawHeaders: [], socket: null });
  if (cause === null) return null;
  const { status, headers, body } = refusal(null, newId(clock), cause);
  const pairs = headers.flatMap((name, at): [string, string][] =>
    at % 2 === 0 ? [[name, headers[at + 1] ?? '']] : [],
  );
  return new Response(new Uint8Array(body), { status, headers: pairs });
}

const NOT_OWNER: RefusalCause = {
  code: 'forbidden',
  reason: 'not_owner',
  message: 'This gateway belongs to another user of this machine.',
};
