import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJson } from '../../conversation/index.ts';
import { jsonText } from '../../conversation/testing/json-texts.ts';
import { DEEPEST, type Skim, type SkimNode, skim } from './skim.ts';

/** The value that a skim holds, as JSON.parse would give it. */
function valueIn(doc: Skim, node: SkimNode): unknown {
  switch (doc.kind(node)) {
    case 'object':
      return Object.fromEntries(doc.children(node).map((child) => [doc.key(child), valueIn(doc, child)]));
    case 'array':
      return doc.children(node).map((child) => valueIn(doc, child));
    case 'string':
      return doc.string(node);
    default:
      return JSON.parse(doc.raw(node).toString());
  }
}

describe('skimming', () => {
  it('takes exactly what JSON allows, and reads the same values', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const doc = skim(Buffer.from(text));
        expect(doc).not.toBeNull();
        if (doc !== null) expect(valueIn(doc, 0)).toEqual(JSON.parse(text));
      }),
      { seed: 7, numRuns: 500 },
    );
  });

  it('refuses what the strict reader refuses, of texts with a byte changed, cut, or put in', () => {
    const damage = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }), fc.constantFrom(0, 1, 2));
    fc.assert(
      fc.property(jsonText, damage, (text, [place, byte, kind]) => {
        const bytes = Buffer.from(text);
        const at = bytes.length === 0 ? 0 : place % bytes.length;
        const put = kind === 0 ? [] : [byte];
        const damaged = Buffer.concat([
          bytes.subarray(0, at),
          Buffer.from(put),
          bytes.subarray(at + (kind === 2 ? 0 : 1)),
        ]);
        expect(skim(damaged) === null).toBe(readJson(damaged) === null);
      }),
      { seed: 7, numRuns: 3_000 },
    );
  });

  it('takes control characters, quotes and backslashes at every place of a long string as JSON does', () => {
    for (const piece of [
      '\u0000',
      '\u001f',
      ' ',
      '\u007f',
      'é',
      '\\n',
      '\\"',
      '\\u0041',
      '\\x',
      '\\u00g0',
      '"',
    ]) {
      for (let at = 0; at < 40; at++) {
        const text = `"${'a'.repeat(at)}${piece}${'b'.repeat(20)}"`;
        expect([text, skim(Buffer.from(text)) === null]).toEqual([
          text,
          readJson(Buffer.from(text)) === null,
        ]);
      }
    }
  });

  it('goes to any depth without listing what is deeper than it looks', () => {
    const depth = 50_000;
    const doc = skim(Buffer.from(`${'['.repeat(depth)}1${']'.repeat(depth)}`));
    let node = 0;
    let seen = 0;
    for (let [child] = doc?.children(node) ?? []; child !== undefined; [child] = doc?.children(node) ?? []) {
      node = child;
      seen++;
    }
    expect(seen).toBe(DEEPEST);
    expect(skim(Buffer.from(`${'['.repeat(depth)}1${']'.repeat(depth - 1)}`))).toBeNull();
  });

  it('finds members by keys that are written with escapes, and the last of two', () => {
    const doc = skim(Buffer.from('{"r\\u006fle":"user","a":1,"a":2}'));
    expect(doc?.stringMember(0, 'role')).toBe('user');
    expect(doc?.raw(doc.member(0, 'a') ?? 0).toString()).toBe('2');
  });
});
