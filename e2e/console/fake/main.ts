import { createServer } from 'node:http';
import next from 'next';
import { answerOperations, type LiveEvent, type PauseKeeper } from '../../../server/api/index.ts';
import type { ArchiveTransfer } from '../../../server/archive/types.ts';
import { type Millis, systemClock } from '../../../server/kernel/clock.ts';
import { readEnv } from '../../../server/kernel/env.ts';
import { LOCAL_ACCOUNT } from '../../../server/kernel/ids.ts';
import { createLogger } from '../../../server/kernel/log.ts';
import { createMetrics } from '../../../server/kernel/metrics.ts';
import type { MemoryReader, MemoryWriter } from '../../../server/memory/index.ts';
import type { Pause } from '../../../server/recall/index.ts';
import { fakeDay } from './day.ts';
import { fakeKeeper } from './keeper.ts';
import { fakeLedger } from './ledger.ts';
import { fakeReader } from './reader.ts';
import { fakeRecall } from './recall.ts';
import { fixedId } from './sessions.ts';

/**
 * The built console over an archive in memory: for looking at screens, and for tests of what a database cannot be
 * brought to easily (100,000 rows, an archive that fails). `POST /fake/add` makes a session arrive, `/fake/empty`
 * takes all away, `/fake/fill` brings the day back, `/fake/crowd` puts 100,000 sessions in its place, `/fake/break` makes every read fail,
 * `/fake/fail` makes Recall fail often, `/fake/mend` makes all work again.
 */
const sessions = fakeDay(systemClock.now());
const whole = [...sessions];
const listeners = new Set<(event: LiveEvent) => void>();
let broken = false;
const env = readEnv({ ...process.env, CONTEXT_MODE_HOME: '/home/ada/.context-mode' });
const recall = fakeRecall(sessions);
const reader = fakeReader(sessions, recall.viewOf);

function fakePausing(): PauseKeeper {
  let pause: Pause | null = null;
  return {
    now: () => pause,
    set: async (next) => {
      pause = next;
    },
  };
}

const services = {
  env,
  clock: systemClock,
  log: createLogger('silent', 'fake'),
  metrics: createMetrics(),
  accountId: LOCAL_ACCOUNT,
  archive: new Proxy(reader, {
    get(target, name, receiver) {
      if (broken) return () => Promise.reject(new Error('the database is gone'));
      return Reflect.get(target, name, receiver);
    },
  }),
  transfer: {} as ArchiveTransfer,
  transcripts: { importSession: async () => null },
  layouts: recall.layouts,
  ledger: fakeLedger(sessions),
  switches: recall.switches,
  recall: recall.recall,
  pausing: fakePausing(),
  memory: { reader: {} as MemoryReader, writer: {} as MemoryWriter },
  live: {
    subscribe(listener: (event: LiveEvent) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  },
  keeper: fakeKeeper(reader, () => {
    for (const listener of listeners) listener({ sessionId: null });
  }),
  freeBytes: async () => 81_000_000_000,
  links: { keyNeeded: false, makeLink: (baseUrl: string) => baseUrl },
  gateway: {
    forWeb: async (request: Request) => new Response(`${(await request.arrayBuffer()).byteLength}`),
  },
  refusal: async () => null,
  health: async () => ({
    ready: !broken,
    parts: [
      {
        name: 'database',
        ok: !broken,
        note: broken ? 'The database does not answer. Agents work on.' : null,
      },
      { name: 'recorder', ok: true, note: null },
    ],
  }),
};
Object.assign(globalThis, { [Symbol.for('context-mode.services')]: services });

const ACTS: Record<string, () => void> = {
  '/fake/add': () => {
    const first = whole[1];
    if (first !== undefined)
      sessions.unshift({
        ...first,
        row: { ...first.row, title: 'It has just arrived', lastSeenAt: systemClock.now() },
      });
  },
  '/fake/empty': () => void sessions.splice(0),
  '/fake/fill': () => void sessions.splice(0, sessions.length, ...whole),
  '/fake/crowd': () => {
    const first = whole[1];
    if (first === undefined) return;
    const { lastSeenAt } = first.row;
    const crowd = Array.from({ length: 100_000 }, (_, at) => ({
      ...first,
      row: {
        ...first.row,
        id: fixedId(2_000_000 + at),
        title: `Session ${at}`,
        lastSeenAt: (lastSeenAt - at * 1000) as Millis,
      },
    }));
    sessions.splice(0, sessions.length, ...crowd);
  },
  '/fake/break': () => {
    broken = true;
  },
  '/fake/fail': () => recall.fail(7),
  '/fake/mend': () => {
    broken = false;
    recall.fail(0);
  },
};

const app = next({ dev: false, dir: process.cwd(), quiet: true });
await app.prepare();
const show = app.getRequestHandler();
const server = createServer((request, response) => {
  const act = ACTS[request.url ?? ''];
  if (act !== undefined && request.method === 'POST') {
    act();
    for (const listener of listeners) listener({ sessionId: null });
    response.end('ok');
    return;
  }
  void answerOperations(services, request, response).then((done) =>
    done ? undefined : show(request, response),
  );
});
server.listen(env.port, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(
    `listening http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : env.port}\n`,
  );
});
