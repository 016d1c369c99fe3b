import type { ProtocolAdapter, ReadAnswer, ReadRequest } from '../adapter.ts';
import type { TappedAnswer, TappedRequest } from '../tap.ts';
import type { AnsweredRequest } from './booker.ts';

/** What the ledger has to know of a request once its answer has ended. */
export type RequestToBook = Omit<AnsweredRequest, 'firstByteMs' | 'answer' | 'isWhole' | 'booking'>;

/** A request as the ledger takes it. @param thread that it belongs to; null: to none */
export function requestToBook(
  { id, accountId, door, receivedAt, headers }: TappedRequest,
  read: { readonly adapter: ProtocolAdapter; readonly read: ReadRequest; readonly body: Uint8Array },
  thread: string | null,
): RequestToBook {
  const { adapter, body } = read;
  const { model, identity } = read.read;
  return {
    id,
    accountId,
    adapter,
    agent: identity.agent,
    model,
    thread: thread ?? id,
    body,
    subscription: door === 'chatgpt' || headers.some(isSubscription),
    at: receivedAt,
  };
}

/** Claude Code names the beta of signed-in accounts where it sends no key. */
function isSubscription([name, value]: readonly [string, string]): boolean {
  return name.toLowerCase() === 'anthropic-beta' && /(?:^|,)\s*oauth-/.test(value);
}

/** A request with its answer; what was refused, or never answered, was not billed. */
export function answeredRequest(
  request: RequestToBook,
  answer: Pick<TappedAnswer, 'status' | 'ending' | 'firstByteMs' | 'booking'>,
  read: ReadAnswer | null,
): AnsweredRequest {
  const { status, ending, firstByteMs, booking } = answer;
  return {
    ...request,
    firstByteMs,
    answer: status === 200 ? read : null,
    isWhole: ending === 'complete' && read?.complete === true,
    booking: booking ?? null,
  };
}
