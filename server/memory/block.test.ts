import { describe, expect, test } from 'vitest';
import type { Millis } from '../kernel/clock.ts';
import type { Uuid } from '../kernel/ids.ts';
import {
  type After,
  blockQuestion,
  JUDGE_MS,
  lexicalJudge,
  MOST_FACTS,
  makeBlock,
  POOL,
  ranked,
} from './block.ts';
import type { FittingFact } from './store/fitting.ts';
import { wordsOfFact } from './words.ts';

const NOW = Date.UTC(2026, 11, 1) as Millis;
let made = 0;

function fact(
  subject: string,
  predicate: string,
  value: string,
  more: Partial<FittingFact> = {},
): FittingFact {
  made += 1;
  return {
    fact: `00000000-0000-7000-8000-${`${made}`.padStart(12, '0')}` as Uuid,
    slot: '00000000-0000-7000-8000-000000000001' as Uuid,
    scope: 'project',
    subject,
    predicate,
    value,
    words: wordsOfFact(subject, predicate, value),
    confirmations: 1,
    validFrom: NOW,
    docid: null,
    ...more,
  };
}

/** A time that is over when a test says so. */
function handTime() {
  const asked: number[] = [];
  let end: () => void = () => undefined;
  const after: After = (ms) => {
    asked.push(ms);
    return { over: new Promise<void>((resolve) => (end = resolve)), cancel: () => undefined };
  };
  return { after, asked, end: () => end() };
}

const asks = (typed: string) => blockQuestion(typed, NOW);

describe('the built-in judge', () => {
  const deployed = fact('production', 'deployed_to', 'Fly');
  test.each([
    ['where is production deployed?', true],
    ['Production is down!', true],
    ['why does fly reject the build', true],
    ['where do we host it, and how is it deployed', true],
    ['refactor the parser', false],
    ['add a column to the orders table', false],
    ['', false],
  ])('lets a fact through where it is spoken of: %s', (typed, fits) => {
    expect(lexicalJudge(deployed, asks(typed))).toBe(fits);
  });

  test('lets a sentence through where two of its words are typed', () => {
    const rule = fact('project', 'must_not', 'do not touch the webhook retry code');
    expect(lexicalJudge(rule, asks('the webhook retry is slow'))).toBe(true);
    expect(lexicalJudge(rule, asks('touch up the styles'))).toBe(false);
  });
});

describe('a block', () => {
  test('has six facts at most, of twenty that were asked about', async () => {
    const many = Array.from({ length: 40 }, (_, at) => fact(`service ${at}`, 'port', `${4000 + at}`));
    let asked = 0;
    const judge = () => {
      asked += 1;
      return true;
    };
    const block = await makeBlock(many, asks('all service ports'), judge, handTime().after);
    expect(asked).toBe(POOL);
    expect(block?.facts).toHaveLength(MOST_FACTS);
    expect(block?.text.split('\n')).toHaveLength(MOST_FACTS + 1);
  });

  test('is none where no fact fits', async () => {
    const { after } = handTime();
    expect(await makeBlock([], asks('anything'), lexicalJudge, after)).toBeNull();
    expect(await makeBlock([fact('a b', 'port', '1')], asks('c'), () => false, after)).toBeNull();
  });

  test('does not wait for a judge beyond its time: the best by rank go out', async () => {
    const time = handTime();
    const facts = [fact('production', 'deployed_to', 'Fly'), fact('staging', 'deployed_to', 'Render')];
    const making = makeBlock(
      facts,
      asks('production'),
      () => new Promise<boolean>(() => undefined),
      time.after,
    );
    expect(time.asked).toEqual([JUDGE_MS]);
    time.end();
    expect((await making)?.text).toContain('- production deployed to Fly\n- staging deployed to Render');
  });

  test('takes a judge that fails for one that says no', async () => {
    const judge = (one: FittingFact) =>
      one.value === 'Fly' ? Promise.reject(new Error('away')) : Promise.resolve(true);
    const facts = [fact('production', 'deployed_to', 'Fly'), fact('production', 'owner', 'Anna')];
    const block = await makeBlock(facts, asks('production'), judge, handTime().after);
    expect(block?.text.split('\n').slice(1)).toEqual(['- production owner: Anna']);
  });

  test('is the same for the same facts, and begins so that it is never learned from', async () => {
    const facts = [fact('production', 'deployed_to', 'Fly'), fact('api', 'port', '4711')];
    const once = await makeBlock(facts, asks('production api'), lexicalJudge, handTime().after);
    const again = await makeBlock(facts.toReversed(), asks('production api'), lexicalJudge, handTime().after);
    expect(again).toEqual(once);
    expect(once?.text.startsWith('[Context Mode, ')).toBe(true);
  });

  test('shows a value in one line, and a long one cut', async () => {
    const long = fact('project', 'note', `first\nsecond ${'x'.repeat(400)}`);
    const block = await makeBlock([long], asks('first second'), lexicalJudge, handTime().after);
    expect(block?.text.split('\n')).toHaveLength(2);
    expect(block?.text.length).toBeLessThan(320);
  });
});

test('what matches more, is nearer and newer goes first', () => {
  const facts = [
    fact('api', 'port', '1', { validFrom: (NOW - 400 * 86_400_000) as Millis }),
    fact('api', 'port', '2'),
    fact('api', 'port', '3', { scope: 'worktree' }),
    fact('api gateway', 'port', '4'),
  ];
  expect(ranked(facts, asks('the api gateway port')).map(({ value }) => value)).toEqual(['4', '3', '2', '1']);
});
