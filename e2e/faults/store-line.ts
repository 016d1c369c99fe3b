import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The line between a product and its database, which a test can hold still or cut. */
export interface StoreLine {
  readonly port: number;
  /** From now on nothing comes through, either way; connections stay, and new ones are taken and never answered. */
  hang(): void;
  /** From now on whatever the server says arrives that many milliseconds late, in its order; 0: at once again. */
  slow(delayMs: number): void;
  /** What was held goes on as if nothing had been. */
  resume(): void;
  /** Ends every connection and refuses new ones. */
  cut(): void;
  stop(): Promise<void>;
}

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
}

/** Listens on a free port of the loopback address and joins every connection to the socket file of a server. */
export async function openStoreLine(socketFile: string): Promise<StoreLine> {
  const pairs = new Set<Pair>();
  let state: 'open' | 'hung' | 'cut' = 'open';
  let delayMs = 0;
  const server = createServer((near) => {
    if (state === 'cut') return void near.resetAndDestroy();
    const pair = { near, far: connect(socketFile) };
    pairs.add(pair);
    for (const [from, to] of [
      [pair.near, pair.far],
      [pair.far, pair.near],
    ] as const) {
      const late: Buffer[] = [];
      from.on('data', (chunk: Buffer) => {
        if (from === pair.near || (delayMs === 0 && late.length === 0)) {
          if (!to.write(chunk)) from.pause();
          return;
        }
        late.push(chunk);
        setTimeout(() => to.write(late.shift() ?? ''), delayMs);
      });
      to.on('drain', () => {
        if (state === 'open') from.resume();
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        to.destroy();
        pairs.delete(pair);
      });
      if (state === 'hung') from.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const each = (act: (socket: Socket) => void) => {
    for (const { near, far } of [...pairs]) for (const socket of [near, far]) act(socket);
  };
  return {
    port: (server.address() as AddressInfo).port,
    hang() {
      state = 'hung';
      each((socket) => socket.pause());
    },
    slow(ms) {
      delayMs = ms;
    },
    resume() {
      state = 'open';
      each((socket) => socket.resume());
    },
    cut() {
      state = 'cut';
      each((socket) => socket.destroy());
    },
    stop: () =>
      new Promise((resolve) => {
        each((socket) => socket.destroy());
        server.close(() => resolve());
      }),
  };
}
