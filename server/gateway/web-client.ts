import type { ServerResponse } from 'node:http';
import type { Incoming } from './incoming.ts';
import type { Refusal } from './refuse.ts';
import type { ClientSide, Exchange } from './relay.ts';

/** Bytes of an answer that may wait in memory while a reader is slow. */
const QUEUED_BYTES = 64 * 1024;

/** Statuses whose responses a web `Response` refuses to give a body (Fetch standard, null body status). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** The client's end as a web `Response`: the same stream, less what that type cannot say (order and case of headers). */
export class WebClient implements ClientSide {
  readonly #resolve: (response: Response) => void;
  readonly #bodiless: boolean;
  #stream: ReadableStreamDefaultController<Uint8Array> | null = null;
  #exchange: Exchange | null = null;

  /**
   * @param resolve gets the response as soon as its head is known
   * @param method a HEAD gets no body
   * @param incoming the request as Node received it: headers that a framework has put on its response go away
   */
  constructor(resolve: (response: Response) => void, method: string, incoming: Incoming | null) {
    this.#resolve = (answer) => {
      if (incoming !== null) clearHeaders(incoming.response);
      resolve(answer);
    };
    this.#bodiless = method === 'HEAD';
  }

  /** Tells an exchange when the reader wants more and when it has left. */
  bind(exchange: Exchange, signal: AbortSignal): void {
    this.#exchange = exchange;
    if (signal.aborted) exchange.gone();
    else signal.addEventListener('abort', () => exchange.gone(), { once: true });
  }

  get ready(): boolean {
    return (this.#stream?.desiredSize ?? 0) > 0;
  }

  head(status: number, reason: string, headers: string[]): void {
    const init = { status, statusText: reason, headers: webHeaders(headers) };
    if (this.#bodiless || WITHOUT_BODY.has(status)) {
      // A length without its body would leave the client waiting (205 alone may come with one).
      if (status === 205) init.headers.delete('content-length');
      this.#resolve(new Response(null, init));
      return;
    }
    const body = new ReadableStream<Uint8Array>(
      {
        start: (stream) => {
          this.#stream = stream;
        },
        pull: () => this.#exchange?.drained(),
        cancel: () => this.#exchange?.gone(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: QUEUED_BYTES }),
    );
    this.#resolve(new Response(body, init));
  }

  write(bytes: Uint8Array): boolean {
    if (this.#stream === null) return true;
    this.#stream.enqueue(bytes);
    return (this.#stream.desiredSize ?? 0) > 0;
  }

  end(): void {
    this.#stream?.close();
  }

  fail(): void {
    this.#stream?.error(new BrokenAnswer());
  }

  refuse(refused: Refusal): void {
    const body = this.#bodiless ? null : new Uint8Array(refused.body);
    this.#resolve(new Response(body, { status: refused.status, headers: webHeaders(refused.headers) }));
  }
}

/** What a reader of the stream gets where the upstream broke off: a fault, not an end. */
class BrokenAnswer extends Error {
  override readonly name = 'BrokenAnswer';
  override readonly message = 'The provider broke the answer off.';
}

/** Takes away what a framework says of its own pages (`Vary`), so that the answer carries the provider's headers. */
function clearHeaders(response: ServerResponse): void {
  if (response.headersSent) return;
  for (const name of response.getHeaderNames()) response.removeHeader(name);
}

function webHeaders(flat: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < flat.length; at += 2) {
    const name = flat[at] ?? '';
    if (name.toLowerCase() !== 'connection') headers.append(name, flat[at + 1] ?? '');
  }
  return headers;
}
