import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Refusal } from './refuse.ts';

/** Milliseconds that a refused client may go on sending its body before its connection is cut. */
const DRAIN_MS = 10_000;

/**
 * Answers with a refusal while the body may still be on its way: the answer goes out at once and whole, the rest of
 * the body is read and dropped so that the client gets to reading the answer, and only then the exchange ends.
 * @param withholds true where the client waits for `100 Continue`, so that no body will come
 */
export function refuseOnNode(
  request: IncomingMessage,
  response: ServerResponse,
  refused: Refusal,
  withholds: boolean,
): void {
  response.on('error', () => response.destroy());
  response.writeHead(refused.status, refused.headers);
  if (request.complete || withholds || !expectsBody(request)) {
    response.end(refused.body);
    return;
  }
  response.write(refused.body);
  const timer = setTimeout(() => request.socket.destroy(), DRAIN_MS).unref();
  request.once('end', () => response.end());
  request.once('close', () => clearTimeout(timer));
  request.on('error', () => request.socket.destroy());
  request.resume();
}

function expectsBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}
