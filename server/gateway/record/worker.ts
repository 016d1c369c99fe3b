import { parentPort, workerData } from 'node:worker_threads';
import { createArchiveWriter, fillTouches } from '../../archive/index.ts';
import { openPool } from '../../db/index.ts';
import { systemClock } from '../../kernel/clock.ts';
import { faultOf } from '../../kernel/errors.ts';
import { watchFreeSpace } from '../../kernel/free-space.ts';
import { installationKey } from '../../kernel/installation-key.ts';
import { createLogger } from '../../kernel/log.ts';
import { watchLoop } from '../../kernel/loop-delay.ts';
import { systemRandom } from '../../kernel/random.ts';
import { createLedgerWriter } from '../../ledger/index.ts';
import { createBooker } from '../booking/booker.ts';
import { readPrices } from '../booking/prices.ts';
import { estimateJson } from '../estimate/index.ts';
import { locateRepository } from '../place.ts';
import { Inbox } from './parcels.ts';
import { createPipeline } from './pipeline.ts';
import type { FromWorker, ToWorker, WorkerSettings } from './protocol.ts';
import { createQueue } from './queue.ts';

/** The recorder's thread: takes events from the gateway's thread and archives them with a pool of its own. */
const settings = workerData as WorkerSettings;
const log = createLogger(settings.logLevel, 'recorder');
const pool = openPool(settings.connection, log, { max: 8, name: 'context-mode recorder' });
const tell = (message: FromWorker) => parentPort?.postMessage(message);
const writer = createArchiveWriter(pool, {
  clock: systemClock,
  installationKey: await installationKey(settings.home, systemRandom),
  locateRepository,
});
const disk = watchFreeSpace(settings.disk.folder, systemClock);
const mayBegin = async () => ((await disk.read()) ?? Number.POSITIVE_INFINITY) >= settings.disk.leastBytes;
const booker = createBooker({
  ledger: createLedgerWriter(pool),
  accountKey: writer.accountKey,
  count: estimateJson,
  prices: await readPrices(settings.home, log),
  failed: (cause) => log.error({ reason: faultOf(cause) }, 'a request is booked without a comparison'),
});
const pipeline = createPipeline(writer, mayBegin, booker);
const queue = createQueue({ pipeline, writer, clock: systemClock, log, tell });

const inbox = new Inbox((event) => queue.take(event));

parentPort?.on('message', (message: ToWorker) => inbox.receive(message));
watchLoop((seconds) => tell({ type: 'delay', seconds }));

// Archives from before, and imported ones, learn which files their calls read and changed; what is left goes on next time.
fillTouches(pool).catch((thrown) =>
  log.warn({ reason: faultOf(thrown) }, 'file touches could not be filled in yet'),
);
