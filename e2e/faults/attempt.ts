import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import type { Call } from './exchange.ts';

/** How a request went that may well break off. */
export interface Attempt {
  /** Null: not even a head came. */
  readonly status: number | null;
  readonly headers: IncomingHttpHeaders;
  /** Every byte of the body that came. */
  readonly body: Buffer;
  /** True if the answer ended as HTTP says; false where the connection broke before. */
  readonly whole: boolean;
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** Sends a request and reads what comes, however it ends; it never throws. */
export function attempt(call: Call): Promise<Attempt> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let status: number | null = null;
    let headers: IncomingHttpHeaders = {};
    const done = (whole: boolean) => resolve({ status, headers, body: Buffer.concat(chunks), whole });
    const out = request(
      `${call.base}${call.path}`,
      {
        agent,
        method: call.method ?? 'POST',
        headers: { ...call.headers, 'content-length': String(call.body.byteLength) },
      },
      (answer) => {
        status = answer.statusCode ?? null;
        headers = answer.headers;
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => done(answer.complete));
        answer.on('error', () => done(false));
      },
    );
    out.on('error', () => done(false));
    out.end(call.body);
  });
}

/** Does `work` for each item, so many at once. */
export async function each<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let next = 0;
  const line = async () => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, line));
}
