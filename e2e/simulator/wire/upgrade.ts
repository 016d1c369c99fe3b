import type { Duplex } from 'node:stream';
import type { World } from '../world.ts';
import type { LoggedRequest } from './log.ts';

/** Refuses a WebSocket upgrade with 426 or 404, as the settings say, and closes the connection. */
export function answerUpgrade(entry: LoggedRequest, socket: Duplex, world: World): void {
  const status = world.settings.webSocketStatus === 426 ? 426 : 404;
  const reason = status === 426 ? 'Upgrade Required' : 'Not Found';
  const body = Buffer.from(
    JSON.stringify({ error: { message: reason, type: 'invalid_request_error', param: null, code: null } }),
  );
  const headers: [string, string][] = [
    ['content-type', 'application/json'],
    ['content-length', String(body.length)],
    ['connection', 'close'],
  ];
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const nowMs = world.clock.now();
  entry.bodyComplete = true;
  entry.answer = { status, headers, body, startedAtMs: nowMs, endedAtMs: nowMs, ending: 'finished' };
  socket.on('error', () => socket.destroy());
  socket.end(Buffer.concat([Buffer.from(`HTTP/1.1 ${status} ${reason}\r\n${head}\r\n`), body]));
  world.log.changed();
}
