import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { isIPv6 } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import next from 'next';
import { answerOperations, VERSION } from './api/index.ts';
import { createListener } from './gateway/index.ts';
import { systemClock } from './kernel/clock.ts';
import { type Env, readEnv } from './kernel/env.ts';
import { asContextModeError, ContextModeError } from './kernel/errors.ts';
import { createLogger } from './kernel/log.ts';
import { createServices, type Services } from './services.ts';

/** Folder of the project: the built file lies in `dist/`. */
const projectFolder = dirname(dirname(fileURLToPath(import.meta.url)));
/** How long answers on their way may take to finish after the first request to stop. */
const GRACE_MS = 30_000;

async function main(): Promise<void> {
  const env = readEnv(process.env);
  refuseOpenAddress(env);
  const log = createLogger(env.logLevel, 'context-mode');
  const services = createServices({ env, clock: systemClock, log });
  const pages = next({ dev: false, dir: projectFolder, hostname: env.host, port: env.port, quiet: true });
  const showPage = pages.getRequestHandler();
  let prepared: Promise<void> = Promise.resolve();
  const server = createListener({
    gateway: services.gateway,
    guard: services.guard,
    clock: systemClock,
    fallback: (request, response) => {
      void answerOwn(services, request, response, async () => {
        await prepared;
        await showPage(request, response);
      });
    },
  });
  const url = await listen(server, env);
  endOnSignals(server, services, env);
  surviveOwnFaults(services);
  prepared = quietly(() => pages.prepare());
  await Promise.all([services.open(), prepared]);
  await writeGatewayFile(env, url);
  greet(url, env);
}

/** Next tells standard output that it has read its settings; what a start says there is ours to say. */
async function quietly(work: () => Promise<void>): Promise<void> {
  const { log } = console;
  console.log = () => undefined;
  await work().finally(() => {
    console.log = log;
  });
}

/** Local mode has no sign-in: anybody who reaches the port reads the archive, so it may only be reached from here. */
function refuseOpenAddress(env: Env): void {
  if (/^(localhost|127(\.\d{1,3}){3}|::1)$/.test(env.host)) return;
  throw new ContextModeError('configuration', `HOST is ${env.host}, which other machines may reach.`, {
    hint: 'There is no sign-in yet that would keep them out. Use HOST=127.0.0.1.',
  });
}

async function listen(server: Server, env: Env): Promise<string> {
  server.listen(env.port, env.host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    const what = code === 'EADDRINUSE' ? 'is taken by another program' : `cannot be used (${code})`;
    throw new ContextModeError('configuration', `Port ${env.port} on ${env.host} ${what}.`, {
      hint: 'If Context Mode runs already, use that one. Otherwise stop the other program or set PORT to a free one.',
      cause,
    });
  }
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : env.port;
  return `http://${isIPv6(env.host) ? `[${env.host}]` : env.host}:${port}`;
}

/** Health, readiness and counters are answered here, so that they answer while pages are still being prepared. */
async function answerOwn(
  services: Services,
  request: IncomingMessage,
  response: ServerResponse,
  page: () => Promise<void>,
): Promise<void> {
  try {
    if (!(await answerOperations(services, request, response))) await page();
  } catch (thrown) {
    services.log.error({ reason: asContextModeError(thrown).detail }, 'a page failed');
    if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' });
    response.end('Something went wrong inside Context Mode.');
  }
}

/** A fault of ours must not stop an agent: it is logged and counted, and the process goes on. */
function surviveOwnFaults({ log, metrics }: Services): void {
  const note = (where: string) => (thrown: unknown) => {
    metrics.faults.inc({ where });
    log.error({ where, reason: asContextModeError(thrown).detail }, 'a fault that nothing caught');
  };
  process.on('unhandledRejection', note('unhandled_rejection'));
  process.on('uncaughtException', note('uncaught_exception'));
}

function endOnSignals(server: Server, services: Services, env: Env): void {
  let ending = false;
  const end = (signal: NodeJS.Signals) => {
    if (ending) process.exit(signal === 'SIGINT' ? 130 : 143);
    ending = true;
    process.stdout.write('\nStopping: answers on their way may finish. Again to stop at once.\n');
    setTimeout(() => server.closeAllConnections(), GRACE_MS).unref();
    server.close();
    server.closeIdleConnections();
    void services
      .stop()
      .then(() => rm(gatewayFile(env), { force: true }))
      .then(
        () => process.exit(0),
        (thrown) => fail(thrown),
      );
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
}

/** Where the command `context-mode` finds the running gateway. */
function gatewayFile(env: Env): string {
  return join(env.home, 'gateway.json');
}

async function writeGatewayFile(env: Env, url: string): Promise<void> {
  await mkdir(env.home, { recursive: true, mode: 0o700 });
  const startedAt = new Date(systemClock.now()).toISOString();
  const text = JSON.stringify({ pid: process.pid, startedAt, url, version: VERSION });
  await writeFile(gatewayFile(env), `${text}\n`, { mode: 0o600 });
}

function greet(url: string, env: Env): void {
  process.stdout.write(
    [
      `Console  ${url}`,
      'Connect  npx @context-mode/cli connect',
      `Data     ${env.home} (nothing leaves this machine but the requests to the provider)`,
      '',
    ].join('\n'),
  );
}

function fail(thrown: unknown): never {
  const error = asContextModeError(thrown);
  process.stderr.write(
    `${error.message}\n${error.hint}\n${error.detail === undefined ? '' : `${error.detail}\n`}`,
  );
  process.exit(1);
}

main().catch(fail);
