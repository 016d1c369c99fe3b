import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TestAgent } from '../../server/gateway/compose/testing/clients.ts';
import { eventually } from '../product/eventually.ts';
import type { Simulator } from '../simulator/index.ts';
import { metric } from './archive.ts';
import { LONGER_MS } from './likeness.ts';
import {
  isLinux,
  type Product,
  removeHome,
  scratchHome,
  serverProcesses,
  signalAll,
  startProduct,
} from './product.ts';
import {
  AGENTS,
  askForWord,
  expectArchived,
  expectTaken,
  isLaidOut,
  layOut,
  setLimits,
  strictProvider,
} from './testing-laid-out.ts';

let simulator: Simulator;
let home: string;
let switches: string;
let product: Product;
let made = 0;

beforeEach(async () => {
  made += 1;
  simulator = await strictProvider(`recall under faults ${made}`);
  home = await scratchHome();
  switches = await mkdtemp(join(tmpdir(), 'context-mode-switches-'));
  product = await start();
  await setLimits(product.url);
});
afterEach(async () => {
  await product?.end('SIGTERM');
  await simulator?.stop();
  await removeHome(home);
  await rm(switches, { recursive: true, force: true });
});

function start(): Promise<Product> {
  return startProduct({ home, provider: simulator.url, switches });
}

/** Ends the gateway as a crash does, and starts it anew; the agent goes on with it. */
async function crash(agent: TestAgent): Promise<void> {
  await product.end('SIGKILL');
  product = await start();
  agent.moveTo(product.url);
}

/** One turn of a single request, within what an agent does not notice, and under the layout. */
async function expectQuickTurn(agent: TestAgent, typed: string): Promise<void> {
  const began = performance.now();
  await agent.turn(typed);
  expect(performance.now() - began, typed).toBeLessThan(LONGER_MS);
  expect(isLaidOut(simulator), typed).toBe(true);
  expectTaken(simulator);
}

function isReady(): Promise<void> {
  return eventually(async () => expect((await fetch(`${product.url}/readyz`)).status).toBe(200), 60_000);
}

describe.skipIf(!isLinux).each(AGENTS)(
  'a conversation of %s under a layout, with hidden rounds',
  (_, make) => {
    test('goes on under it while the database hangs, and nothing of it is lost', async () => {
      const agent = make(product.url);
      await layOut(agent, simulator, product.url);
      const server = await serverProcesses(home);
      signalAll(server, 'SIGSTOP');
      try {
        for (let turn = 0; turn < 4; turn += 1) await expectQuickTurn(agent, `hung ${turn} lines=1`);
      } finally {
        signalAll(server, 'SIGCONT');
      }
      await isReady();
      await expectQuickTurn(agent, 'after the hang');
      await askForWord(agent);
      expectTaken(simulator);
      await expectArchived(product.url, agent);
    });

    test('goes on under it while the database is killed, and nothing of it is lost', async () => {
      const agent = make(product.url);
      await layOut(agent, simulator, product.url);
      for (let kill = 0; kill < 3; kill += 1) {
        signalAll((await serverProcesses(home)).slice(0, 1), 'SIGKILL');
        for (let turn = 0; turn < 2; turn += 1) await expectQuickTurn(agent, `kill ${kill} turn ${turn}`);
        await isReady();
      }
      await askForWord(agent);
      expectTaken(simulator);
      await expectArchived(product.url, agent);
    });

    test('a gateway that is killed and finds its database hung goes on by the file beside it', async () => {
      const agent = make(product.url);
      await layOut(agent, simulator, product.url);
      await crash(agent);
      const server = await serverProcesses(home);
      signalAll(server, 'SIGSTOP');
      try {
        // Nothing is known to this process; what it cannot read it takes from the file, or the request falls open.
        await agent.turn('hung after a crash');
        await agent.turn('hung once more');
      } finally {
        signalAll(server, 'SIGCONT');
      }
      await isReady();
      await agent.turn('after the hang');
      await expectArchived(product.url, agent);
    });

    test('a gateway killed in the middle of a hidden round: the next request is taken', async () => {
      const agent = make(product.url);
      await layOut(agent, simulator, product.url);
      const before = simulator.requests.entries.length;
      // The first request of the turn is answered by a call of our tool; the one that brings its result is held.
      simulator.faults.add({ fault: { kind: 'gate', name: 'round', at: 'headers' }, skip: 1 });
      const left = agent.turn('What is the code word of the harbour office?').catch(() => null);
      await eventually(async () => expect(simulator.faults.left).toBe(0));
      expect(simulator.requests.entries.length).toBe(before + 2);
      await crash(agent);
      simulator.gates.open('round');
      expect(await left).toBeNull();
      await agent.resend(product.url);
      await agent.turn('after the crash');
      await askForWord(agent);
      expectTaken(simulator);
      await expectArchived(product.url, agent);
    });

    test('goes on under it when the recorder’s thread dies', async () => {
      const agent = make(product.url);
      await layOut(agent, simulator, product.url);
      for (let death = 1; death <= 2; death += 1) {
        await writeFile(join(switches, 'break-recorder'), '');
        await eventually(async () =>
          expect(await metric(product.url, 'context_mode_faults_total{where="recorder"}')).toBe(death),
        );
        for (let turn = 0; turn < 3; turn += 1) await expectQuickTurn(agent, `death ${death} turn ${turn}`);
      }
      // What came while no recorder ran is brought by the first request that meets one.
      const lost = () => metric(product.url, 'context_mode_not_archived_total{reason="recorder_failed"}');
      await eventually(async () => {
        const before = await lost();
        await agent.turn('once more');
        expect(await lost()).toBe(before);
      });
      await askForWord(agent);
      expectTaken(simulator);
      await expectArchived(product.url, agent);
    });
  },
);

test.skipIf(!isLinux)(
  'what fails again and again is told of while the database does not answer',
  async () => {
    const [[, make]] = AGENTS as [(typeof AGENTS)[number]];
    const server = await serverProcesses(home);
    signalAll(server, 'SIGSTOP');
    try {
      for (let one = 0; one < 6; one += 1) await make(product.url).turn(`new ${one}`);
      const health = (await (await fetch(`${product.url}/readyz`)).json()) as {
        parts: readonly { name: string; ok: boolean; note: string | null }[];
      };
      expect(health.parts.find((part) => part.name === 'recall')?.note).toMatch(
        /^\d+ requests of the last five/,
      );
    } finally {
      signalAll(server, 'SIGCONT');
    }
    await isReady();
  },
);
