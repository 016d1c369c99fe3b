import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ArchiveKeeper } from '../archive/index.ts';
import type { ArchiveReader, ArchiveTransfer } from '../archive/types.ts';
import { manualClock } from '../kernel/clock.ts';
import { readEnv } from '../kernel/env.ts';
import { LOCAL_ACCOUNT, type Uuid } from '../kernel/ids.ts';
import { createLogger } from '../kernel/log.ts';
import { handleRest } from './http.ts';
import type { ApiServices } from './services.ts';
import { linesOf } from './uploads.ts';

const HOST = '127.0.0.1:4141';
const KEY = Uint8Array.from({ length: 32 }, (_, at) => at);

function setUp(over: Partial<ArchiveTransfer> = {}) {
  const transfer = { readKey: async () => KEY, ...over } as ArchiveTransfer;
  const services = {
    env: readEnv({ NODE_ENV: 'test' }),
    clock: manualClock(0),
    log: createLogger('silent', 'test'),
    accountId: LOCAL_ACCOUNT,
    archive: {} as ArchiveReader,
    transfer,
    links: { keyNeeded: false, makeLink: (url: string) => url },
    live: { subscribe: () => () => undefined },
    health: async () => ({ ready: true, parts: [] }),
    keeper: { plannedDeletions: async () => new Map() } as unknown as ArchiveKeeper,
    freeBytes: async () => null,
  } as unknown as ApiServices;
  return (path: string, body: string | null = null, headers: Record<string, string> = {}) =>
    handleRest(
      new Request(`http://${HOST}/api/v1${path}`, {
        method: 'POST',
        headers: { host: HOST, ...headers },
        body,
      }),
      services,
    );
}

/** The text in pieces that end where `cuts` say, in bytes. */
async function* cutAt(text: string, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  let from = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    const end = Math.min(bytes.length, Math.max(from, cut));
    yield Uint8Array.from(bytes.subarray(from, end));
    from = end;
  }
  yield Uint8Array.from(bytes.subarray(from));
}

async function all<T>(given: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of given) found.push(one);
  return found;
}

describe('lines', () => {
  it('are the same however the text is cut', async () => {
    const text = fc.array(fc.string({ unit: fc.constantFrom('a', '\n', 'é', '日', '\u{1f600}', '\r') }));
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(60)), async (parts, cuts) => {
        const whole = parts.join('');
        const lines = whole.split('\n');
        if (lines.at(-1) === '') lines.pop();
        expect(await all(linesOf(cutAt(whole, cuts)))).toEqual(lines);
      }),
    );
  });

  it('that are not UTF-8 are told by their number', async () => {
    const pieces = (async function* () {
      yield Uint8Array.of(0x61, 10, 0xff, 10);
    })();
    await expect(all(linesOf(pieces))).rejects.toMatchObject({
      code: 'bad_request',
      message: 'Line 2 is not UTF-8.',
    });
  });
});

describe('an import', () => {
  it('hands the lines on and answers what became of the sessions', async () => {
    const seen: unknown[] = [];
    const call = setUp({
      async *importSessions(accountId, lines, options) {
        seen.push(accountId, options, await all(lines));
        yield { id: 'a' as Uuid, title: 't', state: 'imported', events: 7 };
      },
    });
    const answer = await call('/import?foreign=true', 'one\ntwo');
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      sessions: [{ id: 'a', title: 't', state: 'imported', events: 7 }],
    });
    expect(seen).toEqual([LOCAL_ACCOUNT, { foreign: true }, ['one', 'two']]);
  });

  it('that breaks off says which line, and that the sessions before it are in', async () => {
    const call = setUp({
      async *importSessions() {
        yield { id: 'a' as Uuid, title: 't', state: 'imported', events: 7 };
        // As it comes from an archive that is built apart.
        const told = { name: 'ContextModeError', code: 'bad_request', hint: 'h' };
        throw Object.assign(new Error('Line 9 is not JSON.'), told);
      },
    });
    const answer = await call('/import', 'x');
    expect(answer.status).toBe(400);
    expect((await answer.json()).error).toMatchObject({
      message: 'Line 9 is not JSON. The session before it is in.',
      hint: 'h',
    });
  });

  it('from a page that is not the console is refused before a line is read', async () => {
    const call = setUp();
    for (const path of ['/import', '/keys/export', '/keys/import']) {
      const answer = await call(path, 'x', { origin: 'http://elsewhere.example' });
      expect([path, answer.status]).toEqual([path, 403]);
    }
  });
});

describe('a key', () => {
  it('leaves in a file that says that it is secret, and comes back from it', async () => {
    const taken: Uint8Array[] = [];
    const call = setUp({
      async takeKey(_account, key) {
        taken.push(key);
        return 'taken';
      },
    });
    const file = await (await call('/keys/export')).text();
    expect(JSON.parse(file).warning).toMatch(/^SECRET/);
    expect(await (await call('/keys/import', file)).json()).toEqual({ state: 'taken' });
    expect(taken.map((key) => Buffer.from(key))).toEqual([Buffer.from(KEY)]);
  });

  it.each([
    '',
    '{}',
    'null',
    '{"format":"context-mode-key","version":1,"warning":"","key":"ab"}',
    'x'.repeat(20_000),
  ])('is not taken from anything else: %#', async (body) => {
    const answer = await setUp()('/keys/import', body);
    expect(answer.status).toBe(400);
    expect((await answer.json()).error.hint).toContain('export --keys');
  });
});
