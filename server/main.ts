import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import next from 'next';
import { answerOperations } from './api/index.ts';
import { createListener } from './gateway/index.ts';
import { systemClock } from './kernel/clock.ts';
import { readEnv } from './kernel/env.ts';
import { faultOf } from './kernel/errors.ts';
import { createLogger } from './kernel/log.ts';
import { localAccess } from './local-access.ts';
import {
  announce,
  endOnSignals,
  fail,
  listen,
  prepareHome,
  refuseOpenAddress,
  surviveOwnFaults,
  urlOf,
} from './process.ts';
import { createServices, type Services } from './services.ts';

/** Folder of the project: the built file lies in `dist/`. */
const projectFolder = dirname(dirname(fileURLToPath(import.meta.url)));

async function main(): Promise<void> {
  const env = readEnv(process.env);
  refuseOpenAddress(env);
  await prepareHome(env);
  const log = createLogger(env.logLevel, 'context-mode');
  const access = await localAccess(env, systemClock);
  const services = createServices({ env, clock: systemClock, log, access });
  const pages = next({ dev: false, dir: projectFolder, hostname: env.host, port: env.port, quiet: true });
  const showPage = pages.getRequestHandler();
  let prepared: Promise<void> = Promise.resolve();
  const server = createListener({
    gateway: services.gateway,
    guard: services.guard,
    console: access.console,
    clock: systemClock,
    fallback: (request, response) => {
      void answerOwn(services, request, response, async () => {
        await prepared;
        await showPage(request, response);
      });
    },
  });
  await listen(server, env);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : env.port;
  endOnSignals(() => [server], services, env);
  surviveOwnFaults(services);
  prepared = quietly(() => pages.prepare());
  await Promise.all([services.open(), prepared]);
  await announce(urlOf(env.host, port), env, access.links);
}

/** Next tells standard output that it has read its settings; what a start says there is ours to say. */
async function quietly(work: () => Promise<void>): Promise<void> {
  const { log } = console;
  console.log = () => undefined;
  await work().finally(() => {
    console.log = log;
  });
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
    services.log.error({ reason: faultOf(thrown) }, 'a page failed');
    if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' });
    response.end('Something went wrong inside Context Mode.');
  }
}

main().catch(fail);
