import { Worker } from 'node:worker_threads';
import type { ConnectionSettings } from '../../db/index.ts';
import type { Env } from '../../kernel/env.ts';
import { ContextModeError, faultOf } from '../../kernel/errors.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { Logger } from '../../kernel/log.ts';
import { createGate } from '../record/gate.ts';
import type { FromReader, ReaderSettings, ToReader } from './protocol.ts';
import type { ImportedTranscript, TranscriptAgent } from './types.ts';

/** The gateway's end of the thread that reads agents' own files. */
export interface TranscriptImporter {
  /**
   * Archives the session whose files come in pieces (each introduced as {@link FrameReader} says). One session at a time;
   * the others wait. Null where no line of the files names a session.
   * @throws ContextModeError what is wrong with the files, or `unavailable` where the thread ended
   */
  importSession(
    accountId: Uuid,
    agent: TranscriptAgent,
    pieces: AsyncIterable<Uint8Array>,
  ): Promise<ImportedTranscript | null>;
  close(): Promise<void>;
}

/** How long the thread waits for another session before it ends. */
const IDLE_MS = 30_000;

/**
 * Makes an importer. Its thread is started with the first session, and ends when none has come for a while.
 * @param file of the thread's code; beside this code by default, where the build puts it
 */
export function createTranscriptImporter(
  connection: ConnectionSettings,
  { home, logLevel }: Pick<Env, 'home' | 'logLevel'>,
  log: Logger,
  file = new URL('./transcripts.js', import.meta.url),
): TranscriptImporter {
  const settings: ReaderSettings = { connection, home, logLevel };
  const oneAtATime = createGate(1);
  let thread: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;

  function started(): Worker {
    clearTimeout(idle);
    if (thread !== null) return thread;
    const worker = new Worker(file, { workerData: settings, name: 'transcripts' });
    worker.on('error', (error) => log.error({ reason: faultOf(error) }, 'reading transcripts failed'));
    worker.once('exit', () => {
      if (thread === worker) thread = null;
    });
    thread = worker;
    return worker;
  }

  async function run(
    accountId: Uuid,
    agent: TranscriptAgent,
    pieces: AsyncIterable<Uint8Array>,
  ): Promise<ImportedTranscript | null> {
    const worker = started();
    try {
      await ask(worker, { type: 'begin', accountId, agent });
      try {
        for await (const bytes of pieces) await ask(worker, { type: 'piece', bytes });
      } catch (thrown) {
        if (thread !== null) await ask(worker, { type: 'forget' });
        throw thrown;
      }
      const answer = await ask(worker, { type: 'end' });
      return answer.type === 'imported' ? answer.session : null;
    } finally {
      idle = setTimeout(() => void worker.terminate(), IDLE_MS);
      idle.unref();
    }
  }

  return {
    importSession: (accountId, agent, pieces) => oneAtATime(() => run(accountId, agent, pieces)),
    async close() {
      clearTimeout(idle);
      await thread?.terminate();
    },
  };
}

/** Sends one thing and waits for its answer. @throws ContextModeError what the thread says went wrong */
function ask(worker: Worker, message: ToReader): Promise<FromReader> {
  return new Promise((resolve, reject) => {
    const gone = () => {
      worker.off('message', answered);
      reject(
        new ContextModeError('unavailable', 'Reading the transcripts broke off.', {
          hint: 'Import them again: what is there already is left as it is.',
        }),
      );
    };
    const answered = (answer: FromReader) => {
      worker.off('exit', gone);
      if (answer.type !== 'failed') return resolve(answer);
      const { code, message: text, hint, detail } = answer;
      reject(new ContextModeError(code, text, { hint, detail }));
    };
    worker.once('message', answered);
    worker.once('exit', gone);
    worker.postMessage(message);
  });
}
