import {
  createArchiveReader,
  createArchiveTransfer,
  createArchiveWriter,
  ensureAccount,
} from '../../archive/index.ts';
import type { ArchiveReader, ArchiveTransfer, ImportedSession } from '../../archive/types.ts';
import type { Database } from '../../db/index.ts';
import { manualClock } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { InstallationKey } from '../../kernel/installation-key.ts';
import { systemRandom } from '../../kernel/random.ts';
import { createPipeline, type Pipeline } from './pipeline.ts';
import type { RecordedExchange } from './recorded.testing.ts';

/** Tables that an export carries, in an order in which rows can be compared. */
export const TABLES = {
  project: 'id',
  project_identity: 'identity',
  worktree: 'id',
  session: 'id',
  thread: 'id',
  preamble: 'hash',
  message: 'hash',
  message_alias: 'slice, parent',
  item: 'message_hash, position',
  blob: 'hash',
  media: 'message_hash, position, n',
  event: 'session_id, seq',
  file_touch: 'message_hash, position, n',
  request: 'id',
  answer: 'id',
} as const;

/** When recorded conversations begin, and the clock of all archives. */
export const START = Date.UTC(2026, 10, 30, 9);
export const clock = manualClock(START);

/** An archive of its own: a database, an installation, an account. */
export class Archive {
  readonly database: Database;
  readonly reader: ArchiveReader;
  readonly transfer: ArchiveTransfer;
  readonly pipeline: Pipeline;
  accountId = '' as Uuid;
  readonly #installationKey: InstallationKey;

  constructor(database: Database, installation: number) {
    this.database = database;
    this.#installationKey = new Uint8Array(32).fill(installation) as InstallationKey;
    const options = { clock, random: systemRandom, installationKey: this.#installationKey };
    this.reader = createArchiveReader(database.pool, options);
    this.transfer = createArchiveTransfer(database.pool, options);
    this.pipeline = createPipeline(createArchiveWriter(database.pool, options));
  }

  async open(name: string): Promise<void> {
    const options = { clock, random: systemRandom, installationKey: this.#installationKey };
    // The pipeline's memory of keys outlives no account.
    clock.advance(5_000);
    this.accountId = await ensureAccount(this.database.pool, name, options);
  }

  async play(exchanges: readonly RecordedExchange[]): Promise<void> {
    for (const { request, answer } of exchanges) {
      await this.pipeline.request({ ...request, accountId: this.accountId });
      await this.pipeline.answer({ ...answer, accountId: this.accountId });
    }
  }

  async rows(): Promise<Record<string, unknown[]>> {
    const found: Record<string, unknown[]> = {};
    for (const [table, order] of Object.entries(TABLES)) {
      const { rows } = await this.database.pool.query<Record<string, unknown>>(
        `SELECT * FROM ${table} WHERE account_id = $1 ORDER BY ${order}`,
        [this.accountId],
      );
      found[table] = rows.map(({ account_id: _, ...row }) => row);
    }
    return found;
  }

  async sessionIds(): Promise<Uuid[]> {
    const { rows } = await this.database.pool.query<{ id: Uuid }>(
      'SELECT id FROM session WHERE account_id = $1 ORDER BY id',
      [this.accountId],
    );
    return rows.map((row) => row.id);
  }

  async export(): Promise<string[]> {
    const lines: string[] = [];
    for (const id of await this.sessionIds())
      for await (const line of this.reader.exportSession(this.accountId, id)) lines.push(line);
    return lines;
  }

  async import(lines: readonly string[], foreign = false): Promise<ImportedSession[]> {
    const sessions: ImportedSession[] = [];
    const given = (async function* () {
      yield* lines;
    })();
    for await (const one of this.transfer.importSessions(this.accountId, given, { foreign }))
      sessions.push(one);
    return sessions;
  }
}

/** Requests that belong to no session are not part of any export. */
export function placed(rows: Record<string, unknown[]>): Record<string, unknown[]> {
  const requests = (rows.request ?? []) as { readonly id: string; readonly session_id: string | null }[];
  const kept = new Set(requests.filter((one) => one.session_id !== null).map((one) => one.id));
  return {
    ...rows,
    request: requests.filter((one) => kept.has(one.id)),
    answer: ((rows.answer ?? []) as { readonly request_id: string }[]).filter((one) =>
      kept.has(one.request_id),
    ),
  };
}

/** The lines with another value in a field of the first line, or item, of a name. */
export function poison(lines: readonly string[], name: string, field: string, value: unknown): string[] {
  const at = lines.findIndex((line) => line.startsWith(`{"${name === 'item' ? 'message' : name}"`));
  return lines.map((line, index) => {
    if (index !== at) return line;
    const parsed = JSON.parse(line) as Record<string, Record<string, unknown>>;
    const [first = {}] = Object.values(parsed);
    const inner = name === 'header' ? first.session : name === 'item' ? (first.items as unknown[])[0] : first;
    if (typeof inner !== 'object' || inner === null) throw new Error(`the export has no ${name}`);
    Object.assign(inner, { [field]: value });
    return JSON.stringify(parsed);
  });
}
