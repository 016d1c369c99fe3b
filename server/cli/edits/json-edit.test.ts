import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { UnreadableConfig } from './config-format.ts';
import { jsonFormat } from './json-edit.ts';
import { strictProblemOf } from './json-tree.ts';
import { applySplices, invertSplices } from './splice.ts';
import { settingsTexts } from './testing.ts';

const URL_PATH = ['env', 'ANTHROPIC_BASE_URL'];
const ENTRIES = [
  { path: URL_PATH, value: 'http://127.0.0.1:4141/anthropic' },
  { path: ['env', 'ENABLE_TOOL_SEARCH'], value: 'true' },
];
const OWN = ENTRIES.map((entry) => ({ ...entry, before: null }));

function set(text: string): string {
  return applied(text, jsonFormat.set(text, ENTRIES));
}

function applied(text: string, splices: Parameters<typeof applySplices>[1]): string {
  const result = applySplices(text, splices);
  if (result === null) throw new Error('the splices do not fit');
  return result;
}

describe('setting values in a JSON file', () => {
  test('taking the splices back gives the same text, whatever the formatting', () => {
    fc.assert(
      fc.property(settingsTexts, (text) => {
        const splices = jsonFormat.set(text, ENTRIES);
        expect(applySplices(applied(text, splices), invertSplices(splices))).toBe(text);
      }),
      { numRuns: 300 },
    );
  });

  test('the values can be read afterwards, by a strict reader too where the file was strict', () => {
    fc.assert(
      fc.property(settingsTexts, (text) => {
        const after = set(text);
        for (const { path, value: wanted } of ENTRIES)
          expect(jsonFormat.find(after, path)?.value).toBe(wanted);
        if (strictProblemOf(text) === null)
          expect(JSON.parse(after).env).toMatchObject({ ENABLE_TOOL_SEARCH: 'true' });
      }),
      { numRuns: 300 },
    );
  });

  test('setting twice is setting once', () => {
    fc.assert(
      fc.property(settingsTexts, (text) => {
        expect(set(set(text))).toBe(set(text));
      }),
      { numRuns: 300 },
    );
  });

  test('every other value and every comment stays', () => {
    fc.assert(
      fc.property(settingsTexts, (text) => {
        const after = set(text);
        const rest = (document: string) => {
          const { env, ...others } = parse(document, [], { allowTrailingComma: true });
          const { ANTHROPIC_BASE_URL: _url, ENABLE_TOOL_SEARCH: _search, ...variables } = env ?? {};
          return { others, variables };
        };
        expect(rest(after)).toEqual(rest(text));
        const comments = (document: string) => document.match(/\/\/ é 😀|\/\* , \} \r?\n \{ \*\//g) ?? [];
        expect(comments(after)).toEqual(comments(text));
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['own lines', '{\n  "model": "opus"\n}\n', '{\n  "model": "opus",\n  "env": {\n    "A": "1"\n  }\n}\n'],
    ['tabs', '{\n\t"env": {\n\t\t"X": "2"\n\t}\n}', '{\n\t"env": {\n\t\t"X": "2",\n\t\t"A": "1"\n\t}\n}'],
    ['CRLF', '{\r\n  "a": 1\r\n}', '{\r\n  "a": 1,\r\n  "env": {\r\n    "A": "1"\r\n  }\r\n}'],
    ['one line', '{"a":1}', '{"a":1,"env":{"A":"1"}}'],
    ['one line with blanks', '{ "a": 1 }', '{ "a": 1, "env": {"A": "1"} }'],
    ['trailing comma', '{\n "env": {\n  "X": "2",\n },\n}', '{\n "env": {\n  "X": "2",\n  "A": "1",\n },\n}'],
    [
      'comment',
      '{\n "env": {\n  "X": "2" // why\n }\n}',
      '{\n "env": {\n  "X": "2", // why\n  "A": "1"\n }\n}',
    ],
    ['empty object', '{}', '{\n  "env": {\n    "A": "1"\n  }\n}'],
    ['empty env', '{\n    "env": {}\n}', '{\n    "env": {\n        "A": "1"\n    }\n}'],
    ['empty file', '', '{\n  "env": {\n    "A": "1"\n  }\n}\n'],
  ])('keeps the layout: %s', (_name, before, after) => {
    expect(applied(before, jsonFormat.set(before, [{ path: ['env', 'A'], value: '1' }]))).toBe(after);
  });

  test.each([
    [
      'own lines',
      '{\n  "a": 1\n}\n',
      '{\n  "a": 1,\n  "p": {\n    "x": {\n      "o": {\n        "u": "1"\n      }\n    }\n  }\n}\n',
    ],
    ['one line', '{"a":1}', '{"a":1,"p":{"x":{"o":{"u":"1"}}}}'],
    [
      'a table that is there',
      '{\n\t"p": {\n\t\t"x": {} // mine\n\t}\n}',
      '{\n\t"p": {\n\t\t"x": {\n\t\t\t"o": {\n\t\t\t\t"u": "1"\n\t\t\t}\n\t\t} // mine\n\t}\n}',
    ],
    [
      'an empty file',
      '',
      '{\n  "p": {\n    "x": {\n      "o": {\n        "u": "1"\n      }\n    }\n  }\n}\n',
    ],
  ])('makes tables inside tables, and takes them out: %s', (_name, before, after) => {
    const entry = { path: ['p', 'x', 'o', 'u'], value: '1' };
    expect(applied(before, jsonFormat.set(before, [entry]))).toBe(after);
    const tables = jsonFormat.missingTables(before, [entry]);
    const taken = jsonFormat.takeOut(after, [{ ...entry, before: null }], tables);
    const read = (text: string) => parse(text, [], { allowTrailingComma: true }) ?? {};
    expect(read(applied(after, taken))).toEqual(read(before));
  });

  test('where a name stands twice, the one that counts is changed', () => {
    const text = '{"env":{"A":"old","A":"older"}}';
    expect(applied(text, jsonFormat.set(text, [{ path: ['env', 'A'], value: '1' }]))).toBe(
      '{"env":{"A":"old","A":"1"}}',
    );
  });

  test.each([
    ['a missing brace', '{\n  "env": {}\n', { line: 3 }],
    ['a missing comma', '{\n  "a": 1\n  "b": 2\n}', { line: 3, column: 3 }],
    ['a list', '[]', { line: 1, column: 1 }],
    ['env as a text', '{\n  "env": "no"\n}', { line: 2, column: 10 }],
    ['comments alone', '// nothing here\n', { line: 1, column: 1 }],
    ['something behind the end', '{} x', { line: 1, column: 4 }],
  ])('refuses %s and says where', (_name, text, position) => {
    const attempt = () => jsonFormat.set(text, ENTRIES);
    expect(attempt).toThrow(UnreadableConfig);
    expect(attempt).toThrow(expect.objectContaining(position));
  });
});

describe('taking values out of a JSON file', () => {
  test('leaves nothing of ours and all of the others, after edits by others', () => {
    const withEdit = settingsTexts.filter((text) => jsonFormat.find(text, URL_PATH) === null);
    fc.assert(
      fc.property(withEdit, fc.boolean(), (text, first) => {
        const edit = [{ path: first ? ['env', 'LATER'] : ['later'], value: 'by another' }];
        const connected = set(text);
        const edited = applied(connected, jsonFormat.set(connected, edit));
        const tables = jsonFormat.missingTables(text, ENTRIES);
        const own = OWN.filter(({ path }) => jsonFormat.find(text, path) === null);
        const out = applied(edited, jsonFormat.takeOut(edited, own, tables));
        for (const { path } of own) expect(jsonFormat.find(out, path)).toBeNull();
        const expected = applied(text, jsonFormat.set(text, edit));
        const kept =
          own.length === OWN.length
            ? expected
            : applied(expected, jsonFormat.set(expected, ENTRIES.slice(1)));
        const read = (document: string) => parse(document, [], { allowTrailingComma: true });
        expect(read(out)).toEqual(read(kept));
      }),
      { numRuns: 300 },
    );
  });

  test('without edits by others a file on lines of its own is what it was, to the character', () => {
    for (const text of [
      '{\n  "a": 1 // x\n}\n',
      '{\r\n\t"env": {\r\n\t\t"X": "1",\r\n\t},\r\n}',
      '{"a":1}',
    ]) {
      const tables = jsonFormat.missingTables(text, ENTRIES);
      expect(applied(set(text), jsonFormat.takeOut(set(text), OWN, tables))).toBe(text);
    }
  });

  test('a value that somebody changed since stays', () => {
    const text = '{"env": {"ANTHROPIC_BASE_URL": "http://elsewhere"}}';
    expect(jsonFormat.takeOut(text, OWN, [])).toEqual([]);
  });

  test('a value that was there before comes back as it was written', () => {
    const text = '{"env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:4141/anthropic", "B": "2"}}';
    const own = [{ path: URL_PATH, value: 'http://127.0.0.1:4141/anthropic', before: '"http:\\/\\/old"' }];
    expect(applied(text, jsonFormat.takeOut(text, own, []))).toBe(
      '{"env": {"ANTHROPIC_BASE_URL": "http:\\/\\/old", "B": "2"}}',
    );
  });

  test('a table that we made stays when somebody else put something into it', () => {
    const text = '{\n  "env": {\n    "ENABLE_TOOL_SEARCH": "true",\n    "X": "1"\n  }\n}';
    const out = applied(text, jsonFormat.takeOut(text, OWN, [['env']]));
    expect(out).toBe('{\n  "env": {\n    "X": "1"\n  }\n}');
  });
});

test.each([
  ['{"a": 1}', null],
  ['', null],
  ['{\n  // c\n}', { what: 'a comment', line: 2, column: 3 }],
  ['{"a": [1,]}', { what: 'a trailing comma', line: 1, column: 10 }],
])('says where a file is not strict JSON: %s', (text, expected) => {
  expect(strictProblemOf(text)).toEqual(expected);
});
