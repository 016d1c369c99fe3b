import { access, constants, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { type ConsoleAccess, VERSION } from './api/index.ts';
import { systemClock } from './kernel/clock.ts';
import type { Env } from './kernel/env.ts';
import { asContextModeError, ContextModeError, faultOf } from './kernel/errors.ts';
import type { Services } from './services.ts';

/** What the product's own server and Next alone have in common: how a process of the product begins and ends. */

/** How long answers on their way may take to finish after the first request to stop. */
const GRACE_MS = 30_000;

/**
 * Local mode has no sign-in: anybody who reaches the port reads the archive, so it may only be reached from here.
 * @throws ContextModeError `configuration` where `HOST` is no loopback address
 */
export function refuseOpenAddress(env: Env): void {
  if (/^(localhost|127(\.\d{1,3}){3}|::1)$/.test(env.host)) return;
  throw new ContextModeError('configuration', `HOST is ${env.host}, which other machines may reach.`, {
    hint: 'There is no sign-in yet that would keep them out. Use HOST=127.0.0.1.',
  });
}

/** Makes the data folder. @throws ContextModeError `configuration` where it cannot be made or written to */
export async function prepareHome(env: Env): Promise<void> {
  try {
    await mkdir(env.home, { recursive: true, mode: 0o700 });
    await access(env.home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    throw new ContextModeError('configuration', `The data folder ${env.home} cannot be used (${code}).`, {
      hint: 'Give it to the user who starts Context Mode, or set CONTEXT_MODE_HOME to another folder.',
      cause,
    });
  }
}

/** Listens where the environment says. @throws ContextModeError `configuration` where that is not possible */
export async function listen(server: Server, env: Env): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(env.port, env.host, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    const what = code === 'EADDRINUSE' ? 'is taken by another program' : `cannot be used (${code})`;
    throw new ContextModeError('configuration', `Port ${env.port} on ${env.host} ${what}.`, {
      hint: 'If Context Mode runs already, use that one. Otherwise stop the other program or set PORT to a free one.',
      cause,
    });
  }
}

/** The address that a browser opens. */
export function urlOf(host: string, port: number): string {
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** True since the first request to stop. */
let ending = false;

/**
 * Tells the command `context-mode` and the person at the terminal that the process is ready, and where; nothing where it
 * was told to stop meanwhile.
 */
export async function announce(url: string, env: Env, links: ConsoleAccess): Promise<void> {
  if (ending) return;
  const startedAt = new Date(systemClock.now()).toISOString();
  const text = JSON.stringify({ pid: process.pid, startedAt, url, version: VERSION });
  await writeFile(gatewayFile(env), `${text}\n`, { mode: 0o600 });
  process.stdout.write(
    [
      `Console  ${links.makeLink(url)}`,
      'Connect  npx @context-mode/cli connect',
      `Data     ${env.home} (nothing leaves this machine but the requests to the provider)`,
      '',
    ].join('\n'),
  );
}

/**
 * A fault of ours must not stop an agent: it is logged and counted, and the process goes on. Output that nobody reads
 * any more (a closed terminal, a pipe whose reader left) is no fault: telling of it would fail again, without end.
 */
export function surviveOwnFaults({ log, metrics }: Services): void {
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
  const note = (where: string) => (thrown: unknown) => {
    metrics.faults.inc({ where });
    log.error({ where, reason: faultOf(thrown) }, 'a fault that nothing caught');
  };
  process.on('unhandledRejection', note('unhandled_rejection'));
  process.on('uncaughtException', note('uncaught_exception'));
}

/**
 * Ends the process in order at the first signal (nothing new comes in, answers finish, the archive is written, the
 * database stops) and at once at the second.
 * @param servers what listens, as it is known at that moment
 */
export function endOnSignals(servers: () => Iterable<Server>, services: Services, env: Env): void {
  const end = (signal: NodeJS.Signals) => {
    if (ending) process.exit(signal === 'SIGINT' ? 130 : 143);
    ending = true;
    process.stdout.write('\nStopping: answers on their way may finish. Again to stop at once.\n');
    for (const server of servers()) {
      setTimeout(() => server.closeAllConnections(), GRACE_MS).unref();
      server.close();
      server.closeIdleConnections();
    }
    void services
      .stop()
      .then(() => withdraw(env))
      .then(
        () => process.exit(0),
        (thrown) => fail(thrown),
      );
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
}

/** Takes back what `announce` wrote, unless another process on the same folder has written it anew. */
async function withdraw(env: Env): Promise<void> {
  const text = await readFile(gatewayFile(env), 'utf8').catch(() => '');
  if (text.includes(`"pid":${process.pid},`)) await rm(gatewayFile(env), { force: true });
}

/** Where the command `context-mode` finds the running gateway. */
function gatewayFile(env: Env): string {
  return join(env.home, 'gateway.json');
}

/** Ends the process with one error: what was wrong and what to do. */
export function fail(thrown: unknown): never {
  const error = asContextModeError(thrown);
  process.stderr.write(
    `${error.message}\n${error.hint}\n${error.detail === undefined ? '' : `${error.detail}\n`}`,
  );
  process.exit(1);
}
