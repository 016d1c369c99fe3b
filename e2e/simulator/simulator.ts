import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { SimulatorClock } from './clock.ts';
import { controlAnswer } from './control.ts';
import { answerRequest } from './router.ts';
import type { Scenario, ScenarioFunction } from './script/types.ts';
import { isSocketPath, ResponseSockets } from './web-socket.ts';
import { prepareCodings } from './wire/coding.ts';
import { deliver } from './wire/deliver.ts';
import type { LoggedRequest } from './wire/log.ts';
import { headerPairs, readBody } from './wire/receive.ts';
import { answerUpgrade } from './wire/upgrade.ts';
import { createWorld, type Settings, settingsWith, type World } from './world.ts';

/** How a simulator is started. Everything in `settings` can also be changed while it runs. */
export type SimulatorOptions = {
  /** Port to listen on; 0 or left out takes a free one. */
  readonly port?: number;
  /** Address to listen on, 127.0.0.1 if left out. */
  readonly host?: string;
  /** Goes into ids, signatures and ciphertexts, so that two simulators refuse each other's. */
  readonly seed?: string;
  /** The first time of the clock in Unix milliseconds; the machine's time if left out. */
  readonly startMs?: number;
  /** A frozen clock moves by `clock.advance` alone. */
  readonly frozen?: boolean;
  readonly settings?: Partial<Settings>;
  /** Bytes of bodies that the log keeps before its oldest entries leave it; 512 MB if left out. */
  readonly logBytes?: number;
  readonly scenarios?: readonly (Scenario | ScenarioFunction)[];
};

/**
 * A running simulator: what it listens on, and its world to look into and to steer. `requests` is the log, `script`
 * the scripted model.
 */
export type Simulator = {
  /** Base address without a trailing slash, such as `http://127.0.0.1:40123`. */
  readonly url: string;
  readonly port: number;
  readonly clock: World['clock'];
  readonly script: World['model'];
  readonly faults: World['faults'];
  readonly gates: World['gates'];
  readonly requests: World['log'];
  readonly settings: Settings;
  /** Forgets log, scenarios, faults and caches; the clock and the settings stay. */
  readonly reset: () => void;
  /** Closes all connections and the port. */
  readonly stop: () => Promise<void>;
};

/** Starts a simulator of both providers on one port. Rejects when the port cannot be listened on. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  await prepareCodings();
  const { startMs, frozen, logBytes } = options;
  const clock = new SimulatorClock({
    ...(startMs === undefined ? {} : { startMs }),
    ...(frozen === undefined ? {} : { frozen }),
  });
  const world = createWorld({
    seed: options.seed ?? 'simulator',
    settings: settingsWith(options.settings),
    clock,
    ...(logBytes === undefined ? {} : { logBytes }),
  });
  for (const scenario of options.scenarios ?? []) world.model.add(scenario);
  const server = serve(world);
  const host = options.host ?? '127.0.0.1';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${port}`,
    port,
    clock,
    script: world.model,
    faults: world.faults,
    gates: world.gates,
    requests: world.log,
    settings: world.settings,
    reset: () => resetWorld(world),
    stop: () => stopServer(server),
  };
}

/** Forgets what a world gathered. */
export function resetWorld(world: World): void {
  world.log.clear();
  world.model.clear();
  world.faults.clear();
  world.cache.clear();
  world.inputCache.clear();
  world.rates.clear();
  world.threads.clear();
  world.diagnostics.clear();
  world.fallbacks.clear();
  world.stored.clear();
  world.issued.clear();
  world.issuedItems.clear();
}

function serve(world: World): Server {
  const connections = new WeakMap<object, number>();
  let connectionCount = 0;
  const sockets = new Set<Socket>();
  const server = createServer({
    maxHeaderSize: 262_144,
    requestTimeout: 0,
    keepAliveTimeout: 60_000,
    noDelay: true,
  });
  server.headersTimeout = 0;
  server.on('connection', (socket) => {
    connectionCount += 1;
    connections.set(socket, connectionCount);
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // A client that resets its connection is an ordinary event here.
    socket.on('error', () => socket.destroy());
  });
  const open = (request: IncomingMessage) =>
    world.log.open({
      connection: connections.get(request.socket) ?? 0,
      method: request.method ?? '',
      target: request.url ?? '',
      httpVersion: request.httpVersion,
      headers: headerPairs(request.rawHeaders),
      receivedAtMs: world.clock.now(),
    });
  server.on('request', (request, response) => {
    const isControl = (request.url ?? '').startsWith('/__simulator');
    const handled = isControl
      ? control(request, response, world)
      : receive(open(request), request, response, world);
    handled.catch((error: unknown) => {
      process.stderr.write(`simulator: ${error instanceof Error ? error.stack : String(error)}\n`);
      response.destroy();
    });
  });
  const webSockets = new ResponseSockets(world);
  server.on('upgrade', (request, socket, head) => {
    const entry = open(request);
    if (world.settings.webSocketStatus !== 101 || !isSocketPath(entry.target))
      answerUpgrade(entry, socket, world);
    else webSockets.accept(entry, request, socket, head);
  });
  server.on('close', () => sockets.clear());
  allSockets.set(server, sockets);
  return server;
}

const allSockets = new WeakMap<Server, Set<Socket>>();

async function receive(
  entry: LoggedRequest,
  request: IncomingMessage,
  response: ServerResponse,
  world: World,
): Promise<void> {
  const gone = new AbortController();
  const changed = () => world.log.changed();
  const { socket } = request;
  const leave = () => {
    const ending = entry.answer?.ending;
    if (ending === 'finished' || ending === 'reset' || ending === 'cut') return;
    entry.clientClosedAtMs ??= world.clock.now();
    gone.abort();
    changed();
  };
  socket.once('close', leave);
  response.once('close', () => socket.off('close', leave));
  response.once('close', leave);
  const { bytes, complete } = await readBody(request);
  entry.body = bytes;
  entry.bodyComplete = complete;
  changed();
  if (!complete) return;
  if (world.settings.latencyMs > 0) await world.clock.sleep(world.settings.latencyMs, gone.signal);
  if (gone.signal.aborted) return;
  const { answer, fault } = answerRequest(entry, world);
  const delivery = {
    response,
    socket,
    clock: world.clock,
    gates: world.gates,
    entry,
    changed,
    gone: gone.signal,
  };
  await deliver(answer, fault, delivery);
}

async function control(request: IncomingMessage, response: ServerResponse, world: World): Promise<void> {
  const { bytes } = await readBody(request);
  const { status, body } = await controlAnswer(request.method ?? '', request.url ?? '', bytes, world, () =>
    resetWorld(world),
  );
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function stopServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const socket of allSockets.get(server) ?? []) socket.destroy();
  await closed;
}
