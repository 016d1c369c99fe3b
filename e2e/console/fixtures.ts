import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { type APIRequestContext, test as base, expect, type Page } from '@playwright/test';

const REPOSITORY = join(import.meta.dirname, '..', '..');

/** The console over an archive in memory, and what its test can make happen there. */
export interface Fake {
  readonly url: string;
  /**
   * `add` a session, `empty` and `fill` the archive (with 100,000 sessions: `crowd`), `break` and `mend` it, make Recall
   * `fail`.
   */
  act(name: 'add' | 'empty' | 'fill' | 'crowd' | 'break' | 'fail' | 'mend'): Promise<void>;
  /** The session in which everything occurs, the one of 100,000 rows, and the one with texts of up to 10 MB. */
  readonly sessions: { readonly rich: string; readonly long: string; readonly large: string };
}

/** A page whose every complaint (errors, broken content policy) fails its test, and the console behind it. */
export const test = base.extend<{ readonly strict: undefined }, { readonly fake: Fake }>({
  fake: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names that a fixture needs from this pattern.
    async ({}, use) => {
      const { child, url } = await startFake();
      const list = (await (await fetch(`${url}/api/v1/sessions?limit=4`)).json()) as {
        items: { id: string }[];
      };
      const [rich, , long, large] = list.items.map((one) => one.id);
      await use({
        url,
        sessions: { rich: rich ?? '', long: long ?? '', large: large ?? '' },
        async act(name) {
          await fetch(`${url}/fake/${name}`, { method: 'POST' });
        },
      });
      child.kill('SIGTERM');
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ fake }, use) => use(fake.url),
  strict: [
    async ({ page, fake }, use) => {
      const complaints = complaintsOf(page);
      await use(undefined);
      await fake.act('mend');
      await fake.act('fill');
      expect(complaints).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };

function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`${error.name}: ${error.message}`));
  page.on('console', (message) => {
    // An answer with an error status is what some tests are about; the screen must tell of it, and is asserted to.
    const isStatus = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isStatus) complaints.push(message.text());
  });
  return complaints;
}

async function startFake(): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, 'fake', 'main.ts')], {
    cwd: REPOSITORY,
    env: { ...process.env, NODE_ENV: 'production', PORT: '0', NEXT_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const url = /listening (http:\S+)/.exec(output)?.[1];
      if (url !== undefined) resolve({ child, url });
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', () => reject(new Error(`the console did not start:\n${output}`)));
  });
}

/** The ids of a session's documents by log position. */
export async function docidsOf(
  request: APIRequestContext,
  session: string,
): Promise<ReadonlyMap<number, string>> {
  const answer = await request.get(`/api/v1/sessions/${session}/log?limit=200&clip=0`);
  const { rows } = (await answer.json()) as { rows: { seq: number; docid: string | null }[] };
  return new Map(rows.map((row) => [row.seq, row.docid ?? '']));
}
