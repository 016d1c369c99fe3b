import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalName, normalPredicate, slotName, toValue, usualArity } from './normal-form.ts';

describe('the name of a slot', () => {
  test('is the same in any case, with any spaces, with `_` or `-`, with and without an article', () => {
    const same = [
      'staging database',
      'The Staging Database',
      'our  staging_database',
      ' staging-database.',
      '`Staging Database`',
    ];
    expect(new Set(same.map(normalName))).toEqual(new Set(['staging database']));
    expect(normalName('a')).toBe('a');
    expect(normalName('the')).toBe('the');
    expect(normalName('…!')).not.toBe('');
  });

  test.each([
    [
      'deployed_to',
      ['deployed to', 'Runs on', 'hosted-on', 'deployed_on', 'lives on', 'hosting provider', 'deploy target'],
    ],
    ['region', ['located in', 'is in', 'hosted_in', 'Location', 'lives in']],
    ['owner', ['owned by', 'is owned by', 'maintainer', 'maintained-by']],
    ['port', ['listens on', 'listens on port', 'port number']],
    ['deadline', ['due', 'due on', 'due date', 'is due', 'due_by']],
    ['codename', ['code name', 'code-name']],
  ])('is one for the ways to say `%s`', (first, others) => {
    for (const other of [first, ...others]) expect(normalPredicate(other)).toBe(first);
  });

  test('names a relation that runs both ways by both ends, whichever comes first', () => {
    const one = { subject: 'The API', predicate: 'peered with', object: 'billing' };
    const other = { subject: 'Billing', predicate: 'peered_with', object: 'api' };
    expect(slotName(one, 'pair')).toEqual(slotName(other, 'pair'));
    expect(slotName(one, 'one')).not.toEqual(slotName(other, 'one'));
  });

  test('in normal form stays as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), (text) => {
        expect(normalPredicate(normalPredicate(text))).toBe(normalPredicate(text));
        const name = normalName(text);
        expect(normalName(name)).toBe(name);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a value', () => {
  const isSame = (one: string, other: string) => toValue(one).key === toValue(other).key;

  test('of words is the same in any case, with quotes, an article or a full stop', () => {
    expect(isSame('Render, Oregon region', 'the render, oregon  region.')).toBe(true);
    expect(isSame('"Frankfurt"', 'frankfurt')).toBe(true);
    expect(isSame('Frankfurt', 'Reykjavik')).toBe(false);
  });

  test('that looks like code keeps its case and its marks', () => {
    expect(isSame('README.md', 'readme.md')).toBe(false);
    expect(isSame('/srv/App', '/srv/app')).toBe(false);
    expect(isSame('retryCount', 'retrycount')).toBe(false);
    expect(isSame('us-east-1', 'us east 1')).toBe(false);
  });

  test('keeps its text as it was said, and has a key whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 20 }), (text) => {
        expect(toValue(text).text).toBe(text);
        expect(toValue(text).key).not.toBe('');
      }),
    );
  });
});

test('a slot holds one value unless its predicate is known for more, for events or for pairs', () => {
  expect(usualArity('region')).toBe('one');
  expect(usualArity('any_word_that_was_never_heard')).toBe('one');
  expect(usualArity('uses')).toBe('many');
  expect(usualArity('released')).toBe('event');
  expect(usualArity('married_to')).toBe('pair');
});
