import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { exchange } from '../faults/exchange.ts';
import { type Product, removeHome, scratchHome, serverProcesses, startProduct } from '../faults/product.ts';
import { percentile } from './measure.ts';
import { claudeTranscript } from './transcript.ts';

// `npm run bench:memory [-- --rounds 5]`: what the product holds at rest, under 128 sessions that stream at once, with readers that do not
// read, and after the requests of hours in a few minutes.
const SESSIONS = 128;
/** How long each of the sessions streams, and the pause between two of its events: what a model takes for a word. */
const STREAM_MS = 15_000;
const EVENT_MS = 50;
/** Megabytes that are sent to each of the readers that do not read. */
const FLOOD_MB = 8;
/** Requests of a round of work, its rounds, and the size of a session's history, in bytes. */
const ROUND = 600;
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const ROUNDS = Number(values.rounds);
const HISTORY = 60_000;
/** Turns of one session before the next begins. */
const TURNS = 30;
const REST_MS = 4_000;

interface Row {
  readonly what: string;
  /** Memory of the product's process at the end and at most, of the database's processes at the end; megabytes. */
  readonly end: number;
  readonly most: number;
  readonly database: number;
  readonly note: string;
}

const provider = await startTrickle();
const home = await scratchHome();
const product = await startProduct({ home, provider: provider.url });
const rows: Row[] = [];
try {
  await measured('at rest, right after the start', () => pause(REST_MS).then(() => ''));
  await measured(`${SESSIONS} sessions stream at once`, streams);
  await measured('at rest after that', () => pause(REST_MS).then(() => ''));
  await measured(`${SESSIONS} readers that do not read, ${FLOOD_MB} MB for each`, slowReaders);
  await measured('at rest after that', () => pause(REST_MS).then(() => ''));
  for (let round = 1; round <= ROUNDS; round += 1)
    await measured(`round ${round} of ${ROUND} requests`, () => work(round));
  await measured('at rest after that', () => pause(REST_MS * 3).then(() => ''));
  await report();
} finally {
  provider.stop();
  await product.end('SIGTERM');
  await removeHome(home);
}

async function measured(what: string, work: () => Promise<string>): Promise<void> {
  let most = 0;
  const look = () => {
    most = Math.max(most, product.memoryKib() / 1024);
  };
  look();
  const timer = setInterval(look, 50);
  const note = await work();
  await settled(product);
  clearInterval(timer);
  look();
  const row = { what, end: product.memoryKib() / 1024, most, database: await databaseMegabytes(), note };
  rows.push(row);
  process.stdout.write(`${lineOf(row)}\n`);
}

/** Memory of the database's processes together, each shared page counted once. */
async function databaseMegabytes(): Promise<number> {
  let kib = 0;
  for (const pid of await serverProcesses(home)) {
    try {
      const text = execFileSync('cat', [`/proc/${pid}/smaps_rollup`], { encoding: 'utf8', stdio: 'pipe' });
      kib += Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0);
    } catch {
      // A process that has ended meanwhile.
    }
  }
  return kib / 1024;
}

async function settled({ url }: Product): Promise<void> {
  for (;;) {
    const text = await (await fetch(`${url}/metrics`)).text();
    if (/^context_mode_record_queue_bytes 0$/m.test(text)) return;
    await pause(200);
  }
}

async function streams(): Promise<string> {
  const first: number[] = [];
  await Promise.all(
    Array.from({ length: SESSIONS }, async (_, n) => {
      const { path, headers, body } = claudeTranscript({ messages: 21, bytes: HISTORY, seed: 1 + n });
      const bytes = body();
      const began = performance.now();
      let came = 0;
      await exchange(
        {
          base: product.anthropic,
          path,
          headers: { ...headers, 'x-stream': String(STREAM_MS) },
          body: bytes,
        },
        () => {
          if (came === 0) first.push(performance.now() - began);
          came += 1;
        },
      );
    }),
  );
  return `first byte p50 ${percentile(first, 0.5).toFixed(0)} ms, p99 ${percentile(first, 0.99).toFixed(0)} ms`;
}

async function slowReaders(): Promise<string> {
  const { hostname, port } = new URL(product.url);
  const sockets: Socket[] = [];
  const before = provider.floods();
  for (let n = 0; n < SESSIONS; n += 1) {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.pause();
    await once(socket, 'connect');
    const { path, headers, body } = claudeTranscript({ messages: 3, bytes: 3_000, seed: 10_000 + n });
    const bytes = body();
    const lines = Object.entries({
      host: '127.0.0.1',
      ...headers,
      'x-flood': String(FLOOD_MB),
      'content-length': String(bytes.length),
    });
    socket.write(
      `POST /anthropic${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    );
    socket.write(bytes);
    sockets.push(socket);
  }
  while (provider.floods() < before + SESSIONS) await pause(50);
  await pause(REST_MS);
  for (const socket of sockets) socket.destroy();
  return `${SESSIONS * FLOOD_MB} MB offered`;
}

async function work(round: number): Promise<string> {
  const began = performance.now();
  for (let n = 0; n < ROUND; n += TURNS * 4) {
    await Promise.all(
      Array.from({ length: 4 }, async (_, line) => {
        const seed = 100_000 + round * 10_000 + n + line;
        const transcript = claudeTranscript({ messages: 21, bytes: HISTORY, seed });
        for (let turn = 0; turn < TURNS; turn += 1) {
          await exchange({
            base: product.anthropic,
            path: transcript.path,
            headers: transcript.headers,
            body: transcript.body(),
          });
          transcript.grow();
        }
      }),
    );
  }
  return `${((performance.now() - began) / 1_000).toFixed(0)} s`;
}

/** A provider whose answers take their time (`x-stream`), are endless (`x-flood`), or come at once. */
async function startTrickle(): Promise<{ url: string; floods(): number; stop(): void }> {
  let floods = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      const flood = Number(request.headers['x-flood'] ?? 0);
      response.writeHead(200, { 'content-type': flood > 0 ? 'text/plain' : 'text/event-stream' });
      if (flood > 0) {
        floods += 1;
        pour(response, flood * 1024 * 1024);
      } else trickle(response, Number(request.headers['x-stream'] ?? 0));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    floods: () => floods,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function eventOf(type: string, rest: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
}

function trickle(response: ServerResponse, forMs: number): void {
  const message = { id: 'msg_memory', type: 'message', role: 'assistant', model: 'm', content: [] };
  response.write(eventOf('message_start', { message }));
  response.write(eventOf('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }));
  let left = Math.floor(forMs / EVENT_MS) + 1;
  const next = () => {
    if (response.destroyed) return;
    const delta = { type: 'text_delta', text: `word ${left} ` };
    response.write(eventOf('content_block_delta', { index: 0, delta }));
    left -= 1;
    if (left > 0) return void setTimeout(next, EVENT_MS);
    response.end(eventOf('content_block_stop', { index: 0 }) + eventOf('message_stop'));
  };
  next();
}

function pour(response: ServerResponse, bytes: number): void {
  const piece = Buffer.alloc(64 * 1024, 'flood ');
  let sent = 0;
  const more = () => {
    while (sent < bytes && !response.destroyed) {
      sent += piece.length;
      if (!response.write(piece)) return void response.once('drain', more);
    }
    response.end();
  };
  more();
}

function lineOf({ what, end, most, database, note }: Row): string {
  return `| ${what} | ${end.toFixed(0)} | ${most.toFixed(0)} | ${database.toFixed(0)} | ${note} |`;
}

async function report(): Promise<void> {
  const at = new Date().toISOString();
  const text = [
    `# Memory, ${at}`,
    '',
    `Node ${process.version}; resident memory of the product's process (gateway, recorder, console) and the proportional share of its database's processes, in MB.`,
    '',
    '| what | product, end | product, most | database | |',
    '| --- | --- | --- | --- | --- |',
    ...rows.map(lineOf),
    '',
  ].join('\n');
  const folder = join(import.meta.dirname, 'reports');
  await mkdir(folder, { recursive: true });
  const name = `memory-${at.replace(/[:.]/g, '-')}`;
  await writeFile(
    join(folder, `${name}.json`),
    `${JSON.stringify({ at, node: process.version, rows }, null, 2)}\n`,
  );
  await writeFile(join(folder, `${name}.md`), text);
  process.stdout.write(`\n${text}`);
}
