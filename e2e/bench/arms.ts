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
  /** The whole product with Recall off. */
  readonly archiving: Arm;
  /** The whole product as it is by default: with Recall, whose tool stands in each request. */
  readonly recall: Arm;
  stop(): Promise<void>;
}

/** Starts mock upstream, bare proxy, the gateway without an archive, and the whole product twice, each a process. */
export async function startArms(): Promise<Arms> {
  const children: ChildProcess[] = [];
  const upstreamPort = await startScript(children, 'mock-upstream.ts');
  const upstream = `http://127.0.0.1:${upstreamPort}`;
  const barePort = await startScript(children, 'bare-proxy.ts', upstream);
  const throughPort = await startScript(children, 'gateway-only.ts', upstream);
  const homes: string[] = [];
  const startProduct = async (name: string, recall: boolean): Promise<Arm> => {
    const home = await mkdtemp(join(tmpdir(), 'context-mode-bench-'));
    homes.push(home);
    const product = await runProduct({
      command: [...startFlags(), BUILT],
      home,
      anthropic: upstream,
      openai: upstream,
      variables: { LOG_LEVEL: 'error' },
    });
    children.push(product.child);
    await switchRecall(product.url, recall);
    return { name, base: new URL(`${product.url}/anthropic`), pid: product.child.pid };
  };
  return {
    direct: { name: 'direct', base: new URL(upstream), pid: undefined },
    bare: { name: 'bare Node proxy', base: new URL(`http://127.0.0.1:${barePort}`), pid: children[1]?.pid },
    through: {
      name: 'gateway, bytes through',
      base: new URL(`http://127.0.0.1:${throughPort}/anthropic`),
      pid: children[2]?.pid,
    },
    archiving: await startProduct('gateway, archiving', false),
    recall: await startProduct('gateway, archiving and tool', true),
    async stop() {
      for (const child of children.reverse()) await endProcess(child, 'SIGTERM');
      for (const home of homes) await rm(home, { recursive: true, force: true });
    },
  };
}

async function switchRecall(url: string, recall: boolean): Promise<void> {
  const answer = await fetch(`${url}/api/v1/settings`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ recall }),
  });
  if (!answer.ok) throw new Error(`Recall could not be switched: ${answer.status} ${await answer.text()}`);
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
