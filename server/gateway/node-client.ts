import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { headerOf } from './headers.ts';
import type { Refusal } from './refuse.ts';
import type { ClientSide, Exchange } from './relay.ts';

/** Milliseconds that bytes already relayed get to leave before a broken-off answer's connection is cut. */
const LAST_BYTES_MS = 10_000;

/** The client's end on Node's own HTTP: raw headers, no buffering, back-pressure by `drain`. */
export class NodeClient implements ClientSide {
  readonly #response: ServerResponse;
  #written = false;
  /** True if the head names the body's length. */
  #sized = false;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** Tells an exchange when the client takes bytes again and when it has left. */
  bind(exchange: Exchange): void {
    this.#response.on('drain', () => exchange.drained());
    this.#response.on('close', () => exchange.gone());
    // A pipelined request's response has no connection before its turn, and hears of no end before that.
    if (this.#response.socket === null) this.#response.req.socket.once('close', () => exchange.gone());
  }

  get ready(): boolean {
    return !this.#response.writableNeedDrain && !this.#response.destroyed;
  }

  head(status: number, reason: string, headers: string[]): void {
    this.#response.sendDate = false;
    this.#response.writeHead(status, reason, headers);
    this.#sized = headerOf(headers, 'content-length') !== null;
    process.nextTick(this.#flushHead);
  }

  write(bytes: Uint8Array): boolean {
    this.#written = true;
    return this.#response.write(bytes);
  }

  end(): void {
    this.#written = true;
    this.#response.end();
  }

  refuse(refused: Refusal): void {
    this.#written = true;
    this.#response.writeHead(refused.status, refused.headers);
    this.#response.end(refused.body);
  }

  /**
   * Lets what was relayed leave, then cuts: a reset where the upstream was reset or where a plain close would look
   * like an ending (an answer without length or chunks), else a close in the middle of the framing.
   */
  fail(reset: boolean): void {
    const { socket } = this.#response;
    if (socket === null || socket.destroyed) {
      this.#response.destroy();
      return;
    }
    const framed = this.#response.chunkedEncoding || this.#sized;
    const cut = () => {
      if (reset || !framed) resetNow(socket);
      else socket.destroy();
    };
    const timer = setTimeout(cut, LAST_BYTES_MS).unref();
    socket.once('close', () => clearTimeout(timer));
    socket.write('', cut);
  }

  /** A head without body bytes in its tick goes out alone; with them, both leave together. */
  #flushHead = (): void => {
    if (!this.#written) this.#response.flushHeaders();
  };
}

/**
 * Closes a connection by a reset alone. Node's own `resetAndDestroy` says an orderly end first, which a reader may
 * take for the end of an answer without length.
 */
function resetNow(socket: Socket): void {
  Object.assign(socket, { resetAndClosing: true });
  socket.destroy();
}
