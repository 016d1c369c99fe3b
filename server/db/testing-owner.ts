import { createLogger } from '../kernel/log.ts';
import { openDatabase } from './database.ts';

/**
 * A process of its own for the tests of the server's life: opens the database of the data folder named by its first
 * argument, prints one JSON line (the server's process and folder, or the error), and stays until SIGTERM.
 */
async function own(home: string): Promise<void> {
  const database = await openDatabase({ home, databaseUrl: undefined, log: createLogger('silent', 'owner') });
  process.on('SIGTERM', () => {
    database.stop().then(() => process.exit(0));
  });
  process.stdout.write(
    `${JSON.stringify({ pid: database.embedded?.pid(), base: database.embedded?.base })}\n`,
  );
  setInterval(() => undefined, 60_000);
}

own(process.argv[2] ?? '').catch((error: { code?: string; message: string }) => {
  process.stdout.write(`${JSON.stringify({ code: error.code, message: error.message })}\n`, () =>
    process.exit(1),
  );
});
