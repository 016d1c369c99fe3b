import type { RequestRecord } from '../../archive/index.ts';
import { type Identity, isSideRequest, sideThread } from '../../conversation/index.ts';
import type { ReadRequest, RequestHead } from '../adapter.ts';
import type { TappedRequest } from '../tap.ts';

/** The head as adapters see it: names in lower case, duplicates joined as HTTP says. */
export function headOf(event: TappedRequest): RequestHead {
  const headers = new Map<string, string>();
  for (const [name, value] of event.headers) {
    const lower = name.toLowerCase();
    const before = headers.get(lower);
    headers.set(lower, before === undefined ? value : `${before}, ${value}`);
  }
  return { door: event.door, method: event.method, target: event.target, headers };
}

/** A side request that carries nothing of the conversation names no place either: it hangs on no project. */
export function standsAlone({ kind }: Identity): boolean {
  return kind === 'title' || kind === 'web_search';
}

/** Side requests keep to a thread of their own, so that the main line reads as the person had it. */
export function ownThread(identity: Identity): Identity {
  if (!isSideRequest(identity.kind)) return identity;
  return { ...identity, clientThreadId: sideThread(identity.clientThreadId, identity.kind) };
}

/** What is kept of a request before anything of its body is known. */
export function recordOf(event: TappedRequest, route: 'generation' | 'count' | 'other'): RequestRecord {
  return {
    id: event.id,
    accountId: event.accountId,
    thread: null,
    door: event.door,
    method: event.method,
    path: event.target.split('?')[0] ?? event.target,
    agent: 'unknown',
    agentVersion: null,
    kind: route === 'count' ? 'count' : 'other',
    model: null,
    stream: false,
    receivedAt: event.receivedAt,
    requestBytes: event.body.byteLength,
    preambleHash: null,
    lastMessage: null,
    retry: false,
    note: null,
    view: null,
  };
}

/** What its body said of it; nothing where it was not read. */
export function aboutRequest(
  read: ReadRequest | null,
): Pick<RequestRecord, 'agent' | 'agentVersion' | 'kind' | 'model' | 'stream'> | Record<string, never> {
  if (read === null) return {};
  const { agent, agentVersion, kind } = read.identity;
  return { agent, agentVersion, kind, model: read.model, stream: read.stream };
}
