import { parentPort, workerData } from 'node:worker_threads';
import { createArchiveWriter } from '../../archive/index.ts';
import { openPool } from '../../db/index.ts';
import { systemClock } from '../../kernel/clock.ts';
import { asContextModeError, faultOf } from '../../kernel/errors.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { installationKey } from '../../kernel/installation-key.ts';
import { createLogger } from '../../kernel/log.ts';
import { systemRandom } from '../../kernel/random.ts';
import { locateRepository } from '../place.ts';
import type { FromReader, ReaderSettings, ToReader } from './protocol.ts';
import { SessionReader } from './session-reader.ts';

/** The thread that reads agents' own files: parsing and masking them takes no time from what agents ask meanwhile. */
const settings = workerData as ReaderSettings;
const log = createLogger(settings.logLevel, 'transcripts');
const pool = openPool(settings.connection, log, { max: 2, name: 'context-mode transcripts' });
const writer = createArchiveWriter(pool, {
  clock: systemClock,
  installationKey: await installationKey(settings.home, systemRandom),
  locateRepository,
});

let open: { readonly reader: SessionReader; readonly accountId: Uuid } | null = null;

async function answerTo(message: ToReader): Promise<FromReader> {
  if (message.type === 'begin') {
    open = { reader: new SessionReader(message.agent), accountId: message.accountId };
    return { type: 'taken' };
  }
  const session = open;
  if (message.type === 'piece') {
    session?.reader.push(message.bytes);
    return { type: 'taken' };
  }
  open = null;
  if (message.type === 'forget' || session === null) return { type: 'taken' };
  const imported = await session.reader.archive(writer, systemClock, session.accountId);
  return { type: 'imported', session: imported };
}

parentPort?.on('message', (message: ToReader) => {
  answerTo(message)
    .catch((thrown: unknown): FromReader => {
      open = null;
      const { code, message: text, hint } = asContextModeError(thrown);
      return { type: 'failed', code, message: text, hint, detail: faultOf(thrown) };
    })
    .then((answer) => parentPort?.postMessage(answer));
});
