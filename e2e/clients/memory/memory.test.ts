import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LoggedRequest, Simulator } from '../../simulator/index.ts';
import { rulesWith } from '../../simulator/index.ts';
import { type Product, startProduct } from '../harness/product.ts';
import { startProvider } from '../harness/provider.ts';
import { listFiles, makeScratch, makeScratchFolder, removeScratchFolder } from '../harness/scratch.ts';
import { Side } from '../harness/side.ts';
import { isFailed, isLate, viewsOf } from '../harness/views.ts';

/** Every rule that a request of these agents can keep, also those that the vendors leave open. */
const STRICT = rulesWith({
  'anthropic.thinking-invalidates-all': true,
  'anthropic.unsure-models-enforce': true,
  'openai.prefix-includes-tools': true,
});
const HEAD = '[Context Mode, facts of this project';

const FLY = new Set([`${HEAD} that hold now:]\n- Production deployed to Fly`]);

const folder = makeScratchFolder();
let provider: Simulator;
let product: Product;

beforeAll(async () => {
  provider = await startProvider({ settings: { binding: 'enforced', rules: STRICT } });
  provider.script.add(() => ({ steps: [{ say: 'Noted.' }] }));
  product = await startProduct(join(folder, 'data'), { anthropic: provider.url, openai: provider.url });
});
afterAll(async () => {
  await product?.stop();
  await provider?.stop();
  removeScratchFolder(folder);
});

/** A repository with a remote of its own. */
function place(name: string): Side {
  mkdirSync(join(folder, name));
  const scratch = makeScratch(join(folder, name), 'routed', { 'a.txt': 'a\n' });
  const remote = ['remote', 'set-url', 'origin', `https://example.com/dev/${name}.git`];
  execFileSync('git', remote, { cwd: scratch.project });
  const addresses = { anthropic: `${product.url}/anthropic`, openai: `${product.url}/openai/v1` };
  const side = new Side('routed', scratch, provider, addresses);
  side.configureCodex('gpt-5.4', 'own');
  return side;
}

/** Open facts, as `subject predicate object`. */
async function known(): Promise<readonly string[]> {
  const { items } = (await (await fetch(`${product.url}/api/v1/facts?limit=200`)).json()) as {
    items: readonly { subject: string; predicate: string; object: string; place: { name: string } }[];
  };
  return items.map((one) => `${one.place.name}: ${one.subject} ${one.predicate} ${one.object}`);
}

/** Waits until a fact is known: a turn's facts are there within seconds. */
async function untilKnown(fact: string): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    if ((await known()).includes(fact)) return;
    await wait(100);
  }
  expect(await known()).toContain(fact);
}

/** How often a question is asked again on a machine that is too busy for the product's deadline. */
const TRIES = 6;

/**
 * What the main line's requests of a new conversation had of memory, and that nothing was refused. A conversation whose
 * request went out as it came because the time was over begins without: then it is asked again in another one.
 */
async function partsOf(ask: () => Promise<unknown>): Promise<ReadonlySet<string | null>> {
  for (let tries = 1; ; tries += 1) {
    const before = provider.requests.entries.length;
    const seenBefore = (await viewsOf(product.url)).length;
    await ask();
    const entries = provider.requests.entries.slice(before);
    const refused = entries.filter((entry) => (entry.answer?.status ?? 0) >= 400);
    expect(
      refused.map((entry) => entry.answer?.body.slice(0, 500)),
      'refused requests',
    ).toEqual([]);
    const main = entries.filter((entry) => entry.reading?.kind === 'main');
    expect(main.length).toBeGreaterThan(0);
    const views = (await viewsOf(product.url)).slice(seenBefore);
    expect(views.filter(isFailed)).toEqual([]);
    if (!views.some(isLate) || tries === TRIES) return new Set(partsIn(main));
  }
}

/** The memory parts of requests; null: it has none. */
function partsIn(entries: readonly LoggedRequest[]): readonly (string | null)[] {
  return entries.map(({ body }) => {
    const text = body.toString('utf8');
    const at = text.indexOf(HEAD);
    return at < 0 ? null : (JSON.parse(`"${text.slice(at, text.indexOf('"', at))}"`) as string);
  });
}

const agents = [
  {
    name: 'Claude Code',
    say: (side: Side, prompt: string, where?: string) =>
      side.claude(['--dangerously-skip-permissions', prompt], {
        timeoutMs: 120_000,
        ...(where === undefined ? {} : { folder: where }),
      }),
  },
  {
    name: 'Codex',
    say: (side: Side, prompt: string, where?: string) =>
      side.codex([prompt], { timeoutMs: 120_000, ...(where === undefined ? {} : { folder: where }) }),
  },
] as const;

describe.each(agents)('$name', ({ name, say }) => {
  const id = name.split(' ')[0]?.toLowerCase() ?? '';
  let side: Side;
  let other: Side;
  beforeAll(() => {
    side = place(`${id}-shop`);
    other = place(`${id}-other`);
  });

  test('states a fact, changes it, and a third conversation begins with the new value alone', async () => {
    await say(side, 'Production is deployed to Render.');
    await untilKnown(`${id}-shop: Production deployed_to Render`);
    await say(side, 'We moved production from Render to Fly.');
    await untilKnown(`${id}-shop: Production deployed_to Fly`);
    expect(await partsOf(() => say(side, 'Where is production deployed?'))).toEqual(FLY);
  });

  test('another worktree of the repository knows it, another repository does not', async () => {
    const tree = side.worktree(`${id}-tree`);
    expect(await partsOf(() => say(side, 'Where is production deployed?', tree))).toEqual(FLY);
    expect(await partsOf(() => say(other, 'Where is production deployed?'))).toEqual(new Set([null]));
  });

  test('the agent sees and keeps nothing of it', () => {
    for (const one of [side, other]) {
      for (const run of one.runs) expect(run.stdout).not.toContain(HEAD);
      const kept = listFiles(one.scratch.home).filter((path) => path.endsWith('.jsonl'));
      expect(kept.length).toBeGreaterThan(0);
      for (const path of kept)
        expect(execFileSync('cat', [join(one.scratch.home, path)], { encoding: 'utf8' })).not.toContain(HEAD);
    }
  });
});
