import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scanBody } from '../../conversation/index.ts';
import { jsonOf } from '../reading/testing/recorded.ts';
import { estimateBytes, estimateSlices, estimateText } from './estimate.ts';
import { SAMPLES } from './testing/samples.ts';

/** Any text, lone surrogates and control characters among its units; ASCII more often. */
const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0, max: 0xffff })), { maxLength: 60 })
  .map((units) => String.fromCharCode(...units));

const base64Of = (bytes: number) => randomBytes(bytes).toString('base64');

describe('the estimate of a text', () => {
  test('never falls as the text grows at either end, wherever it is cut', () => {
    fc.assert(
      fc.property(anyText, anyText, (text, more) => {
        expect(estimateText(text + more)).toBeGreaterThanOrEqual(estimateText(text));
        expect(estimateText(more + text)).toBeGreaterThanOrEqual(estimateText(text));
      }),
    );
  });

  test('is about the sum of its parts', () => {
    fc.assert(
      fc.property(anyText, anyText, (one, two) => {
        const [whole, parts] = [estimateText(one + two), estimateText(one) + estimateText(two)];
        expect(whole).toBeGreaterThanOrEqual(parts - 1);
        expect(whole).toBeLessThanOrEqual(parts + 3);
      }),
    );
  });

  test('is that of its bytes, where JSON would change nothing in it', () => {
    const plain = anyText.map((text) => Buffer.from(text).toString().replaceAll('"', ''));
    fc.assert(
      fc.property(plain, (text) => {
        expect(estimateBytes(Buffer.from(text))).toBe(estimateText(text));
      }),
      { examples: [['naïve'], ['你好,世界'], ['👍🏽 done']] },
    );
  });

  test.each(SAMPLES)('of $kind is within a fifth of what a tokenizer counts, times the measure', (sample) => {
    const counted = sample.o200k * 1.5;
    const most = sample.kind === 'Russian' ? 1.5 : 1.2;
    for (const estimated of [estimateText(sample.text), estimateBytes(jsonOf(sample.text))]) {
      expect(estimated / counted).toBeGreaterThan(0.8);
      expect(estimated / counted).toBeLessThan(most);
    }
  });

  test('grows with the length of one character in a row, which no tokenizer merges without end', () => {
    for (const unit of ['a', 'A', '0', ' ', '\n', '=', '字', '\u{1F600}']) {
      const short = estimateText(unit.repeat(1_000));
      expect(estimateText(unit.repeat(10_000)) / short).toBeCloseTo(10, 0);
      expect(short).toBeGreaterThanOrEqual(1_000 / 40);
    }
  });
});

describe('the estimate of a body', () => {
  const words = 'Words that are read, and counted. '.repeat(10);

  test('is that of its elements and what stands around them', () => {
    const messages = SAMPLES.map(({ text }) => ({ role: 'user', content: [{ type: 'text', text }] }));
    const body = jsonOf({ model: 'm', messages });
    const slices = scanBody(body, new Set(['messages']))?.fields[1]?.elements ?? [];
    const parts = estimateSlices(body, slices);
    expect(parts).toEqual(messages.map((message) => estimateBytes(jsonOf(message))));
    const sum = parts.reduce((total, one) => total + one, 0);
    expect(Math.abs(estimateBytes(body) - sum)).toBeLessThan(50);
  });

  test('counts no signature and no ciphertext by its characters, whatever its length and the spaces around it', () => {
    for (const key of ['signature', 'encrypted_content', 'data']) {
      const of = (value: string, space = '') =>
        estimateBytes(
          Buffer.from(`{"type":"thinking",${space}"${key}"${space}:${space}"${value}","text":"${words}"}`),
        );
      const least = of('');
      for (const length of [48, 300, 50_000]) {
        for (const space of ['', ' ', '\n  ']) {
          expect(of(base64Of(length), space)).toBeLessThan(least + 12);
          expect(of(base64Of(length), space)).toBeGreaterThanOrEqual(least - 3);
          expect(of(randomBytes(length).toString('base64url'), space)).toBeLessThan(least + 12);
        }
      }
    }
  });

  test('counts the same characters where a model reads them: in a text, in a call, in a member of another name', () => {
    const data = base64Of(3_000);
    for (const body of [
      { type: 'text', text: data },
      { type: 'tool_result', content: JSON.stringify({ signature: data }) },
      { type: 'text', text: `"signature":"${data}"` },
      { signatures: data },
      { type: 'tool_use', input: { data: words.repeat(20) } },
      { type: 'tool_use', input: { url: data } },
    ]) {
      expect(estimateBytes(jsonOf(body))).toBeGreaterThan(1_500);
    }
  });

  test('never throws and is finite, whatever the bytes', () => {
    const pieces = fc.constantFrom(
      '"data":"',
      '"signature" : "',
      'data:image/png;base64,',
      '"',
      '\\',
      'A'.repeat(64),
      '/9j/',
      'iVBORw0KGgo',
      'UklGR',
    );
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.array(pieces, { maxLength: 12 }).map((all) => Buffer.from(all.join(''))),
    );
    fc.assert(
      fc.property(bytes, (body) => {
        expect(Number.isSafeInteger(estimateBytes(body))).toBe(true);
      }),
    );
  });
});
