import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchPassage } from './match.ts';
import { parseQuery } from './query.ts';
import { SNIPPET, snippetOf } from './snippet.ts';
import { isCut, long, texts } from './testing-texts.ts';
import { spansOf } from './words.ts';

describe('snippets', () => {
  test('they are a part of the text, bounded, cut no character, and mark what was looked for', () => {
    fc.assert(
      fc.property(long, texts, (text, words) => {
        fc.pre(words.trim() !== '' && spansOf(words).length > 0);
        let query: ReturnType<typeof parseQuery>;
        try {
          query = parseQuery(words);
        } catch {
          return;
        }
        const worth = query.terms.map((_, at) => 1 + at);
        const passage = matchPassage(text, query, worth);
        const snippet = snippetOf(passage, worth);
        expect(text).toContain(snippet.text);
        expect(snippet.text.length).toBeLessThanOrEqual(SNIPPET);
        const at = text.indexOf(snippet.text);
        expect(isCut(text, at) || isCut(text, at + snippet.text.length)).toBe(false);
        let before = -1;
        for (const [start, end] of snippet.marks) {
          expect(start > before && start < end && end <= snippet.text.length).toBe(true);
          before = end;
        }
        if (passage.matches.length > 0 && passage.matches.every((match) => match.end - match.start < 100))
          expect(snippet.marks.length).toBeGreaterThan(0);
        if (passage.matches.length === 0) expect(snippet.marks).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  test('a mark covers the word and nothing else', () => {
    const query = parseQuery('refund');
    const { text, marks } = snippetOf(matchPassage('no 𝄞 refunds, noRefundHere, REFUND', query, [1]), [1]);
    expect(marks.map(([start, end]) => text.slice(start, end))).toEqual(['refunds', 'Refund', 'REFUND']);
  });
});
