import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Arm, startArms } from './arms.ts';
import { foundConversation, type GrowingConversation, growingConversation } from './conversation.ts';
import { connections, percentile, timeToFirstByte } from './measure.ts';

/** Requests per arm and size in each round, and rounds; arms take turns within a round, so that drift hits all alike. */
const ROUNDS = 12;
const PER_ROUND: Readonly<Record<string, number>> = { '2 KB': 60, '300 KB': 30, '3 MB': 12 };
/** Requests that each arm answers before anything is counted, so that no arm is measured while it compiles. */
const WARM_UP = 400;
/**
 * How requests follow each other, in milliseconds between an answer's end and the next request. An agent waits for its
 * model and its tools in between; back to back shows what the gateway's other work costs while it is under way.
 */
const PACES: Readonly<Record<string, number>> = { 'one at a time': 40, 'back to back': 0 };
/** Quiet after an arm's turn: what it does behind an answer must not be counted against the next arm. */
const SETTLE_MS = 600;
const SIZES: Readonly<Record<string, number>> = { '2 KB': 2_000, '300 KB': 300_000, '3 MB': 3_000_000 };
/** How far a conversation may grow while requests of a size are measured: then another begins. */
const GROWS_TO = 3;
const COLD_ROUNDS = 24;
/** Large requests kept in flight while small ones are measured. */
const LARGE_IN_FLIGHT = 2;
const SMALL_BESIDE_LARGE = 60;

interface Row {
  readonly what: string;
  readonly arm: string;
  readonly p50: number;
  readonly p99: number;
  readonly addedP50: number;
  readonly addedP99: number;
  readonly ratioToBare: number | null;
  readonly overBare: number | null;
}

const arms = await startArms();
const all = [arms.direct, arms.bare, arms.through, arms.archiving, arms.recall];
let sessions = 1;
try {
  const rows: Row[] = [];
  await warmUp();
  for (const pace of Object.keys(PACES)) {
    for (const size of Object.keys(SIZES)) rows.push(...(await warm(size, pace)));
  }
  rows.push(...(await cold()));
  rows.push(...(await besideLarge()));
  await report(rows);
} finally {
  await arms.stop();
}

async function warmUp(): Promise<void> {
  const agent = connections(1);
  for (const arm of all) {
    const talk = growingConversation(2_000, sessions++);
    for (let n = 0; n < WARM_UP; n += 1) await ask(arm, talk, agent);
    const large = growingConversation(300_000, sessions++);
    for (let n = 0; n < WARM_UP / 10; n += 1) await ask(arm, large, agent);
    await pause(SETTLE_MS);
  }
  agent.destroy();
}

/** Each arm's conversation grows by one turn a request; what it needs to come to its size is not counted. */
async function warm(size: string, pace: string): Promise<Row[]> {
  const samples = new Map<string, number[]>();
  const agent = connections(1);
  const bytes = SIZES[size] ?? 0;
  const talks = new Map<string, GrowingConversation>();
  const grown = async (arm: Arm) => {
    const talk = talks.get(arm.name);
    if (talk !== undefined && talk.bytes < GROWS_TO * bytes) return talk;
    const next = growingConversation(bytes, sessions++);
    talks.set(arm.name, next);
    do await ask(arm, next, agent);
    while (next.bytes < bytes);
    return next;
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const arm of turned(round)) {
      await ask(arm, await grown(arm), agent);
      for (let n = 0; n < (PER_ROUND[size] ?? 0); n += 1) {
        const talk = await grown(arm);
        if ((PACES[pace] ?? 0) > 0) await pause(PACES[pace] ?? 0);
        push(samples, arm.name, await ask(arm, talk, agent));
      }
      await pause(SETTLE_MS);
    }
  }
  agent.destroy();
  return rowsOf(`${size}, warm, ${pace}`, samples);
}

/** Every request is a conversation of 3 MB that was never seen. */
async function cold(): Promise<Row[]> {
  const samples = new Map<string, number[]>();
  const agent = connections(1);
  for (let n = 0; n < COLD_ROUNDS; n += 1) {
    for (const arm of turned(n)) {
      push(samples, arm.name, await ask(arm, foundConversation(3_000_000, sessions++), agent));
      await pause(SETTLE_MS);
    }
  }
  agent.destroy();
  return rowsOf('3 MB, cold', samples);
}

/** Small requests while two of 3 MB are always on their way. */
async function besideLarge(): Promise<Row[]> {
  const samples = new Map<string, number[]>();
  for (const arm of all) {
    const small = connections(1);
    const large = connections(LARGE_IN_FLIGHT);
    let running = true;
    const load = Array.from({ length: LARGE_IN_FLIGHT }, async () => {
      const talk = foundConversation(3_000_000, sessions++);
      while (running) await ask(arm, talk, large);
    });
    const talk = growingConversation(2_000, sessions++);
    for (let n = 0; n < SMALL_BESIDE_LARGE; n += 1) push(samples, arm.name, await ask(arm, talk, small));
    running = false;
    await Promise.all(load);
    await pause(SETTLE_MS * 3);
    small.destroy();
    large.destroy();
  }
  return rowsOf('2 KB beside two of 3 MB', samples);
}

/** The arms in another order each time: whoever comes last in a fixed order looks slower than it is. */
function turned(round: number): readonly Arm[] {
  // Steps of one and of two go through all five of them, each in an order of its own.
  const order = all.map((_, place) => all[(place * (round % 2 === 0 ? 1 : 2) + round) % all.length]);
  return order.filter((arm) => arm !== undefined);
}

async function ask(
  arm: Arm,
  talk: GrowingConversation,
  agent: ReturnType<typeof connections>,
): Promise<number> {
  return timeToFirstByte(arm.base, '/v1/messages?beta=true', talk.headers, talk.next(), agent);
}

function push(samples: Map<string, number[]>, name: string, value: number): void {
  const list = samples.get(name) ?? [];
  list.push(value);
  samples.set(name, list);
}

function rowsOf(what: string, samples: ReadonlyMap<string, readonly number[]>): Row[] {
  const of = (name: string, share: number) => percentile(samples.get(name) ?? [], share);
  const { direct, bare } = arms;
  const bareAdded = of(bare.name, 0.5) - of(direct.name, 0.5);
  return all.map((arm) => {
    const addedP50 = of(arm.name, 0.5) - of(direct.name, 0.5);
    return {
      what,
      arm: arm.name,
      p50: of(arm.name, 0.5),
      p99: of(arm.name, 0.99),
      addedP50,
      addedP99: of(arm.name, 0.99) - of(direct.name, 0.99),
      ratioToBare: arm === arms.direct || arm === bare ? null : addedP50 / bareAdded,
      overBare: arm === arms.direct || arm === bare ? null : addedP50 - bareAdded,
    };
  });
}

async function report(rows: readonly Row[]): Promise<void> {
  const at = new Date().toISOString();
  const table = [
    '| what | arm | p50 ms | p99 ms | added p50 | added p99 | added p50 / bare proxy | p50 over it, ms |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows.map(
      (row) =>
        `| ${row.what} | ${row.arm} | ${row.p50.toFixed(2)} | ${row.p99.toFixed(2)} | ${row.addedP50.toFixed(2)} | ${row.addedP99.toFixed(2)} | ${row.ratioToBare?.toFixed(2) ?? ''} | ${row.overBare?.toFixed(2) ?? ''} |`,
    ),
  ].join('\n');
  const text = `# Time to first byte, ${at}\n\nOne run, all arms against one mock upstream on the same cores (Node ${process.version}). Trust ratios, not single values.\n\n${table}\n`;
  const folder = join(import.meta.dirname, 'reports');
  await mkdir(folder, { recursive: true });
  const name = `first-byte-${at.replace(/[:.]/g, '-')}`;
  await writeFile(
    join(folder, `${name}.json`),
    `${JSON.stringify({ at, node: process.version, rows }, null, 2)}\n`,
  );
  await writeFile(join(folder, `${name}.md`), text);
  process.stdout.write(`${text}\n`);
}
