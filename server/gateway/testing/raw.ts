import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A request as it stood on the wire. */
export interface WireRequest {
  readonly line: string;
  /** Header lines in order, without the request line. */
  readonly headers: readonly string[];
  readonly body: Buffer;
  readonly socket: Socket;
  /** 1 for the first request of the connection. */
  readonly turn: number;
}

/** An HTTP/1.1 upstream on bare TCP: what it reads is what was sent, and what it writes is up to the test. */
export interface RawUpstream {
  readonly url: string;
  readonly requests: WireRequest[];
  readonly sockets: ReadonlySet<Socket>;
  /** What happens when a request is whole. May be replaced between requests. */
  respond: (request: WireRequest) => void;
  close(): Promise<void>;
}

/** Starts a raw upstream on loopback. It answers `200` with an empty body until told otherwise. */
export async function rawUpstream(respond?: RawUpstream['respond']): Promise<RawUpstream> {
  const sockets = new Set<Socket>();
  const requests: WireRequest[] = [];
  const server: Server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    readRequests(socket, (request) => {
      requests.push(request);
      upstream.respond(request);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const upstream: RawUpstream = {
    url: `http://127.0.0.1:${portOf(server)}`,
    requests,
    sockets,
    respond: respond ?? (({ socket }) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return upstream;
}

/** The port of a listening server. */
export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('the server does not listen on a port');
  return address.port;
}

function readRequests(socket: Socket, onRequest: (request: WireRequest) => void): void {
  let pieces: Buffer[] = [];
  let size = 0;
  let head: { line: string; headers: string[]; length: number } | null = null;
  let turn = 0;
  socket.on('data', (chunk: Buffer) => {
    pieces.push(chunk);
    size += chunk.length;
    for (;;) {
      if (head === null) {
        const joined = Buffer.concat(pieces);
        pieces = [joined];
        const end = joined.indexOf('\r\n\r\n');
        if (end === -1) return;
        const [line = '', ...headers] = joined.toString('latin1', 0, end).split('\r\n');
        const length = headers.map((text) => /^content-length: *(\d+)/i.exec(text)?.[1]).find(Boolean);
        head = { line, headers, length: Number(length ?? 0) };
        pieces = [joined.subarray(end + 4)];
        size = joined.length - end - 4;
      }
      if (size < head.length) return;
      const joined = Buffer.concat(pieces);
      const { line, headers, length } = head;
      head = null;
      turn += 1;
      pieces = [joined.subarray(length)];
      size = joined.length - length;
      onRequest({ line, headers, body: joined.subarray(0, length), socket, turn });
      if (size === 0) return;
    }
  });
}

/** How a raw client's connection went. */
export interface RawExchange {
  readonly socket: Socket;
  /** Everything received so far. */
  bytes(): Buffer;
  /** Resolves when what was received matches, or rejects when the connection ends before. */
  until(pattern: string): Promise<Buffer>;
  /** Resolves at the end of the connection: `reset` for an RST, `closed` for a FIN. */
  readonly ended: Promise<'reset' | 'closed'>;
}

/** Opens a TCP connection, writes the given bytes and collects what comes back. */
export function rawClient(port: number, bytes: string | Buffer): RawExchange {
  const socket = connect(port, '127.0.0.1');
  let received = Buffer.alloc(0);
  const waiting = new Set<() => void>();
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    for (const check of waiting) check();
  });
  let reset = false;
  socket.on('error', (error: NodeJS.ErrnoException) => {
    reset = error.code === 'ECONNRESET';
  });
  const ended = new Promise<'reset' | 'closed'>((resolve) => {
    socket.on('close', () => resolve(reset ? 'reset' : 'closed'));
  });
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  return {
    socket,
    bytes: () => received,
    ended,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!received.includes(pattern, 0, 'latin1')) return;
          waiting.delete(check);
          resolve(received);
        };
        waiting.add(check);
        void ended.then(() =>
          reject(new Error(`ended without ${pattern}: ${received.toString('latin1', 0, 400)}`)),
        );
        check();
      }),
  };
}

/** Resets a connection without the orderly end that Node's own `resetAndDestroy` says first. */
export function resetNow(socket: Socket): void {
  Object.assign(socket, { resetAndClosing: true });
  socket.destroy();
}
