import { describe, expect, test } from 'vitest';
import type { DocId } from '../conversation/index.ts';
import type { Millis } from '../kernel/clock.ts';
import type { Uuid } from '../kernel/ids.ts';
import type { KnownFact, TurnPart } from './extraction/types.ts';
import { confirms, isTypedTurn, learnByRules } from './learn.ts';
import { likeSubject } from './likeness.ts';
import { slotName } from './normal-form.ts';

const DOCID = `context-mode-msg-${'0'.repeat(16)}` as DocId;
const SCOPE = { kind: 'project', id: '00000000-0000-7000-8000-000000000001' as Uuid } as const;
const part = (text: string, more: Partial<TurnPart> = {}): TurnPart => ({
  docid: DOCID,
  role: 'user',
  kind: 'input',
  text,
  ...more,
});

function learned(typed: string, known: readonly KnownFact[] = [], answered = '') {
  return learnByRules({
    isMain: true,
    parts: [part(typed)],
    answered: answered === '' ? [] : [part(answered, { role: 'assistant', kind: 'answer' })],
    saidAt: Date.UTC(2026, 11, 1, 12) as Millis,
    zone: 'UTC',
    scope: SCOPE,
    known,
  });
}

const RENDER: KnownFact = { subject: 'production', predicate: 'deployed_to', value: 'Render' };

test.each([
  'We moved production from Render to Fly.',
  'Production moved to Fly.',
  'Production is now deployed to Fly.',
  'Production runs on Fly now.',
  'We migrated from Render to Fly.',
  'We deploy production to Fly.',
  'Production has been migrated from Render to Fly.',
  'We replaced Render with Fly.',
  "It's Fly, not Render.",
  'Prod is deployed to Fly.',
])('ten wordings of one change are of one slot: %s', (typed) => {
  const values = learned(typed, [RENDER]).drafts.filter(({ kind }) => kind === 'value');
  expect(values.map(({ value }) => value)).toEqual(['Fly']);
  const [draft] = values;
  const name = slotName(
    { subject: draft?.subject ?? '', predicate: draft?.predicate ?? '', object: '' },
    'one',
  );
  expect(name).toEqual({ subject: 'production', predicate: 'deployed_to' });
});

describe('a name that is like a known one', () => {
  const known = (...subjects: readonly string[]) =>
    subjects.map((subject) => ({ subject, predicate: 'deployed_to', value: 'Render' }));
  test.each([
    ['prod', ['production'], 'production'],
    ['production environment', ['production'], 'production'],
    ['the staging server', ['staging'], 'staging'],
    ['orders db', ['orders database'], 'orders database'],
    ['production', ['production'], null],
    ['production', ['staging'], null],
    ['production database', ['production'], null],
    ['prod', ['production', 'production environment'], null],
  ])('%s among %j: %s', (subject, subjects, like) => {
    expect(likeSubject({ subject, predicate: 'runs on' }, known(...subjects))).toBe(like);
  });

  test('is matched, and a person is asked to look at it', () => {
    const [draft] = learned('Prod is deployed to Fly.', [RENDER]).drafts;
    expect(draft).toMatchObject({ subject: 'production', doubts: ['likeness'] });
    expect(learned('Production is deployed to Fly since Monday.', [RENDER]).drafts[0]?.doubts).toEqual([
      'date',
    ]);
    expect(learned('Production is deployed to Fly.', [RENDER]).drafts[0]?.doubts).toBeUndefined();
  });
});

describe('what an answer says', () => {
  const answer = 'Production is deployed to Render.';
  test.each(['yes', 'Yes, exactly.', 'correct', 'that’s right', 'Genau'])('is a fact after %s', (typed) => {
    expect(confirms(typed)).toBe(true);
    const { drafts, claims } = learned(typed, [], answer);
    expect(drafts).toMatchObject([{ value: 'Render', source: { docid: DOCID } }]);
    expect(claims.size).toBe(0);
  });

  test.each(['thanks', 'no', 'yes, but check it first', 'yesterday it was Fly', 'go on'])(
    'waits after %s',
    (typed) => {
      const { drafts, claims } = learned(typed, [], answer);
      expect(drafts.filter(({ value }) => value === 'Render')).toEqual([]);
      expect([...claims.values()].flat()).toMatchObject([{ value: 'Render', author: 'rules/1' }]);
    },
  );

  test('does not wait where the person says the same', () => {
    expect(learned(answer, [], answer).claims.size).toBe(0);
  });
});

test('only what a person typed in the main line is looked at', () => {
  expect(isTypedTurn({ isMain: true, parts: [part('hello')] })).toBe(true);
  expect(isTypedTurn({ isMain: false, parts: [part('hello')] })).toBe(false);
  expect(isTypedTurn({ isMain: true, parts: [part('  ')] })).toBe(false);
  for (const kind of ['injected', 'tool_result', 'compaction', 'image'] as const)
    expect(isTypedTurn({ isMain: true, parts: [part('hello', { kind })] })).toBe(false);
});
