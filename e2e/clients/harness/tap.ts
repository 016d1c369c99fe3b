import { connect, createServer, type Socket } from 'node:net';
import { readAnswers, readRequests, type WireMessage } from './http-bytes.ts';

/** One request of an agent and the answer that reached it, as both stood on the wire. */
export interface Exchange {
  readonly request: WireMessage;
  /** Null where the connection ended before a whole head came back. */
  readonly answer: WireMessage | null;
}

/** A wire between agent and gateway that keeps every byte of both directions and changes none. */
export interface Tap {
  readonly port: number;
  /** The exchanges whose connections were opened since the last call of `clear`, in the order of the connections. */
  exchanges(): readonly Exchange[];
  clear(): void;
  stop(): Promise<void>;
}

interface Line {
  readonly up: Buffer[];
  readonly down: Buffer[];
}

/** Listens on a free port of the loopback address and joins every connection to `targetPort`. */
export async function startTap(targetPort: number): Promise<Tap> {
  let lines: Line[] = [];
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (agent) => {
    const line: Line = { up: [], down: [] };
    lines.push(line);
    const gateway = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true });
    join(agent, gateway, line.up);
    join(gateway, agent, line.down);
    for (const socket of [agent, gateway]) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the tap has no port');
  return {
    port: address.port,
    exchanges: () => lines.flatMap(exchangesOf),
    clear: () => {
      lines = [];
    },
    stop: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** Passes bytes, their end and a reset from one side to the other. */
function join(from: Socket, to: Socket, kept: Buffer[]): void {
  from.setNoDelay(true);
  from.on('data', (chunk: Buffer) => {
    kept.push(chunk);
    if (!to.write(chunk)) {
      from.pause();
      to.once('drain', () => from.resume());
    }
  });
  from.on('end', () => to.end());
  from.on('error', () => to.resetAndDestroy());
  from.on('close', () => {
    if (!to.destroyed && !from.readableEnded) to.destroy();
  });
}

function exchangesOf(line: Line): readonly Exchange[] {
  const requests = readRequests(Buffer.concat(line.up));
  const methods = requests.map((request) => request.start.split(' ')[0] ?? '');
  const answers = readAnswers(Buffer.concat(line.down), methods);
  return requests.map((request, index) => ({ request, answer: answers[index] ?? null }));
}
