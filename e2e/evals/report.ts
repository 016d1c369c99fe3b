import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { migrate, openDatabase } from '../../server/db/index.ts';
import { createLogger } from '../../server/kernel/log.ts';

/** Runs work on a scratch database, which is removed behind it. */
export async function withEvalDatabase(work: (pool: pg.Pool) => Promise<void>): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'context-mode-eval-'));
  const log = createLogger('error', 'eval');
  const database = await openDatabase({ home, databaseUrl: undefined, log });
  try {
    await migrate({ settings: database.settings, log });
    await work(database.pool);
  } finally {
    await database.stop();
    await rm(home, { recursive: true, force: true });
  }
}

/** Writes a dated report beside an eval, as Markdown and as JSON, and prints it. @param from the eval's own address */
export async function writeReport(
  from: string,
  name: string,
  data: object,
  linesOf: (at: string) => readonly string[],
): Promise<void> {
  const at = new Date().toISOString();
  const text = linesOf(at).join('\n');
  const folder = new URL('./reports/', from);
  await mkdir(folder, { recursive: true });
  const file = `${name}-${at.replace(/[:.]/gu, '-')}`;
  await writeFile(new URL(`${file}.md`, folder), text);
  await writeFile(new URL(`${file}.json`, folder), `${JSON.stringify({ at, ...data }, null, 2)}\n`);
  process.stdout.write(`${text}\n`);
}
