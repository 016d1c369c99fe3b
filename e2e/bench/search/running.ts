import { readFileSync } from 'node:fs';
import type pg from 'pg';

/** What a search took, in milliseconds. */
export interface Took {
  readonly waitedMs: number;
  /**
   * How long this process's main thread and the server's processes ran for it, waits for a processor left out: what it
   * would take on a machine with nothing else to do. Null where the system does not tell.
   */
  readonly ranMs: number | null;
}

/** Measures how long work takes that goes through a pool, one piece at a time. */
export class Stopwatch {
  readonly #servers = new Set<number>();

  /** @param pool a pool without connections yet: its servers are known by the connections that it makes */
  constructor(pool: pg.Pool) {
    const pidOf = (client: pg.PoolClient) => (client as pg.PoolClient & { processID?: number }).processID;
    pool.on('connect', (client) => this.#servers.add(pidOf(client) ?? 0));
    pool.on('remove', (client) => this.#servers.delete(pidOf(client) ?? 0));
  }

  async time(work: () => Promise<unknown>): Promise<Took> {
    const before = this.#ran();
    const began = performance.now();
    await work();
    const waitedMs = performance.now() - began;
    const after = this.#ran();
    if (before === null || after === null) return { waitedMs, ranMs: null };
    const ranMs = [...after].reduce((sum, [pid, ran]) => sum + ran - (before.get(pid) ?? ran), 0);
    return { waitedMs, ranMs };
  }

  /** For each process the milliseconds that it ran so far. */
  #ran(): ReadonlyMap<number, number> | null {
    if (process.platform !== 'linux') return null;
    const names = [...this.#servers].map((pid) => [pid, `/proc/${pid}/schedstat`] as const);
    const ours = [process.pid, `/proc/self/task/${process.pid}/schedstat`] as const;
    return new Map(
      [ours, ...names].flatMap(([pid, file]) => {
        const text = read(file);
        return text === null ? [] : [[pid, Number(text.split(' ')[0]) / 1e6] as const];
      }),
    );
  }
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
