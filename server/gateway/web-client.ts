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
  readonly #incoming: Incoming | null;
  #stream: ReadableStreamDefaultController<Uint8Array> | null = null;
  #exchange: Exchange | null = null;

  /**
   * @param resolve gets the response as soon as its head is known
   * @param method a HEAD gets no body
   * @param incoming the request as Node received it: its response then gets the headers as they were written, which a
   *   `Response` cannot say, and which frameworks thin out (Next drops `Content-Encoding` and `Content-Length`)
   */
  constructor(resolve: (response: Response) => void, method: string, incoming: Incoming | null) {
    this.#resolve = resolve;
    this.#incoming = incoming;
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
    if (this.#bodiless || WITHOUT_BODY.has(status)) {
      // A length without its body would leave the client waiting (205 alone may come with one).
      const kept = status === 205 ? without(headers, 'content-length') : headers;
      this.#answer(null, { status, statusText: reason }, kept);
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
    this.#answer(body, { status, statusText: reason }, headers);
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
    this.#answer(body, { status: refused.status }, refused.headers);
  }

  #answer(body: BodyInit | null, init: ResponseInit, headers: readonly string[]): void {
    // How connections are kept is between the framework and the client.
    const kept = without(headers, 'connection');
    if (this.#incoming === null) {
      this.#resolve(new Response(body, { ...init, headers: webHeaders(kept) }));
      return;
    }
    const answer = new Response(body, init);
    // Bytes without a type get none from us: the type that a `Response` finds for a body is not the provider's.
    for (const name of [...answer.headers.keys()]) answer.headers.delete(name);
    writeHeaders(this.#incoming.response, kept);
    this.#resolve(answer);
  }
}

/** What a reader of the stream gets where the upstream broke off: a fault, not an end. */
class BrokenAnswer extends Error {
  override readonly name = 'BrokenAnswer';
  override readonly message = 'The provider broke the answer off.';
}

/** Puts an answer's headers in place of what a framework has said of its own pages (`Vary`, its policies). */
function writeHeaders(response: ServerResponse, headers: readonly string[]): void {
  if (response.headersSent) return;
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  for (let at = 0; at + 1 < headers.length; at += 2) {
    response.appendHeader(headers[at] ?? '', headers[at + 1] ?? '');
  }
}

function without(headers: readonly string[], name: string): readonly string[] {
  return headers.filter((_text, at) => headers[at & ~1]?.toLowerCase() !== name);
}

function webHeaders(flat: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < flat.length; at += 2) headers.append(flat[at] ?? '', flat[at + 1] ?? '');
  return headers;
}
