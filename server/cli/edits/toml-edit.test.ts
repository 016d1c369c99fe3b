import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { UnreadableConfig } from './config-format.ts';
import { applySplices, invertSplices } from './splice.ts';
import { configTexts } from './testing.ts';
import { tomlFormat } from './toml-edit.ts';

const PATH = ['openai_base_url'];
const ENTRY = { path: PATH, value: 'http://127.0.0.1:4141/openai/v1' };
const LINE = 'openai_base_url = "http://127.0.0.1:4141/openai/v1"';

function applied(text: string, splices: Parameters<typeof applySplices>[1]): string {
  const result = applySplices(text, splices);
  if (result === null) throw new Error('the splices do not fit');
  return result;
}

function set(text: string): string {
  return applied(text, tomlFormat.set(text, [ENTRY]));
}

function takeOut(text: string): string {
  return applied(text, tomlFormat.takeOut(text, [{ ...ENTRY, before: null }], []));
}

describe('setting a key in a TOML file', () => {
  test('the documents of these properties are mostly more than nothing', () => {
    const samples = fc.sample(configTexts, { numRuns: 200, seed: 1 });
    expect(samples.filter((text) => text.includes('=')).length).toBeGreaterThan(100);
  });

  test('taking the splices back gives the same text', () => {
    fc.assert(
      fc.property(configTexts, (text) => {
        const splices = tomlFormat.set(text, [ENTRY]);
        expect(applySplices(applied(text, splices), invertSplices(splices))).toBe(text);
      }),
      { numRuns: 400 },
    );
  });

  test('the key stands in the root table and all else means what it meant', () => {
    fc.assert(
      fc.property(configTexts, (text) => {
        const { openai_base_url: url, ...rest } = parse(set(text));
        expect(url).toBe(ENTRY.value);
        expect(rest).toEqual({ ...parse(text) });
      }),
      { numRuns: 400 },
    );
  });

  test('setting twice is setting once', () => {
    fc.assert(
      fc.property(configTexts, (text) => {
        expect(set(set(text))).toBe(set(text));
      }),
      { numRuns: 300 },
    );
  });

  test('taking it out without a record of the splices gives the same text', () => {
    fc.assert(
      fc.property(configTexts, (text) => {
        expect(takeOut(set(text))).toBe(text);
      }),
      { numRuns: 400 },
    );
  });

  test('edits by others in between are kept', () => {
    fc.assert(
      fc.property(configTexts, (text) => {
        const other = { path: ['by_another'], value: 'x' };
        const edited = applied(set(text), tomlFormat.set(set(text), [other]));
        expect({ ...parse(takeOut(edited)) }).toEqual({ ...parse(text), by_another: 'x' });
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    [
      'before the first table',
      'model = "x" # why\n\n[a]\nb = 1\n',
      `model = "x" # why\n${LINE}\n\n[a]\nb = 1\n`,
    ],
    ['to the top where there are tables alone', '[a]\r\nb = 1\r\n', `${LINE}\r\n[a]\r\nb = 1\r\n`],
    ['without a final line ending', 'model = "x"', `model = "x"\n${LINE}`],
    ['behind a list over several lines', 'a = [\n 1,\n]\n[t]', `a = [\n 1,\n]\n${LINE}\n[t]`],
    ['into an empty file', '', `${LINE}\n`],
    [
      'over the old value',
      "openai_base_url  =  'http://x' # c\n",
      'openai_base_url  =  "http://127.0.0.1:4141/openai/v1" # c\n',
    ],
    [
      'over the old value under a quoted key',
      '"openai_base_url"="x"',
      '"openai_base_url"="http://127.0.0.1:4141/openai/v1"',
    ],
  ])('puts it %s', (_name, before, after) => {
    expect(set(before)).toBe(after);
  });

  test('a key of the same name in a table or in a text is not ours', () => {
    const text = 'a = """\nopenai_base_url = "no"\n"""\n[t]\nopenai_base_url = "no"\n';
    expect(tomlFormat.find(text, PATH)).toBeNull();
    expect(tomlFormat.takeOut(text, [{ ...ENTRY, before: null }], [])).toEqual([]);
  });

  test('a comment that somebody put behind our value stays', () => {
    expect(takeOut(`a = 1\n${LINE} # note\n`)).toBe('a = 1\n # note\n');
  });

  test.each([
    ['a value without an end', 'a = "x\nb = 1\n', { line: 1 }],
    ['a key that is there twice', 'a = 1\na = 2\n', { line: 2 }],
    ['no TOML at all', '{"a": 1}', { line: 1 }],
  ])('refuses %s and says where', (_name, text, position) => {
    expect(() => tomlFormat.check(text)).toThrow(UnreadableConfig);
    expect(() => tomlFormat.check(text)).toThrow(expect.objectContaining(position));
  });
});
