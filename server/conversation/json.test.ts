import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalText, isSupersetText, sameNumber } from './canonical.ts';
import { type JsonNode, readJson } from './json.ts';
import { anyText, bytesOf, jsonText, numberText } from './testing/json-texts.ts';

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function canonical(text: string): string {
  return canonicalText(readJson(bytesOf(text)) as JsonNode);
}

/** The value with keys of every object in another order, duplicates left in theirs. */
function reversed(node: JsonNode): JsonNode {
  if (node.type === 'array') return { ...node, items: node.items.map(reversed) };
  if (node.type !== 'object') return node;
  const entries = node.entries.map((entry) => ({ key: entry.key, value: reversed(entry.value) }));
  const names = [...new Set(entries.map((entry) => entry.key))].reverse();
  return { ...node, entries: names.flatMap((name) => entries.filter((entry) => entry.key === name)) };
}

describe('reading', () => {
  it('takes exactly the texts that JSON.parse takes', () => {
    const broken = fc
      .tuple(
        jsonText,
        fc.nat(),
        fc.constantFrom('', ',', '"', '\\', '}', ']', '0', '\u00a0', '\u0001', '.', '-', 'e'),
      )
      .map(
        ([text, at, more]) =>
          text.slice(0, at % (text.length + 1)) + more + text.slice(at % (text.length + 1)),
      );
    fc.assert(
      fc.property(fc.oneof(jsonText, broken), (text) => {
        // Lone surrogates cannot stand in UTF-8; they arrive as escapes.
        const bytes = bytesOf(text);
        expect(readJson(bytes) !== null).toBe(parses(bytes.toString('utf8')));
      }),
      { numRuns: 3000 },
    );
  });

  it('gives strings as JSON.parse gives them, NUL and lone surrogates included', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const node = readJson(bytesOf(JSON.stringify(text)));
        expect(node?.type === 'string' && node.value).toBe(text);
      }),
    );
  });

  it('says of every value the bytes it was read from', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const bytes = bytesOf(text);
        const work = [readJson(bytes) as JsonNode];
        for (let node = work.pop(); node !== undefined; node = work.pop()) {
          const again = readJson(bytes.subarray(node.start, node.end)) as JsonNode;
          expect(canonicalText(again)).toBe(canonicalText(node));
          if (node.type === 'array') work.push(...node.items);
          if (node.type === 'object') work.push(...node.entries.map((entry) => entry.value));
        }
      }),
    );
  });

  it('gives null on bytes that are not UTF-8', () => {
    expect(readJson(Buffer.from([0x22, 0xff, 0x22]))).toBeNull();
    expect(readJson(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).toBeNull();
  });

  it('reads a million open brackets without a stack', () => {
    const text = `${'['.repeat(1e6)}${']'.repeat(1e6)}`;
    expect(canonical(text) === text).toBe(true);
    expect(readJson(bytesOf('['.repeat(1e6)))).toBeNull();
  });
});

describe('the canonical form', () => {
  it('is JSON of the same value', () => {
    fc.assert(
      fc.property(jsonText, (text) => void expect(JSON.parse(canonical(text))).toEqual(JSON.parse(text))),
    );
  });

  it('is its own canonical form', () => {
    fc.assert(fc.property(jsonText, (text) => void expect(canonical(canonical(text))).toBe(canonical(text))));
  });

  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const node = readJson(bytesOf(text)) as JsonNode;
        expect(canonicalText(reversed(node))).toBe(canonicalText(node));
      }),
    );
  });

  it('does not depend on escapes and whitespace, and on nothing else', () => {
    expect(canonical('{"b": "\\u0041\\/" , "a":[ ]}')).toBe('{"a":[],"b":"A/"}');
    const apart = [
      '"\\u0000"',
      '""',
      '"\\ud800"',
      '"\\ufffd"',
      '1',
      '1.0',
      '"1"',
      '[1]',
      '{"1":1}',
      '12345678901234567890',
    ];
    expect(new Set(apart.map(canonical)).size).toBe(apart.length);
    expect(canonical('12345678901234567890')).not.toBe(canonical('12345678901234567891'));
    expect(canonical('{"a":1,"a":2}')).not.toBe(canonical('{"a":2,"a":1}'));
    expect(canonical('{"a":1,"a":2}')).not.toBe(canonical('{"a":2}'));
  });
});

describe('numbers', () => {
  it('are the same exactly if their decimal values are', () => {
    expect(sameNumber('1.10', '1.1')).toBe(true);
    expect(sameNumber('1e3', '1000')).toBe(true);
    expect(sameNumber('-0', '0.00')).toBe(true);
    expect(sameNumber('0.001', '1E-3')).toBe(true);
    expect(sameNumber('12345678901234567890', '12345678901234567000')).toBe(false);
    expect(sameNumber('1', '-1')).toBe(false);
    expect(sameNumber('1e400', '1e401')).toBe(false);
  });

  it('that are the same are the same for JavaScript', () => {
    fc.assert(
      fc.property(
        numberText,
        numberText,
        (one, other) => !sameNumber(one, other) || Number(one) === Number(other),
      ),
    );
  });
});

describe('a superset', () => {
  it('may have further keys, at any depth, and nothing else may differ', () => {
    expect(isSupersetText('{"replace_all":false,"a":"x","b":{"c":1,"d":2}}', '{"a":"x","b":{"c":1.0}}')).toBe(
      true,
    );
    expect(isSupersetText('{"a":"x"}', '{"a":"x","b":1}')).toBe(false);
    expect(isSupersetText('{"a":"y"}', '{"a":"x"}')).toBe(false);
    expect(isSupersetText('{"a":[1,2,3]}', '{"a":[1,2]}')).toBe(false);
    expect(isSupersetText('{"a":[2,1]}', '{"a":[1,2]}')).toBe(false);
    expect(isSupersetText('{"a":"1"}', '{"a":1}')).toBe(false);
    expect(isSupersetText('not json', 'not json')).toBe(true);
    expect(isSupersetText('{}', 'not json')).toBe(false);
  });

  it('is every value of itself', () => {
    fc.assert(fc.property(jsonText, (text) => void expect(isSupersetText(canonical(text), text)).toBe(true)));
  });
});
