import { createServer, type Server } from 'node:http';
import { meetConnections, watchIncoming, webRefusalElsewhere } from './gateway/index.ts';
import { systemClock } from './kernel/clock.ts';
import { readEnv } from './kernel/env.ts';
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
import { createServices } from './services.ts';

/** The product where Next is the server: `check` before Next is started, `start` from its instrumentation. */

/** What the command `context-mode` recognises the product's process by. Next names its process after itself. */
const PROCESS_TITLE = 'node server/setup/start.mjs';
const { log: printToConsole } = console;

/**
 * Looks at the environment and the port, ends the process with one clear error where they will not do, and keeps Next
 * from printing what a start says in its own words. Next sets no limit on an answer, so nothing else is set here.
 */
export async function check(): Promise<void> {
  try {
    const env = readEnv(process.env);
    refuseOpenAddress(env);
    await prepareHome(env);
    const probe = createServer();
    await listen(probe, env);
    await new Promise((resolve) => probe.close(resolve));
    console.log = () => undefined;
  } catch (thrown) {
    fail(thrown);
  }
}

/**
 * Makes the services and provides them to the handlers, which answer doors at once; opens the archive beside that,
 * then says so. Next listens already, and has written the port it got into `PORT`. Never rejects: a fault that only a
 * person can mend ends the process.
 */
export async function start(): Promise<void> {
  try {
    const env = readEnv(process.env);
    refuseOpenAddress(env);
    await prepareHome(env);
    process.title = PROCESS_TITLE;
    const servers = new Set<Server>();
    const log = createLogger(env.logLevel, 'context-mode');
    const access = await localAccess(env, systemClock);
    watchIncoming((incoming, server) => {
      void access.guard.owned(incoming);
      if (servers.has(server)) return;
      servers.add(server);
      meetConnections(server, access.guard);
    });
    const services = createServices({
      env,
      clock: systemClock,
      log,
      access,
      refusal: (guard) => webRefusalElsewhere(guard, systemClock),
    });
    endOnSignals(() => servers, services, env);
    surviveOwnFaults(services);
    services
      .open()
      .then(() => announce(urlOf(env.host, env.port), env, access.links))
      .then(() => {
        console.log = printToConsole;
      })
      .catch(fail);
  } catch (thrown) {
    fail(thrown);
  }
}
