import { createHash } from 'node:crypto';
import { setTimeout as moment } from 'node:timers/promises';
import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TestAgent } from '../../server/gateway/compose/testing/clients.ts';
import { eventually } from '../product/eventually.ts';
import type { Simulator } from '../simulator/index.ts';
import { type AnswerLine, openAnswerLine, type Passage, type Passing } from './answer-line.ts';
import { numbers, times } from './counts.ts';
import { isLinux, openDatabase, type Product, removeHome, scratchHome, startProduct } from './product.ts';
import { openRetryingClient, type RetryingClient } from './retrying-client.ts';
import {
  AGENTS,
  askForWord,
  expectArchived,
  expectTaken,
  layOut,
  setLimits,
  settled,
  strictProvider,
} from './testing-laid-out.ts';

/** Where the gateway is killed, behind the commit of a layout. */
const PLACES = [
  'before the provider sees it',
  'before the answer begins',
  'in the answer',
  'as soon as it is committed',
] as const;
type Place = (typeof PLACES)[number];
/** Most bytes of the answer that the gateway gets, and longest wait behind the commit in milliseconds. */
const ANSWER_BYTES = 2_000;
const SPREAD_MS = 40;
/** Turns within which a conversation passes its small limit once more. */
const MOST_TURNS = 30;

let simulator: Simulator;
let line: AnswerLine;
let client: RetryingClient;
let home: string;
let product: Promise<Product>;
/** Decides about the requests to the provider, while a kill is awaited. */
let awaiting: ((passing: Passing) => Promise<Passage | null>) | null = null;

beforeEach(async () => {
  simulator = await strictProvider('killed behind a layout');
  line = await openAnswerLine(simulator.url, async (passing) => (await awaiting?.(passing)) ?? null);
  home = await scratchHome();
  product = startProduct({ home, provider: line.url });
  client = await openRetryingClient(async () => (await product).url);
  await setLimits((await product).url);
});
afterEach(async () => {
  await client?.stop();
  await (await product)?.end('SIGTERM');
  await line?.stop();
  await simulator?.stop();
  await removeHome(home);
});

/** Ends the gateway as a crash does, and starts it anew; gives how many requests had come to the line until then. */
async function crash(): Promise<number> {
  const before = product;
  let came = 0;
  product = before.then(async (running) => {
    await running.end('SIGKILL');
    const next = await startProduct({ home, provider: line.url });
    // The first request of a process takes longest, which on a busy machine is too long for any layout.
    await AGENTS[0]?.[1](next.url).turn('another conversation');
    came = line.came.length;
    return next;
  });
  await product;
  return came;
}

interface Row {
  readonly made: string;
  readonly hash: string;
}

/** The layouts that are committed, in the order that they were made in. */
async function layouts(database: pg.Client): Promise<readonly Row[]> {
  const { rows } = await database.query<Row>(
    `SELECT encode(made_at, 'hex') AS made, content->>'indexHash' AS hash FROM layout
     WHERE content->>'indexHash' IS NOT NULL ORDER BY at, made_at`,
  );
  return rows;
}

/** The same, by a connection that is made for it. */
async function committed(): Promise<readonly Row[]> {
  const database = await openDatabase(home);
  return layouts(database).finally(() => database.end());
}

/** The layouts that were committed when the gateway was killed, and how many requests had come to the line. */
interface Killed {
  readonly rows: readonly Row[];
  readonly came: Promise<number>;
}

/** Whether an index stands in a request, byte for byte: one of its texts has this hash. */
function bears(body: Buffer, indexHash: string): boolean {
  let found = false;
  JSON.parse(body.toString('utf8'), (_, value) => {
    found ||= typeof value === 'string' && createHash('sha256').update(value).digest('hex') === indexHash;
    return value;
  });
  return found;
}

/** Lets the agent work until a layout is committed, and kills the gateway there. The agent's retry ends the turn. */
async function killBehindLayout(agent: TestAgent, place: Place, random: () => number): Promise<Killed> {
  const { url } = await product;
  const database = await openDatabase(home);
  const before = (await layouts(database)).length;
  let killed: Killed | null = null;
  const kill = (rows: readonly Row[]) => {
    if (killed !== null) return;
    awaiting = null;
    killed = { rows, came: crash() };
  };
  if (place === 'as soon as it is committed')
    void killSoon(database, before, random, kill, () => killed !== null);
  else
    awaiting = async ({ body }) => {
      const rows = await layouts(database);
      // One that was committed too late for its request is first borne by the next.
      if (rows.length === before || !bears(body, rows.at(-1)?.hash ?? '')) return null;
      const answerBytes = place === 'in the answer' ? 1 + Math.floor(random() * ANSWER_BYTES) : 0;
      return { sends: place !== 'before the provider sees it', answerBytes, held: () => kill(rows) };
    };
  for (let turn = 0; turn < MOST_TURNS && killed === null; turn += 1) {
    // It may be killed between two turns too.
    await settled(url).catch(() => undefined);
    if (killed !== null) break;
    await agent.turn(`task ${turn} ${place} ${agent.session} rounds=2 lines=120`);
  }
  await database.end();
  if (killed === null) throw new Error(`no layout was made in ${MOST_TURNS} turns`);
  return killed;
}

/** Looks for a new layout again and again, and kills a moment behind it. */
async function killSoon(
  database: pg.Client,
  before: number,
  random: () => number,
  kill: (rows: readonly Row[]) => void,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    const rows = await layouts(database).catch(() => null);
    if (rows === null) return;
    if (rows.length === before) continue;
    await moment(random() * SPREAD_MS);
    return kill(rows);
  }
}

describe.skipIf(!isLinux).each(AGENTS)(
  'a gateway killed behind the commit of a layout of %s',
  (name, make) => {
    test(
      'gives the retry the bytes of that layout, and nothing is lost, doubled or refused',
      async () => {
        const random = numbers(`behind a layout of ${name}`);
        const agent = make(client.url);
        await layOut(agent, simulator, (await product).url);
        for (let round = 0; round < times(1, 10); round += 1)
          for (const place of PLACES) {
            const retries = client.retries();
            const before = line.came.length;
            const killed = await killBehindLayout(agent, place, random);
            await agent.turn(`behind a kill ${place}`);
            const { rows } = killed;
            const came = await killed.came;
            const hash = rows.at(-1)?.hash ?? '';
            const [retry] = line.came.slice(came);
            const standing = (await committed()).slice(rows.length - 1);
            // The new process knows no counts: by its estimate the layout may have to be followed by another at once.
            const isBorne = standing.some((row) => retry !== undefined && bears(retry.body, row.hash));
            expect(isBorne, place).toBe(true);
            if (place !== 'as soon as it is committed') {
              expect(retry !== undefined && bears(retry.body, hash), place).toBe(true);
              const sent = line.came.slice(before, came).find(({ body }) => bears(body, hash));
              expect(client.retries(), place).toBe(retries + 1);
              expect(retry?.body.equals(sent?.body ?? Buffer.of()), place).toBe(true);
            }
            expect((await committed()).slice(0, rows.length), place).toEqual(rows);
            expectTaken(simulator);
            await expectArchived((await product).url, agent);
          }
        // A retrieval that a busy machine is too slow for says to try again.
        await eventually(() => askForWord(agent), 60_000);
        expectTaken(simulator);
      },
      times(180_000, 900_000),
    );
  },
);
