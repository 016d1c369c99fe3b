import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { UnreadableConfig } from './config-format.ts';
import { jsonFormat } from './json-edit.ts';
import { applySplices, invertSplices } from './splice.ts';
import { settingsTexts } from './testing.ts';

const PATH = ['env', 'ANTHROPIC_CUSTOM_HEADERS'];
const LINE = 'x-context-mode-key: cml_ours';
const ENTRY = { path: PATH, value: LINE, asLine: true };

function applied(text: string, splices: Parameters<typeof applySplices>[1]): string {
  const result = applySplices(text, splices);
  if (result === null) throw new Error('the splices do not fit');
  return result;
}
const put = (text: string) => applied(text, jsonFormat.set(text, [ENTRY]));
const take = (text: string, before: string | null = '') =>
  applied(text, jsonFormat.takeOut(text, [{ ...ENTRY, before }], []));

/** Header lines as people write them, and ways to write a line ending in JSON. */
const headerLine = fc.oneof(
  fc.constantFrom('', 'A: 1', 'b:2', 'Authorization: Bearer s3cret', 'X-Path: c:\\n', ' x : "y"'),
  fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => text.replace(/[\r\n]/g, '')),
);
const writtenHeaders = fc
  .tuple(fc.array(headerLine, { maxLength: 4 }), fc.constantFrom('\\n', '\\r\\n', '\\u000a', '\\u000A'))
  .map(([lines, ending]) => lines.map((line) => JSON.stringify(line).slice(1, -1)).join(ending));
const settingsWith = (inside: string) => `{\n  "env": { "ANTHROPIC_CUSTOM_HEADERS": "${inside}" }\n}\n`;
const headersIn = (text: string) => String(parse(text).env.ANTHROPIC_CUSTOM_HEADERS);
/** The lines of a value without the empty ones, which say nothing to whoever reads headers. */
const linesOf = (text: string) =>
  headersIn(text)
    .split(/\r?\n/)
    .filter((line) => line !== '');

describe('one line in a text of lines', () => {
  test('stands behind the lines that are there, which stay as they are written', () => {
    fc.assert(
      fc.property(writtenHeaders, (inside) => {
        const text = settingsWith(inside);
        const after = put(text);
        expect(linesOf(after)).toEqual([...linesOf(text), LINE]);
        expect(after).toContain(`"${inside}`);
        expect(put(after)).toBe(after);
      }),
    );
  });

  test('is taken out again alone, whatever was written before or behind it since', () => {
    fc.assert(
      fc.property(writtenHeaders, fc.constantFrom('', '\\nC: 3'), (inside, more) => {
        const text = settingsWith(inside);
        expect(take(put(text))).toBe(text);
        const edited = put(text).replace(/" }\n}\n$/, `${more}" }\n}\n`);
        expect(linesOf(take(edited))).toEqual(linesOf(settingsWith(inside + more)));
      }),
    );
  });

  test('taking the splices back gives the same text, whatever the formatting of the file', () => {
    fc.assert(
      fc.property(settingsTexts, (text) => {
        const splices = jsonFormat.set(text, [ENTRY]);
        expect(jsonFormat.find(applied(text, splices), PATH)?.value).toBe(LINE);
        expect(applySplices(applied(text, splices), invertSplices(splices))).toBe(text);
      }),
    );
  });

  test('takes the place of the last line of its name, in any case, and gives it back', () => {
    const text = settingsWith('A: 1\\nX-Context-Mode-Key : cml_old\\r\\nB: 2');
    expect(headersIn(put(text))).toBe(`A: 1\n${LINE}\r\nB: 2`);
    expect(headersIn(take(put(text), 'X-Context-Mode-Key : cml_old'))).toBe(headersIn(text));
  });

  test('is the whole text where there was none, and goes with it', () => {
    const text = '{ "env": { "A": "1" } }';
    expect(JSON.parse(put(text)).env).toEqual({ A: '1', ANTHROPIC_CUSTOM_HEADERS: LINE });
    expect(take(put(text), null)).toBe(text);
    expect(take(settingsWith(`${LINE}\\nMine: 1`), null)).toBe(settingsWith('Mine: 1'));
  });

  test('of another value is not ours and stays', () => {
    const text = settingsWith('x-context-mode-key: cml_theirs');
    expect(take(text)).toBe(text);
  });

  test.each(['1', 'null', '["A: 1"]'])('a value %s is no text of lines: the place is named', (value) => {
    const text = `{"env": {"ANTHROPIC_CUSTOM_HEADERS": ${value}}}`;
    expect(() => jsonFormat.set(text, [ENTRY])).toThrow(UnreadableConfig);
  });
});
