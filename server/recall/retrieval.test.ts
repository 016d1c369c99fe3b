import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AnswerOptions,
  ambiguousAnswer,
  documentAnswer,
  type FoundPlace,
  missingAnswer,
  type ReadDocument,
  searchAnswer,
} from './retrieval-answers.ts';
import { RETRIEVAL_TOOL, readRetrievalCall, retrievalToolJson } from './retrieval-tool.ts';

const estimate = (text: string) => Math.ceil(text.length / 2.5);
const timeOf = (at: number) => new Date(at).toISOString().slice(0, 16).replace('T', ' ');
const now = Date.UTC(2026, 9, 2, 14, 30);
const options: AnswerOptions = { tokens: 8_000, estimate, timeOf, now };
const id = 'context-mode-msg-3f2a9c0b1d4e5f60';
const document: ReadDocument = {
  docid: id,
  who: 'Read',
  at: now - 60_000,
  input: '{"file_path":"/a"}',
  text: 'the text',
  offset: 0,
  length: 8,
  masked: false,
  changed: null,
};

describe('the tool', () => {
  test('is defined under its name for both protocols, the words to look for first', () => {
    for (const protocol of ['anthropic', 'openai'] as const) {
      const json = retrievalToolJson(protocol);
      expect(JSON.parse(json)).toMatchObject({ name: RETRIEVAL_TOOL });
      expect(json.indexOf('"q"')).toBeLessThan(json.indexOf('"docid"'));
    }
  });

  test('understands what is meant, and says what to do where nothing is', () => {
    expect(readRetrievalCall('{"q":" refund window "}')).toEqual({ ask: 'search', q: 'refund window' });
    expect(readRetrievalCall(`{"docid":"${id}","offset":"40","why":"x"}`)).toEqual({
      ask: 'read',
      docid: id,
      offset: 40,
    });
    for (const input of ['', '[]', '{}', '{"q":"  "}', '{"docid":"x","offset":-1}', '{"q":5}']) {
      const call = readRetrievalCall(input);
      expect(call.ask === 'wrong' && call.answer).toContain('{"q": "words to look for"}');
    }
  });

  test('never fails on any input', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (input) => void readRetrievalCall(input)));
  });
});

describe('a document', () => {
  test('comes whole with who said it and when, and its input', () => {
    expect(documentAnswer(document, options)).toBe(
      `${id} (Read, 2026-10-02 14:29)\ninput: {"file_path":"/a"}\n\nthe text`,
    );
  });

  test('says that its file was changed, with the date when that was not today', () => {
    const changed = (at: number) => documentAnswer({ ...document, changed: { at, docid: 'newer' } }, options);
    expect(changed(Date.UTC(2026, 9, 2, 14, 2))).toContain('changed at 14:02, newer: newer');
    expect(changed(Date.UTC(2026, 9, 1, 14, 2))).toContain('changed at 2026-10-01 14:02, newer: newer');
  });

  test('says that masks are not the real text', () => {
    expect(documentAnswer({ ...document, masked: true }, options)).toContain(
      'Read the file before you write it.',
    );
  });

  test('read on and on within its bound gives the whole text, word for word', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 20_000 }),
        fc.integer({ min: 700, max: 3_000 }),
        (text, tokens) => {
          let read = '';
          let offset = 0;
          const points = [...text];
          for (let rounds = 0; rounds < 100; rounds += 1) {
            const rest = points.slice(offset, offset + 5_000).join('');
            const part = documentAnswer(
              { ...document, input: null, text: rest, offset, length: points.length },
              { ...options, tokens },
            );
            expect(estimate(part)).toBeLessThanOrEqual(tokens + 100);
            const more = /\n\[characters \d+ to (\d+) of \d+; read on with [^\n]*\]$/.exec(part);
            const body = part.slice(part.indexOf('\n\n') + 2, more?.index);
            read += body;
            if (more === null) break;
            offset = Number(more[1]);
            expect(points.slice(0, offset).join('')).toBe(read);
          }
          expect(read).toBe(text);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('a search', () => {
  const place = (n: number): FoundPlace => ({
    docid: `${id.slice(0, -2)}${n.toString().padStart(2, '0')}`,
    who: 'user',
    at: now,
    offset: n,
    snippet: `found ${n}\n${'word '.repeat(50)}`,
    elsewhere: n % 2 === 0 ? null : 'Other work',
  });

  test('names each place with its id, who said it, when and where', () => {
    const answer = searchAnswer('found', [place(0), place(1)], ['A word is common.'], options);
    expect(answer).toContain('2 places');
    expect(answer).toContain('A word is common.');
    expect(answer).toContain(`(user, 2026-10-02 14:30, in "Other work", from character 1)`);
  });

  test('leaves out what there is no room for, and says so', () => {
    const answer = searchAnswer(
      'found',
      Array.from({ length: 40 }, (_, n) => place(n)),
      [],
      { ...options, tokens: 900 },
    );
    expect(estimate(answer)).toBeLessThan(1_000);
    expect(answer).toMatch(/\[\d+ more left out: ask with more words\.\]$/);
  });

  test('that finds nothing is final and says what else to try', () => {
    expect(searchAnswer('x', [], [], options)).toContain('finds nothing either');
    expect(missingAnswer('context-mode-msg-0')).toContain('search for words of it');
    expect(ambiguousAnswer('context-mode-msg-', ['a', 'b'])).toContain('a, b');
  });
});
