import type { Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { answerConsoleLink } from './console-door.ts';
import type { ConsoleProof } from './console-proof.ts';
import type { Asking, Guard } from './guard.ts';
import { incomingNow } from './incoming.ts';
import { type Refusal, type RefusalCause, refusal } from './refuse.ts';

/** Why a request that is for no door (a page, the API, health) is refused, or null: there the guard has the last word. */
export async function refusalElsewhere(guard: Guard, request: Asking): Promise<RefusalCause | null> {
  const foreign = guard.foreign(request);
  if (foreign !== null)
    return { code: 'forbidden', reason: foreign, message: 'This address answers its own machine only.' };
  const owned = guard.owned(request);
  if (typeof owned === 'boolean' ? owned : await owned) return null;
  return guard.keyNeeded ? KEY_NEEDED : NOT_OWNER;
}

/**
 * The same for a framework's handler of the request that the running code answers. A request that nobody watched
 * (see `watchIncoming`) is nobody's, and refused.
 */
export async function webRefusalElsewhere(guard: Guard, clock: Clock): Promise<Response | null> {
  const cause = await refusalElsewhere(guard, incomingNow() ?? NOBODY);
  return cause === null ? null : webAnswer(refusal(null, newId(clock), cause));
}

/** Answers a console link for a framework's handler; what is no good link is refused as everything else is. */
export async function webConsoleLink(guard: Guard, proof: ConsoleProof, clock: Clock): Promise<Response> {
  const incoming = incomingNow();
  const asking = { ...(incoming ?? { ...NOBODY, target: '' }), method: incoming?.response.req.method ?? '' };
  const answer = answerConsoleLink(guard, proof, asking);
  if (answer !== null) return webAnswer(answer);
  return (await webRefusalElsewhere(guard, clock)) ?? webAnswer(refusal(null, newId(clock), NOTHING_HERE));
}

function webAnswer({ status, headers, body }: Refusal): Response {
  const pairs = headers.flatMap((name, at): [string, string][] =>
    at % 2 === 0 ? [[name, headers[at + 1] ?? '']] : [],
  );
  return new Response(new Uint8Array(body), { status, headers: pairs });
}

/** A request that nobody watched. */
const NOBODY: Asking = { rawHeaders: [], socket: null };

const NOT_OWNER: RefusalCause = {
  code: 'forbidden',
  reason: 'not_owner',
  message: 'This gateway belongs to another user of this machine.',
};

const KEY_NEEDED: RefusalCause = {
  code: 'forbidden',
  reason: 'local_key',
  message:
    'This gateway answers its owner only. A browser is let in by a link that "npx @context-mode/cli open" prints; ' +
    'a script sends the key in the file local.key of the data folder as x-context-mode-key.',
};

const NOTHING_HERE: RefusalCause = {
  code: 'not_found',
  reason: 'no_page',
  message: 'Nothing answers at this path.',
};
