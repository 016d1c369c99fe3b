import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock, Millis } from '../kernel/clock.ts';
import type { Door, Env } from '../kernel/env.ts';
import { newId, type Uuid } from '../kernel/ids.ts';
import type { Logger } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import { CLIMBS_OUT, FOREIGN, TOO_LARGE } from './causes.ts';
import type { Composer } from './compose/prepared.ts';
import { type DoorMatch, matchDoor, upstreamTarget } from './doors.ts';
import { type Guard, openGuard } from './guard.ts';
import { systemTimers, type Timers } from './keep-alive.ts';
import { NodeClient } from './node-client.ts';
import { isNavigation } from './origin.ts';
import { type Framing, framingOf, MAX_BODY_BYTES, receiveBody } from './receive.ts';
import { type RefusalCause, rawRefusal, refusal } from './refuse.ts';
import { refuseOnNode } from './refuse-node.ts';
import { Exchange, type ExchangeContext } from './relay.ts';
import type { Tap } from './tap.ts';
import { createUpstreams } from './upstream.ts';
import { serveWeb } from './web.ts';

/** What a gateway is made of. */
export interface GatewayOptions {
  readonly env: Pick<Env, 'upstreams' | 'proxies'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** The account that requests belong to. */
  readonly accountId: Uuid;
  /** The recorder; null records nothing. */
  readonly tap: Tap | null;
  /** What puts requests together before they go out; left out: all go as they come. */
  readonly composer?: Composer;
  /** Whether a moment lies in a pause, in which nothing is recorded; by default none does. */
  readonly isPaused?: (at: Millis) => boolean;
  /** Who may come in; by default anybody (sign-in is somebody else's). */
  readonly guard?: Guard;
  readonly timers?: Timers;
  readonly newRequestId?: () => Uuid;
}

/** The doors of a process: what comes through them goes to the providers and back, byte for byte. */
export interface Gateway {
  /**
   * Answers a request on Node's own HTTP.
   * @param awaitsContinue true where the client waits for `100 Continue` and nobody has answered that yet
   * @returns false, with nothing touched, where the path is not a door
   */
  handle(request: IncomingMessage, response: ServerResponse, awaitsContinue?: boolean): boolean;
  /** Refuses a protocol upgrade on a door (426, connection closed). @returns false where the path is not a door */
  upgrade(request: IncomingMessage, socket: Duplex): boolean;
  /** The same gateway for a web `Request`. Answers 404 where the path is not a door. Never rejects. */
  forWeb(request: Request): Promise<Response>;
  /** Requests that have not ended. */
  readonly active: number;
  /** Lets what runs finish, at most `withinMs`, then breaks the rest off and closes the upstream connections. */
  close(withinMs?: number): Promise<void>;
}

type OpenDoor = Extract<DoorMatch, { kind: 'door' }>;

/** Makes the gateway of a process. */
export function createGateway(options: GatewayOptions): Gateway {
  return new TransportGateway(options);
}

class TransportGateway implements Gateway {
  readonly #options: GatewayOptions;
  readonly #guard: Guard;
  readonly #newRequestId: () => Uuid;
  readonly #running = new Set<Exchange>();
  readonly #context: ExchangeContext;
  #closing = false;
  #whenIdle: (() => void) | null = null;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#guard = options.guard ?? openGuard;
    this.#newRequestId = options.newRequestId ?? (() => newId(options.clock));
    const { clock, log, metrics, tap, accountId, env } = options;
    this.#context = {
      clock,
      log,
      metrics,
      tap,
      composer: options.composer ?? null,
      accountId,
      isPaused: options.isPaused ?? (() => false),
      timers: options.timers ?? systemTimers,
      upstreams: createUpstreams(env.upstreams, env.proxies),
      held: { total: 0 },
      ended: (exchange) => {
        this.#running.delete(exchange);
        if (this.#running.size === 0) this.#whenIdle?.();
      },
    };
  }

  get active(): number {
    return this.#running.size;
  }

  handle(request: IncomingMessage, response: ServerResponse, awaitsContinue = false): boolean {
    const match = matchDoor(request.url ?? '');
    if (match === null) return false;
    if (this.#closing) response.shouldKeepAlive = false;
    const id = this.#newRequestId();
    const refuse = (door: Door | null, cause: RefusalCause) => {
      this.#count(door, cause.reason, id);
      refuseOnNode(request, response, refusal(door, id, cause), awaitsContinue);
    };
    if (match.kind === 'refused') {
      refuse(match.door, { code: 'bad_request', reason: 'bad_target', message: match.message, close: true });
      return true;
    }
    const path = upstreamTarget(this.#context.upstreams.base(match.door), match.target);
    const framing = framingOf(request.rawHeaders);
    const foreign =
      this.#guard.foreign(request) ?? (isNavigation(request.rawHeaders) ? 'foreign_origin' : null);
    if (foreign !== null)
      refuse(match.door, { code: 'forbidden', reason: foreign, message: FOREIGN[foreign] });
    else if (path === null) refuse(match.door, CLIMBS_OUT);
    else if (framing === null) refuse(match.door, CONFLICTING_LENGTHS);
    else if ((framing.declared ?? 0) > MAX_BODY_BYTES) refuse(match.door, TOO_LARGE);
    else this.#receive(request, response, { match, path, id, framing, awaitsContinue, refuse });
    return true;
  }

  upgrade(request: IncomingMessage, socket: Duplex): boolean {
    const match = matchDoor(request.url ?? '');
    if (match === null) return false;
    const id = this.#newRequestId();
    this.#count(match.door, 'upgrade', id);
    const refused = refusal(match.door, id, UPGRADE);
    socket.on('error', () => socket.destroy());
    socket.end(rawRefusal(refused, 'Upgrade Required'));
    return true;
  }

  forWeb(request: Request): Promise<Response> {
    return serveWeb(request, {
      context: this.#context,
      guard: this.#guard,
      newRequestId: this.#newRequestId,
      started: (exchange) => this.#running.add(exchange),
      refused: (door, reason, id) => this.#count(door, reason, id),
    });
  }

  async close(withinMs = 600_000): Promise<void> {
    this.#closing = true;
    if (this.#running.size > 0) {
      const { timers } = this.#context;
      await new Promise<void>((resolve) => {
        const timer = timers.after(withinMs, resolve);
        this.#whenIdle = () => {
          timers.cancel(timer);
          resolve();
        };
      });
    }
    for (const exchange of this.#running) exchange.breakOff();
    this.#context.upstreams.close();
  }

  #receive(
    request: IncomingMessage,
    response: ServerResponse,
    incoming: {
      readonly match: OpenDoor;
      readonly path: string;
      readonly id: Uuid;
      readonly framing: Framing;
      readonly awaitsContinue: boolean;
      readonly refuse: (door: Door, cause: RefusalCause) => void;
    },
  ): void {
    const { match, path, id, refuse } = incoming;
    const { clock, tap } = this.#context;
    const receivedAt = clock.now();
    const recorded = tap !== null && this.#guard.owned(request, match.key);
    response.on('error', destroyThis);
    if (incoming.awaitsContinue) response.writeContinue();
    receiveBody(request, incoming.framing, MAX_BODY_BYTES, (received) => {
      if (received.kind === 'too_large') refuse(match.door, TOO_LARGE);
      if (received.kind !== 'whole' || response.destroyed) return;
      const client = new NodeClient(response);
      const exchange = new Exchange(
        this.#context,
        {
          id,
          door: match.door,
          method: request.method ?? 'GET',
          target: match.target,
          path,
          headers: request.rawHeaders,
          body: received.body,
          receivedAt,
          wholeAt: clock.monotonic(),
          recorded,
        },
        client,
      );
      client.bind(exchange);
      this.#running.add(exchange);
      exchange.start();
    });
  }

  #count(door: Door | null, reason: string, id: Uuid): void {
    this.#options.metrics.refusals.inc({ door: door ?? 'none', reason });
    this.#options.log.info({ id, door, reason }, 'refused');
  }
}

function destroyThis(this: ServerResponse): void {
  this.destroy();
}

const CONFLICTING_LENGTHS: RefusalCause = {
  code: 'bad_request',
  reason: 'conflicting_lengths',
  message: 'The request says in two ways how long its body is. Send one Content-Length, or chunks.',
  close: true,
};

const UPGRADE: RefusalCause = {
  code: 'bad_request',
  status: 426,
  reason: 'upgrade',
  message: 'This gateway speaks plain HTTP and takes no upgrades. Send the request as a POST.',
  close: true,
};
