import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { SimulatorClock } from '../clock.ts';
import type { Fault } from '../faults.ts';
import type { Answer } from './answer.ts';
import type { After } from './body-faults.ts';
import { frameworkHeaders, withBodyFault } from './body-faults.ts';
import type { Gates } from './gates.ts';
import type { Ending, LoggedAnswer, LoggedRequest } from './log.ts';

/** What a delivery needs: the connection, the time, the gates, the entry to write into. */
export type Delivery = {
  readonly response: ServerResponse;
  readonly socket: Socket;
  readonly clock: SimulatorClock;
  readonly gates: Gates;
  readonly entry: LoggedRequest;
  readonly changed: () => void;
  /** Fires when the client closes its connection. */
  readonly gone: AbortSignal;
};

/** Sends an answer, broken as the fault says, and writes what was sent into the log's entry. */
export async function deliver(answer: Answer, fault: Fault | undefined, delivery: Delivery): Promise<void> {
  const { entry, clock } = delivery;
  entry.fault = fault?.kind;
  delivery.changed();
  if (await strikesBeforeHeaders(fault, delivery)) return;
  const shaped = await withBodyFault(answer, fault);
  if (fault?.kind === 'slow') await clock.sleepUntil(entry.receivedAtMs + fault.firstByteMs, delivery.gone);
  if (fault?.kind === 'gate' && fault.at !== 'body') await delivery.gates.pass(fault.name, delivery.gone);
  if (delivery.gone.aborted) return;
  const logged = begin(shaped.answer, delivery);
  if (fault?.kind === 'gate' && fault.at === 'body') await delivery.gates.pass(fault.name, delivery.gone);
  const chunks: Buffer[] = [];
  // Pauses follow each other from the answer's start, so that one jump of the clock ends all that lie within it.
  let dueMs = logged.startedAtMs;
  for (const frame of shaped.answer.frames) {
    if (frame.gate !== undefined) {
      await delivery.gates.pass(frame.gate, delivery.gone);
      dueMs = clock.now();
    }
    dueMs += frame.waitMs ?? 0;
    await clock.sleepUntil(dueMs, delivery.gone);
    if (delivery.gone.aborted) break;
    if (frame.bytes.length === 0) continue;
    chunks.push(frame.bytes);
    await write(delivery, frame.bytes);
  }
  logged.body = chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks);
  if (fault !== undefined && 'pauseMs' in fault) await clock.sleep(fault.pauseMs ?? 0, delivery.gone);
  finish(shaped.after, logged, delivery);
}

/** Resets, holds or raw bytes in place of any answer; true when the request is done with. */
async function strikesBeforeHeaders(fault: Fault | undefined, delivery: Delivery): Promise<boolean> {
  const { response, socket, clock, entry } = delivery;
  const bare = (ending: Ending, body = Buffer.alloc(0)) => {
    const atMs = clock.now();
    entry.answer = { status: 0, headers: [], body, startedAtMs: atMs, endedAtMs: atMs, ending };
    delivery.changed();
  };
  if (fault?.kind === 'reset' && fault.afterBytes === undefined && fault.afterEvents === undefined) {
    bare('reset');
    socket.resetAndDestroy();
    return true;
  }
  if (fault?.kind === 'silence' && fault.from === 'accept') {
    bare('held');
    return true;
  }
  if (fault?.kind !== 'raw') return false;
  const bytes =
    fault.base64 !== undefined ? Buffer.from(fault.base64, 'base64') : Buffer.from(fault.text ?? '');
  response.detachSocket(socket);
  await new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
  bare(fault.ending === 'end' ? 'cut' : fault.ending === 'reset' ? 'reset' : 'held', bytes);
  if (fault.ending === 'end') socket.end();
  if (fault.ending === 'reset') socket.resetAndDestroy();
  return true;
}

function begin(answer: Answer, delivery: Delivery): LoggedAnswer {
  const { response, clock, entry } = delivery;
  const headers = frameworkHeaders(answer, clock.now());
  response.sendDate = false;
  response.writeHead(answer.status, headers.flat());
  response.flushHeaders();
  const logged: LoggedAnswer = {
    status: answer.status,
    headers,
    body: Buffer.alloc(0),
    startedAtMs: clock.now(),
    endedAtMs: undefined,
    ending: undefined,
  };
  entry.answer = logged;
  answer.onFirstByte?.();
  delivery.changed();
  return logged;
}

/** Writes bytes and, where the client reads slowly, waits until it has read or left. */
function write({ response, gone }: Delivery, bytes: Buffer): Promise<void> | undefined {
  if (response.write(bytes) || gone.aborted) return undefined;
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}

function finish(after: After, logged: LoggedAnswer, delivery: Delivery) {
  const { response, socket, clock, gone } = delivery;
  logged.endedAtMs = clock.now();
  if (gone.aborted) logged.ending = 'client-closed';
  else if (after === 'end') {
    logged.ending = 'finished';
    response.end();
  } else if (after === 'hold') logged.ending = 'held';
  else {
    logged.ending = after === 'reset' ? 'reset' : 'cut';
    // The bytes written so far leave first: the callback of an empty write comes after them.
    socket.write('', () => {
      if (after === 'reset') socket.resetAndDestroy();
      else if (after === 'close') socket.destroy();
      else socket.end();
    });
  }
  delivery.changed();
}
