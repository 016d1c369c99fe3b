import type { ArchiveWriter, MaskedItem, MessageHash } from '../../archive/index.ts';
import { hexOf, type Identity, type ResolvedChain } from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';

/** Messages from the end of a chain that are looked at for an answer. */
const LOOK_BACK = 50;

const FOREIGN = 'the request names no session, and goes on from answers that the archive does not hold';
const MOVED =
  'the request names no session: it may be a rewind or a copy of the conversation that it was put to';

/** True for a turn of an agent that names no session: it is placed by its history. */
export function isPlacedByHistory({ agent, clientSessionId, kind }: Identity): boolean {
  return agent === 'pi' && clientSessionId === null && kind === 'main';
}

/**
 * Names the session of a request by its history. It belongs to the session in which the newest message that is known of
 * its chain stands. A request without any answer in it is that session's again only as long as none was given there and
 * none is on its way: else it is the first of a new session, which is named by the request's own id.
 */
export async function identityByHistory(
  writer: Pick<ArchiveWriter, 'sessionOfChain' | 'holdsAnswer'>,
  request: {
    readonly accountId: Uuid;
    readonly id: Uuid;
    readonly identity: Identity;
    readonly chain: ResolvedChain<MaskedItem>;
    readonly root: MessageHash;
    /** True if an answer to a request of that thread whose chain ends at that message is on its way. */
    readonly isAwaited: (threadId: Uuid, message: MessageHash) => boolean;
  },
): Promise<Identity> {
  const { accountId, id, identity, chain, root } = request;
  const added = new Set(chain.added.map((one) => hexOf(one.hash)));
  const known = chain.positions.filter((one) => !added.has(hexOf(one)) && hexOf(one) !== hexOf(root));
  const newest = known.at(-1) ?? null;
  const found = await writer.sessionOfChain(accountId, identity.agent, { newest, calls: callsOf(chain) });
  const answered =
    chain.added.some((one) => one.message.role === 'assistant') ||
    (await writer.holdsAnswer(accountId, known.slice(-LOOK_BACK)));
  const named = (clientSessionId: string, uncertain: string | null): Identity => ({
    ...identity,
    clientSessionId,
    uncertain,
  });
  if (found === null) return named(id, answered ? FOREIGN : null);
  if (answered) return named(found.clientSessionId, found.atHead || newest === null ? null : MOVED);
  const isAgain = found.atHead && newest !== null && !request.isAwaited(found.threadId, newest);
  return named(isAgain ? found.clientSessionId : id, null);
}

/** The ids of the tool calls of what is new in a chain. */
function callsOf(chain: ResolvedChain<MaskedItem>): readonly string[] {
  return chain.added.flatMap((one) =>
    one.message.items.flatMap((item) => (item.kind === 'tool_call' && item.tool ? [item.tool.callId] : [])),
  );
}
