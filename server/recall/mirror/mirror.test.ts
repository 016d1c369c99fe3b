import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LOCAL_ACCOUNT } from '../../kernel/ids.ts';
import { beginning, content, generation, hashNamed, hidden, START, threadNamed } from '../store/testing.ts';
import type { RecallStore, ThreadName } from '../stored.ts';
import { generationOf, hiddenOf, type MirrorEntry, ofBeginning, ofGeneration, ofHidden } from './entries.ts';
import { Mirror } from './mirror.ts';
import { withMirror } from './with-mirror.ts';

let folder: string;
let file: string;
let faults: unknown[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mirror-'));
  file = join(folder, 'recall.jsonl');
  faults = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const opened = (limitBytes?: number) =>
  Mirror.open(file, {
    onFault: (cause) => faults.push(cause),
    ...(limitBytes === undefined ? {} : { limitBytes }),
  });
const NO_NAME: ThreadName = { agent: 'unknown', session: '', thread: '' };

const text = fc.string({ unit: 'binary', maxLength: 60 }).map((one) => `${one}\n\0\ud800"`);
const entry: fc.Arbitrary<MirrorEntry> = fc.oneof(
  text.map((memory) =>
    ofBeginning(
      LOCAL_ACCOUNT,
      beginning({ began: hashNamed(memory), choices: { tool: 1, trimming: null, memory } }),
    ),
  ),
  text.map((words) =>
    ofGeneration(
      LOCAL_ACCOUNT,
      generation({ madeAt: hashNamed(words), layout: content({ index: [words] }) }),
    ),
  ),
  text.map((words) => ofHidden(LOCAL_ACCOUNT, hidden({ anchors: [words], data: { sent: [words] } }))),
);

describe('the file', () => {
  test('has after a new start what was taken in before, in its order, to the character', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 20 }), async (entries) => {
        await rm(file, { force: true });
        const mirror = await opened();
        for (const one of entries) mirror.add(one);
        await mirror.close();
        const again = await opened();
        expect(again.entries()).toEqual(mirror.entries());
        await again.close();
      }),
      { numRuns: 25 },
    );
    expect(faults).toEqual([]);
  });

  test('can be read by its owner alone, also when it was written anew', async () => {
    const mirror = await opened(500);
    for (let n = 0; n < 12; n += 1) mirror.add(ofHidden(LOCAL_ACCOUNT, hidden({ data: 'x'.repeat(100) })));
    await mirror.settled();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    mirror.remove(mirror.entries().map((one) => `${one.account} hidden ${(one.value as { id: string }).id}`));
    await mirror.close();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, 'utf8')).toBe('');
  });

  test('may be torn anywhere: what is whole is there, and what comes behind it is kept', async () => {
    const first = ofHidden(LOCAL_ACCOUNT, hidden());
    const second = ofHidden(LOCAL_ACCOUNT, hidden({ data: 'é' }));
    const mirror = await opened();
    mirror.add(first);
    mirror.add(second);
    await mirror.close();
    const bytes = await readFile(file);
    const whole = bytes.indexOf('\n') + 1;
    for (let end = 0; end <= bytes.length; end += 1) {
      await writeFile(file, bytes.subarray(0, end));
      const torn = await opened();
      const there = [...(end >= whole - 1 ? [first] : []), ...(end >= bytes.length - 1 ? [second] : [])];
      expect(torn.entries()).toEqual(there);
      const third = ofHidden(LOCAL_ACCOUNT, hidden());
      torn.add(third);
      await torn.close();
      const again = await opened();
      expect(again.entries()).toEqual([...there, third]);
      await again.close();
    }
    await appendFile(file, '{"account":"x","kind":"other","value":{}}\nnull\n[]\n');
    const odd = await opened();
    for (const one of odd.entries()) expect(one.kind).toBe('hidden');
    await odd.close();
  });

  test('and the memory stay within their bound, and the newest stay', async () => {
    const mirror = await opened(4_000);
    for (let n = 0; n < 200; n += 1)
      mirror.add(ofHidden(LOCAL_ACCOUNT, hidden({ data: `${n} ${'x'.repeat(300)}` })));
    await mirror.close();
    expect((await stat(file)).size).toBeLessThanOrEqual(8_000);
    const kept = mirror
      .entries()
      .map((one) => Number.parseInt(String((one.value as { data: string }).data), 10));
    expect(kept.at(-1)).toBe(199);
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, n) => 200 - kept.length + n));
    expect(kept.length).toBeGreaterThan(4);
    mirror.add(ofHidden(LOCAL_ACCOUNT, hidden({ data: 'x'.repeat(9_000) })));
    expect(mirror.entries()).toHaveLength(kept.length);
  });

  test('that cannot be written is told of, and what was taken in is still found', async () => {
    await rm(folder, { recursive: true });
    const mirror = await opened();
    const one = ofHidden(LOCAL_ACCOUNT, hidden());
    mirror.add(one);
    await mirror.settled();
    expect(faults).toHaveLength(1);
    expect(mirror.entries()).toEqual([one]);
  });

  test('holds no name of a thread', async () => {
    const thread = threadNamed('secret-session', 'secret-agent');
    const mirror = await opened();
    mirror.add(ofBeginning(LOCAL_ACCOUNT, beginning({ thread })));
    mirror.add(ofGeneration(LOCAL_ACCOUNT, generation({ thread })));
    mirror.add(ofHidden(LOCAL_ACCOUNT, hidden({ thread })));
    await mirror.close();
    expect(await readFile(file, 'utf8')).not.toContain('secret-');
  });
});

/** A store of which only what is given answers. */
const storeOf = (parts: Partial<RecallStore>) => parts as RecallStore;
const down = () => Promise.reject(new Error('the database is down'));
const never = () => new Promise<never>(() => undefined);

describe('a store with a mirror', () => {
  const made = generation();
  const round = hidden({ anchors: ['a'] });
  const began = beginning();

  async function filled() {
    const mirror = await opened();
    const up = withMirror(
      storeOf({
        keepBeginning: async () => undefined,
        keepGeneration: async () => made,
        keepHidden: async () => undefined,
      }),
      mirror,
    );
    await up.keepBeginning(LOCAL_ACCOUNT, began, START);
    await up.keepGeneration(LOCAL_ACCOUNT, { ...made, reason: 'window' });
    await up.keepHidden(LOCAL_ACCOUNT, round);
    return mirror;
  }

  test.each([
    ['throws', down],
    ['does not answer', never],
  ])('that %s answers from the mirror what was committed', async (_, fault) => {
    const mirror = await filled();
    const store = withMirror(
      storeOf({ beginnings: fault, generations: fault, hidden: fault, version: fault }),
      mirror,
      5,
    );
    expect(await store.beginnings(LOCAL_ACCOUNT, began.thread, [])).toEqual([began]);
    expect(await store.beginnings(LOCAL_ACCOUNT, threadNamed('fork'), [began.began])).toEqual([
      { ...began, thread: NO_NAME },
    ]);
    expect(await store.generations(LOCAL_ACCOUNT, [hashNamed('x'), made.madeAt])).toEqual([
      { ...made, thread: NO_NAME },
    ]);
    expect(await store.hidden(LOCAL_ACCOUNT, ['b', 'a'])).toEqual([{ ...round, thread: NO_NAME }]);
  });

  test('that throws where the mirror has nothing throws: it is not known that there is nothing', async () => {
    const store = withMirror(
      storeOf({ generations: down, hidden: down, beginnings: down }),
      await filled(),
      5,
    );
    await expect(store.generations(LOCAL_ACCOUNT, [hashNamed('other')])).rejects.toThrow('down');
    await expect(store.hidden(LOCAL_ACCOUNT, ['other'])).rejects.toThrow('down');
    await expect(store.beginnings(LOCAL_ACCOUNT, threadNamed('other'), [])).rejects.toThrow('down');
  });

  test('that is late where the mirror has nothing is waited for', async () => {
    const late = async () => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return [made];
    };
    const store = withMirror(storeOf({ generations: late }), await opened(), 1);
    expect(await store.generations(LOCAL_ACCOUNT, [made.madeAt])).toEqual([made]);
  });

  test('takes nothing into the mirror that was not committed', async () => {
    const mirror = await opened();
    const store = withMirror(
      storeOf({ keepBeginning: down, keepGeneration: down, keepHidden: down }),
      mirror,
    );
    await expect(store.keepBeginning(LOCAL_ACCOUNT, began, START)).rejects.toThrow('down');
    await expect(store.keepGeneration(LOCAL_ACCOUNT, made)).rejects.toThrow('down');
    await expect(store.keepHidden(LOCAL_ACCOUNT, round)).rejects.toThrow('down');
    expect(mirror.entries()).toEqual([]);
  });

  test('has the version of before while the store does not tell one, and another once the mirror has answered', async () => {
    let isDown = false;
    const answer = <T>(value: T) => (isDown ? down() : Promise.resolve(value));
    const store = withMirror(
      storeOf({ version: () => answer('7'), generations: () => answer([]) }),
      await filled(),
      5,
    );
    const before = await store.version(LOCAL_ACCOUNT);
    isDown = true;
    expect(await store.version(LOCAL_ACCOUNT)).toBe(before);
    await store.generations(LOCAL_ACCOUNT, [made.madeAt]);
    expect(await store.version(LOCAL_ACCOUNT)).toBe(before);
    isDown = false;
    const after = await store.version(LOCAL_ACCOUNT);
    expect(after).not.toBe(before);
    expect(await store.version(LOCAL_ACCOUNT)).toBe(after);
  });
});

test('an entry tells all of what it was made of but the name', () => {
  const one = generation({ layout: content({ runningTyped: hashNamed('typed') }) });
  const made = ofGeneration(LOCAL_ACCOUNT, one);
  expect(made.kind === 'generation' && generationOf(made.value)).toEqual({ ...one, thread: NO_NAME });
  const record = hidden();
  const kept = ofHidden(LOCAL_ACCOUNT, record);
  expect(kept.kind === 'hidden' && hiddenOf(kept.value)).toEqual({ ...record, thread: NO_NAME });
});
