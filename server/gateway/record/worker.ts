import { parentPort, workerData } from 'node:worker_threads';
import { createArchiveWriter } from '../../archive/index.ts';
import { openPool } from '../../db/index.ts';
import { systemClock } from '../../kernel/clock.ts';
import { installationKey } from '../../kernel/installation-key.ts';
import { createLogger } from '../../kernel/log.ts';
import { systemRandom } from '../../kernel/random.ts';
import { locateRepository } from '../place.ts';
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
const queue = createQueue({ pipeline: createPipeline(writer), writer, clock: systemClock, log, tell });

parentPort?.on('message', (message: ToWorker) => queue.take(message));
