import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { asObject, asString, type JsonObject, parseJson } from './json.ts';
import type { ConnectionMemory } from './openai/store.ts';
import { answerRequest } from './router.ts';
import type { Answer } from './wire/answer.ts';
import { withBodyFault } from './wire/body-faults.ts';
import type { LoggedRequest } from './wire/log.ts';
import type { World } from './world.ts';

/** How long a connection may stay open. */
const LIMIT_MS = 60 * 60_000;

/** True for the path that takes WebSockets. */
export function isSocketPath(target: string): boolean {
  return (target.split('?')[0] ?? '').endsWith('/responses');
}

type Connection = {
  readonly socket: WebSocket;
  readonly upgrade: LoggedRequest;
  readonly memory: ConnectionMemory;
  /** What is being answered on each lane; events without a `stream_id` share one. */
  readonly lanes: Map<string, Promise<void>>;
  readonly closed: AbortController;
};

/** The Responses API over WebSockets: `response.create` events in, stream events out, one JSON text each. */
export class ResponseSockets {
  readonly #world: World;
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: true });

  constructor(world: World) {
    this.#world = world;
  }

  /** Takes an upgrade. Its log entry is answered with 101; each event that follows has an entry of its own. */
  accept(upgrade: LoggedRequest, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const nowMs = this.#world.clock.now();
    upgrade.bodyComplete = true;
    const empty = Buffer.alloc(0);
    upgrade.answer = {
      status: 101,
      headers: [],
      body: empty,
      startedAtMs: nowMs,
      endedAtMs: nowMs,
      ending: 'finished',
    };
    this.#world.log.changed();
    this.#server.handleUpgrade(request, socket, head, (webSocket) => this.#open(webSocket, upgrade));
  }

  #open(socket: WebSocket, upgrade: LoggedRequest): void {
    const closed = new AbortController();
    const connection = { socket, upgrade, memory: new Map(), lanes: new Map(), closed };
    socket.on('error', () => socket.terminate());
    socket.on('close', () => closed.abort());
    socket.on('message', (data) => this.#receive(Buffer.from(data as Buffer), connection));
    void this.#world.clock.sleep(LIMIT_MS, closed.signal).then(() => {
      if (closed.signal.aborted) return;
      const message =
        'The WebSocket connection reached its limit of 60 minutes. Open a new one and continue.';
      sendError(socket, 400, { code: 'websocket_connection_limit_reached', message });
      socket.close(1000);
    });
  }

  #receive(bytes: Buffer, connection: Connection): void {
    const event = asObject(parseJson(bytes.toString()));
    const { socket, lanes } = connection;
    if (event?.type === 'response.steer') {
      refuseSteering(socket, event);
      return;
    }
    if (event?.type !== 'response.create') {
      const message = `Invalid event: expected 'response.create' or 'response.steer'.`;
      sendError(socket, 400, { code: 'invalid_event', message });
      return;
    }
    const lane = asString(event.stream_id) ?? '';
    const before = lanes.get(lane) ?? Promise.resolve();
    lanes.set(
      lane,
      before
        .then(() => this.#answer(bytes, event, connection))
        .catch((error: unknown) => {
          process.stderr.write(`simulator: ${error instanceof Error ? error.stack : String(error)}\n`);
          socket.terminate();
        }),
    );
  }

  async #answer(bytes: Buffer, event: JsonObject, connection: Connection): Promise<void> {
    const { upgrade, memory } = connection;
    const world = this.#world;
    const entry = world.log.open({
      connection: upgrade.connection,
      method: 'WS',
      target: upgrade.target,
      httpVersion: upgrade.httpVersion,
      headers: upgrade.headers,
      receivedAtMs: world.clock.now(),
    });
    entry.body = bytes;
    entry.bodyComplete = true;
    const { type: _type, stream_id: lane, ...body } = event;
    const { answer, fault } = answerRequest(entry, world, { body: { ...body, stream: true }, memory });
    entry.fault = fault?.kind;
    const isSilent = fault?.kind === 'silence' && fault.from !== 'body';
    const shaped = await withBodyFault(answer, fault);
    const ends = shaped.after === 'reset' || shaped.after === 'close' || shaped.after === 'half-close';
    if (!isSilent) await this.#send(shaped.answer, entry, connection, lane);
    if (ends) connection.socket.terminate();
  }

  /** Sends an answer's events as messages, or its refusal as one error event. */
  async #send(
    answer: Answer,
    entry: LoggedRequest,
    { socket, closed }: Connection,
    lane: JsonObject[string],
  ): Promise<void> {
    const { clock, gates, log } = this.#world;
    const lanes = lane === undefined ? {} : { stream_id: lane };
    const logged = {
      status: answer.status,
      headers: answer.headers,
      body: Buffer.alloc(0),
      startedAtMs: clock.now(),
      endedAtMs: undefined as number | undefined,
      ending: undefined as 'finished' | 'client-closed' | undefined,
    };
    entry.answer = logged;
    answer.onFirstByte?.();
    log.changed();
    const sent: string[] = [];
    for (const frame of answer.frames) {
      if (frame.gate !== undefined) await gates.pass(frame.gate, closed.signal);
      if (frame.waitMs !== undefined) await clock.sleep(frame.waitMs, closed.signal);
      if (closed.signal.aborted) break;
      const data = eventOf(answer, frame.bytes);
      if (data === undefined) continue;
      const text = JSON.stringify({ ...data, ...lanes });
      sent.push(text);
      socket.send(text);
    }
    logged.body = Buffer.from(sent.join('\n'));
    logged.endedAtMs = clock.now();
    logged.ending = closed.signal.aborted ? 'client-closed' : 'finished';
    log.changed();
  }
}

/** The event in a frame of a stream, or the refusal in a JSON answer. */
function eventOf(answer: Answer, bytes: Buffer): JsonObject | undefined {
  if (answer.stream) return asObject(parseJson(/^data: (.*)$/m.exec(bytes.toString())?.[1] ?? ''));
  const error = asObject(asObject(parseJson(bytes.toString()))?.error);
  return error === undefined ? undefined : { type: 'error', status: answer.status, error };
}

function sendError(socket: WebSocket, status: number, error: { code: string; message: string }): void {
  const body = { type: 'invalid_request_error', param: null, ...error };
  socket.send(JSON.stringify({ type: 'error', status, error: body }));
}

/** Steering is not simulated: its input is given back with the code for models that do not take it. */
function refuseSteering(socket: WebSocket, event: JsonObject): void {
  socket.send(
    JSON.stringify({
      type: 'response.steer.failed',
      sequence_number: 0,
      error: { code: 'steering_not_supported', message: 'This model does not support steering.' },
      steer: { input: event.input ?? [], previous_response_id: event.previous_response_id ?? null },
    }),
  );
}
