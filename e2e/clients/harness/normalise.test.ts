import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Json, normaliseJson, normaliseText } from './normalise.ts';

const options = { root: '/tmp/cm-clients-abc123/1/direct' };

describe('making two runs comparable', () => {
  test('ids, times, folders and addresses become words, everything else stays', () => {
    const line = {
      type: 'assistant',
      uuid: '67aab650-5d4b-4f77-b56a-b8252619d372',
      timestamp: '2026-11-30T18:36:05.543Z',
      cwd: '/tmp/cm-clients-abc123/1/direct/project',
      message: {
        id: 'msg_01ABC',
        content: [{ type: 'tool_use', id: 'toolu_01X', input: { file_path: 'a b' } }],
      },
      durationMs: 12,
    };
    expect(normaliseJson(line, options)).toEqual({
      type: 'assistant',
      uuid: '<uuid>',
      cwd: '<root>/project',
      message: { id: '<msg>', content: [{ type: 'tool_use', id: '<toolu>', input: { file_path: 'a b' } }] },
    });
  });

  test('the same run in the other folder gives the same words', () => {
    const text = (way: string) =>
      `at /tmp/cm-clients-abc123/1/${way}/project and -tmp-cm-clients-abc123-1-${way}-project`;
    const other = { root: '/tmp/cm-clients-abc123/1/routed' };
    expect(normaliseText(text('routed'), other)).toBe(normaliseText(text('direct'), options));
  });

  test('members in another order inside a JSON string are no difference', () => {
    const one = normaliseJson({ metadata: '{"a":1,"b":{"c":2}}' }, options);
    expect(one).toEqual(normaliseJson({ metadata: '{"b":{"c":2},"a":1}' }, options));
  });

  test('a difference in words, numbers or structure is never normalised away', () => {
    const word = fc.stringMatching(/^[g-z ]{1,12}$/);
    const value = fc.letrec<{ node: Json }>((tie) => ({
      node: fc.oneof(word, fc.integer(), fc.boolean(), fc.array(tie('node'), { maxLength: 3 })),
    })).node;
    fc.assert(
      fc.property(value, value, (one, other) => {
        const same = JSON.stringify(one) === JSON.stringify(other);
        expect(
          JSON.stringify(normaliseJson(one, options)) === JSON.stringify(normaliseJson(other, options)),
        ).toBe(same);
      }),
    );
  });
});
