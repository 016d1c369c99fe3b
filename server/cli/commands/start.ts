import { mkdir, readFile, rename, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { dataFolder } from '../data-folder.ts';
import { CliFailure, EXIT, type ExitCode } from '../failure.ts';
import { consoleAddress, findAddress, probe, readGatewayFile, readiness } from '../gateway/client.ts';
import { findGatewayProcess, findProduct, logFile, noteStart, startScript } from '../local-gateway.ts';
import { type Output, shownPath } from '../output.ts';
import type { Started, World } from '../world.ts';

/** The first start installs and builds; the later ones take seconds. */
const WAIT_SECONDS = 600;
const POLL_MS = 250;
const MAX_LOG_BYTES = 10_000_000;
const SHOWN_LOG_LINES = 12;

/** Options of `start`. */
export interface StartOptions {
  /** Folder of the product, where the package lies elsewhere. */
  readonly product?: string | undefined;
  /** How long to wait until the gateway answers, in seconds. */
  readonly wait?: number | undefined;
}

/** Starts the local gateway in the background and waits until it answers. @returns the exit code. */
export async function start(world: World, output: Output, options: StartOptions): Promise<0 | ExitCode> {
  const address = await findAddress(world, undefined);
  const found = await probe(world, address);
  if (found.state === 'healthy') return await tell(world, output, { url: address, started: false });
  if (found.state === 'foreign') {
    throw new CliFailure(
      EXIT.process,
      `Another program answers at ${address}.`,
      'Stop it, or set PORT to a free port.',
    );
  }
  const product = await findProduct(world, options.product && resolve(world.folder, options.product));
  const log = logFile(world);
  await mkdir(dataFolder(world), { recursive: true, mode: 0o700 });
  const running = await findGatewayProcess(world);
  if (found.state === 'refusing' && running === null) {
    throw new CliFailure(
      EXIT.process,
      `The gateway at ${address} belongs to somebody else, or keeps its data in another folder.`,
      'Set CONTEXT_MODE_HOME to its data folder, or PORT to a free port.',
    );
  }
  const from = await rotated(log);
  const child = running ? null : world.startNode(startScript(product), { folder: product, logFile: log });
  if (child) await noteStart(world, child.pid);
  output.line(
    running
      ? 'The gateway is being started already.'
      : `Starting the gateway (log: ${shownPath(world, log)}).`,
  );
  const url = await waitUntilReady(world, child, options.wait ?? WAIT_SECONDS);
  if (url !== null) return await tell(world, output, { url, started: child !== null });
  const ended = child?.exitCode() != null;
  throw new CliFailure(
    EXIT.process,
    ended ? 'The gateway ended before it answered.' : 'The gateway does not answer yet.',
    `${ended ? '' : 'It may still be installing or building; look again with "context-mode status". '}The end of its log (${shownPath(world, log)}):\n${await lastLines(log, from)}`,
  );
}

/** Waits until the gateway answers and can archive. @returns its address, or null where it never answered. */
async function waitUntilReady(
  world: World,
  child: Started | null,
  waitSeconds: number,
): Promise<string | null> {
  const deadline = world.now() + waitSeconds * 1000;
  let answering: string | null = null;
  while (world.now() < deadline) {
    // A gateway on a port of its own choice says in its file where it is.
    const served = await readGatewayFile(world);
    const url = served?.url ?? (await findAddress(world, undefined));
    answering = (await probe(world, url)).state === 'healthy' ? url : null;
    if (answering !== null && (await readiness(world, url)).ready) return url;
    if (child?.exitCode() != null) return null;
    await world.sleep(POLL_MS);
  }
  return answering;
}

async function tell(world: World, output: Output, done: { url: string; started: boolean }): Promise<0> {
  const { ready, parts } = await readiness(world, done.url);
  output.line(done.started ? 'The gateway runs.' : 'The gateway runs already.');
  if (!ready) output.line('It does not archive yet: bytes pass unrecorded meanwhile.');
  for (const part of parts) if (!part.ok) output.line(`  ${part.name}: ${part.note ?? 'not ready'}`);
  const console = (await consoleAddress(world, done.url)) ?? done.url;
  output.line(`Console  ${console}`);
  output.line('Connect  context-mode connect');
  output.result({
    ok: true,
    exitCode: 0,
    url: done.url,
    console,
    started: done.started,
    ready,
    log: logFile(world),
  });
  return 0;
}

/** Puts a log that has grown large aside. @returns the size of the one that is written on. */
async function rotated(log: string): Promise<number> {
  const size = await stat(log).then(
    (info) => info.size,
    () => 0,
  );
  if (size <= MAX_LOG_BYTES) return size;
  await rename(log, `${log}.1`);
  return 0;
}

async function lastLines(log: string, from: number): Promise<string> {
  const text = await readFile(log).then(
    (bytes) => bytes.subarray(from).toString('utf8'),
    () => '',
  );
  const lines = text.trimEnd().split('\n').slice(-SHOWN_LOG_LINES);
  return lines.map((line) => `  ${line}`).join('\n');
}
