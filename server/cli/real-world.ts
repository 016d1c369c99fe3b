import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { systemCodeOf } from './failure.ts';
import { download, upload, uploadPieces } from './http-files.ts';
import { listProcesses } from './processes.ts';
import type { HttpAnswer, HttpHeaders, Started, World } from './world.ts';

/** As the product's own `start` script has them. */
const NODE_FLAGS = ['--initial-old-space-size=128'];
/** An answer larger than this is not one of the gateway's. */
const MAX_ANSWER_BYTES = 16_000_000;

/** The world as it is: the only file of the command that reads the environment, the clock and the terminal. */
export function realWorld(packageFolder: string): World {
  return {
    variables: process.env,
    platform: process.platform,
    home: homedir(),
    folder: process.cwd(),
    packageFolder,
    terminal: process.stdin.isTTY === true && process.stdout.isTTY === true,
    write: (text) => void process.stdout.write(text),
    complain: (text) => void process.stderr.write(text),
    ask,
    now: Date.now,
    sleep: (milliseconds) => delay(milliseconds),
    randomName: () => randomBytes(6).toString('hex'),
    get: (url, timeoutMs, headers) => send('GET', url, timeoutMs, headers),
    post: (url, timeoutMs, headers) => send('POST', url, timeoutMs, headers),
    download,
    upload,
    uploadPieces,
    reaches,
    processes: () =>
      listProcesses(
        process.platform,
        async (command, args) => (await run(command, args, 10_000))?.output ?? '',
      ),
    lives,
    signal,
    run,
    startNode,
  };
}

async function ask(question: string): Promise<boolean> {
  const reader = createInterface({ input: process.stdin, output: process.stdout });
  // Input that ends, or Ctrl-C, is a no.
  const closed = new Promise<string>((resolve) => reader.once('close', () => resolve('')));
  try {
    const answer = await Promise.race([reader.question(`${question} [y/N] `), closed]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    reader.close();
  }
}

function send(
  method: 'GET' | 'POST',
  url: string,
  timeoutMs: number,
  more: HttpHeaders = {},
): Promise<HttpAnswer | null> {
  return new Promise((resolve) => {
    const open = url.startsWith('https:') ? requestHttps : requestHttp;
    const headers = { accept: 'application/json', ...more };
    const request = open(url, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_ANSWER_BYTES) response.destroy();
        else chunks.push(chunk);
      });
      response.on('end', () => {
        const headers = Object.entries(response.headers).map(([name, value]): [string, string] => [
          name,
          String(value),
        ]);
        const body = parsed(Buffer.concat(chunks).toString('utf8'));
        resolve({ status: response.statusCode ?? 0, headers: new Map(headers), body });
      });
      response.on('close', () => resolve(null));
    });
    const timer = setTimeout(() => request.destroy(), timeoutMs);
    request.on('error', () => resolve(null));
    request.on('close', () => clearTimeout(timer));
    request.end();
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function reaches(host: string, port: number, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (reached: boolean) => {
      socket.destroy();
      resolve(reached);
    };
    socket.setTimeout(timeoutMs, () => end(false));
    socket.on('connect', () => end(true));
    socket.on('error', () => end(false));
  });
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (fault) {
    return systemCodeOf(fault) === 'EPERM';
  }
}

function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): boolean {
  try {
    return process.kill(pid, name);
  } catch (fault) {
    if (systemCodeOf(fault) === 'ESRCH') return false;
    throw fault;
  }
}

function run(
  command: string,
  args: readonly string[],
  timeoutMs: number,
): Promise<{ code: number; output: string } | null> {
  const options = { timeout: timeoutMs, maxBuffer: MAX_ANSWER_BYTES, windowsHide: true };
  return new Promise((resolve) => {
    try {
      execFile(command, args, options, (fault, out, error) => {
        const code = fault === null ? 0 : typeof fault.code === 'number' ? fault.code : null;
        resolve(code === null ? null : { code, output: out + error });
      });
    } catch {
      // Windows refuses to run scripts (`.cmd`) in this way.
      resolve(null);
    }
  });
}

function startNode(script: string, options: { folder: string; logFile: string }): Started {
  const log = openSync(options.logFile, 'a', 0o600);
  try {
    const child = spawn(process.execPath, [...NODE_FLAGS, script], {
      cwd: options.folder,
      detached: true,
      windowsHide: true,
      stdio: ['ignore', log, log],
    });
    let ended: number | null = null;
    child.on('exit', (code) => {
      ended = code ?? 128;
    });
    child.on('error', () => {
      ended = 127;
    });
    child.unref();
    return { pid: child.pid ?? 0, exitCode: () => ended };
  } finally {
    closeSync(log);
  }
}
