import { fieldNamed, isSideRequest, type Scan } from '../../conversation/index.ts';
import type { ThreadName } from '../../recall/index.ts';
import type { ProtocolAdapter, ReadRequest } from '../adapter.ts';

/** The thread of a request that may be changed; null: it may not. */
export function threadOf(
  adapter: ProtocolAdapter,
  { identity, scan }: ReadRequest,
  body: Buffer,
): ThreadName | null {
  const { kind, clientSessionId, clientThreadId, agent, uncertain } = identity;
  const carriesHistory =
    !isSideRequest(kind) || kind === 'suggestion' || kind === 'compaction' || kind === 'count';
  if (!carriesHistory || clientSessionId === null || uncertain !== null) return null;
  if (adapter.protocol === 'openai' && !saysNotToStore(scan, body)) return null;
  return { agent, session: clientSessionId, thread: clientThreadId ?? '' };
}

/** Whether a Responses request says that the provider keeps nothing of it. */
function saysNotToStore(scan: Scan, body: Buffer): boolean {
  const store = fieldNamed(scan, 'store');
  return store !== null && body.toString('latin1', store.value.start, store.value.end) === 'false';
}
