import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { BUILT, endProcess, runProduct, startFlags } from '../product/running.ts';

/** A way to the mock upstream that is measured. */
export interface Arm {
  readonly name: string;
  readonly base: URL;
  readonly pid: number | undefined;
}

/** The started arms, direct first, and how to end them. */
export interface Arms {
  readonly direct: Arm;
  readonly bare: Arm;
  readonly through: Arm;
  readonly archiving: Arm;
  stop(): Promise<void>;
}

/** Starts mock upstream, bare proxy, the gateway without and the whole product with its archive, each a process. */
export async function startArms(): Promise<Arms> {
  const children: ChildProcess[] = [];
  const upstreamPort = await startScript(children, 'mock-upstream.ts');
  const upstream = `http://127.0.0.1:${upstreamPort}`;
  const barePort = await startScript(children, 'bare-proxy.ts', upstream);
  const throughPort = await startScript(children, 'gateway-only.ts', upstream);
  const home = await mkdtemp(join(tmpdir(), 'context-mode-bench-'));
  const product = await runProduct({
    command: [...startFlags(), BUILT],
    home,
    anthropic: upstream,
    openai: upstream,
    variables: { LOG_LEVEL: 'error' },
  });
  children.push(product.child);
  return {
    direct: { name: 'direct', base: new URL(upstream), pid: undefined },
    bare: { name: 'bare Node proxy', base: new URL(`http://127.0.0.1:${barePort}`), pid: children[1]?.pid },
    through: {
      name: 'gateway, bytes through',
      base: new URL(`http://127.0.0.1:${throughPort}/anthropic`),
      pid: children[2]?.pid,
    },
    archiving: {
      name: 'gateway, archiving',
      base: new URL(`${product.url}/anthropic`),
      pid: children[3]?.pid,
    },
    async stop() {
      for (const child of children.reverse()) await endProcess(child, 'SIGTERM');
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function startScript(children: ChildProcess[], file: string, ...parameters: string[]): Promise<number> {
  const flags = file === 'gateway-only.ts' ? startFlags() : [];
  const script = join(import.meta.dirname, file);
  const child = spawn(process.execPath, [...flags, '--import', 'tsx', script, ...parameters], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const { port } = JSON.parse(await firstLine(child, '{')) as { port: number };
  return port;
}

async function firstLine(child: ChildProcess, begins: string): Promise<string> {
  if (child.stdout === null) throw new Error('The process has no output to read.');
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith(begins)) {
      child.stdout.resume();
      return line;
    }
  }
  throw new Error('The process ended before it was ready.');
}
