import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldNamed, fieldsOf, type Scan, scanBody } from './scan.ts';
import { bytesOf, jsonText, stringText } from './testing/json-texts.ts';

const ARRAYS = new Set(['messages', 'input']);
const fieldText = fc.tuple(
  fc.oneof(stringText, fc.constantFrom('"messages"', '"input"', '"model"')),
  jsonText,
);
const objectText = fc
  .array(fieldText, { maxLength: 6 })
  .map((fields) => `{${fields.map(([name, value]) => `${name}: ${value}`).join(' ,\n')}}`);

function textAt(body: Buffer, slice: { start: number; end: number }): string {
  return body.toString('utf8', slice.start, slice.end);
}

/** Every slice lies in the body and in order; elements lie in their field. */
function expectOrdered(scan: Scan, length: number): void {
  let at = 0;
  for (const field of scan.fields) {
    expect(field.value.start).toBeGreaterThanOrEqual(at);
    expect(field.value.end).toBeGreaterThanOrEqual(field.value.start);
    let inner = field.value.start;
    for (const element of field.elements ?? []) {
      expect(element.start).toBeGreaterThan(inner);
      expect(element.end).toBeGreaterThan(element.start);
      inner = element.end;
    }
    expect(inner).toBeLessThanOrEqual(field.value.end);
    at = field.value.end;
  }
  expect(at).toBeLessThanOrEqual(length);
  if (scan.fault !== null) {
    expect(scan.fault.at).toBeGreaterThanOrEqual(0);
    expect(scan.fault.at).toBeLessThanOrEqual(length);
  }
}

describe('a body that is JSON', () => {
  it('gives the fields and elements that JSON.parse gives, whatever its whitespace, escapes, order and duplicates', () => {
    fc.assert(
      fc.property(objectText, fc.constantFrom('', ' \n', '\ufeff'), (text, before) => {
        const body = bytesOf(`${before}${text}\n`);
        const scan = scanBody(body, ARRAYS);
        const parsed = JSON.parse(text) as Record<string, unknown>;
        expect(scan?.fault).toBeNull();
        expectOrdered(scan as Scan, body.length);
        for (const name of Object.keys(parsed)) {
          const field = fieldNamed(scan as Scan, name);
          expect(JSON.parse(textAt(body, field?.value ?? { start: 0, end: 0 }))).toEqual(parsed[name]);
          const expected = ARRAYS.has(name) && Array.isArray(parsed[name]) ? parsed[name] : null;
          expect(field?.elements?.map((element) => JSON.parse(textAt(body, element))) ?? null).toEqual(
            expected,
          );
        }
        const names = new Set(scan?.fields.map((field) => field.name));
        expect(names).toEqual(new Set(Object.keys(parsed)));
      }),
      { numRuns: 1000 },
    );
  });

  it('lists both of two fields of one name, and the last counts', () => {
    const body = bytesOf('{"messages":[1],"messages":[2,3]}');
    const scan = scanBody(body, ARRAYS) as Scan;
    expect(scan.fields.map((field) => field.elements?.length)).toEqual([1, 2]);
    expect(fieldNamed(scan, 'messages')?.elements?.map((element) => textAt(body, element))).toEqual([
      '2',
      '3',
    ]);
  });

  it('reads names whose letters are escaped', () => {
    const scan = scanBody(bytesOf('{"m\\u0065ssages":[{}]}'), ARRAYS) as Scan;
    expect(fieldNamed(scan, 'messages')?.elements).toHaveLength(1);
  });

  it('ends at the right quote behind any run of backslashes, short or long', () => {
    for (const run of [0, 1, 2, 3, 38, 39, 40, 41, 200, 201]) {
      for (const fill of [0, 30, 39, 40, 41, 100]) {
        const value = `${'x'.repeat(fill)}${'\\'.repeat(run)}"`;
        const body = bytesOf(JSON.stringify({ input: [value, '}', value], model: 'm' }));
        const scan = scanBody(body, ARRAYS) as Scan;
        expect(scan.fault).toBeNull();
        const found = fieldNamed(scan, 'input')?.elements?.map((element) =>
          JSON.parse(textAt(body, element)),
        );
        expect(found).toEqual([value, '}', value]);
      }
    }
  });

  it('is scanned at a depth of a million', () => {
    const body = bytesOf(`{"messages":[${'['.repeat(1e6)}${']'.repeat(1e6)}],"model":"m"}`);
    const scan = scanBody(body, ARRAYS) as Scan;
    expect(scan.fault).toBeNull();
    expect(scan.fields.map((field) => field.name)).toEqual(['messages', 'model']);
  });

  it('is read from shared memory and from the middle of a buffer', () => {
    const text = bytesOf('{"messages":["a"]}');
    const shared = new Uint8Array(new SharedArrayBuffer(text.length + 4), 2, text.length);
    shared.set(text);
    expect(scanBody(shared, ARRAYS)).toEqual(scanBody(text, ARRAYS));
  });
});

describe('a body that is not JSON', () => {
  it('never throws and keeps every slice inside, on any bytes', () => {
    const structural = fc.array(fc.constantFrom(...'{}[]":,\\ \nmessages0truenull\ufeff'), {
      maxLength: 200,
    });
    const texts = structural.map((characters) => bytesOf(`{"messages":[${characters.join('')}`));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), texts), (bytes) => {
        const scan = scanBody(bytes, ARRAYS);
        if (scan !== null) expectOrdered(scan, bytes.length);
      }),
      { numRuns: 3000 },
    );
  });

  it('gives what stands before the end where it is cut, at every byte', () => {
    fc.assert(
      fc.property(objectText, (text) => {
        const body = bytesOf(text);
        const whole = scanBody(body, ARRAYS) as Scan;
        for (let cut = 1; cut < body.length; cut++) {
          const scan = scanBody(body.subarray(0, cut), ARRAYS) as Scan;
          expect(scan.fault?.reason).toBe('end');
          const fields = scan.fields.filter((field) => field.whole);
          // A number at the cut may go on behind it; everything else that is whole is as it was.
          const certain = fields.filter((field) => field.value.end < cut);
          expect(certain).toEqual(whole.fields.slice(0, certain.length));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('says where it broke', () => {
    const cases: [string, number, string][] = [
      ['{"a":1 "b":2}', 7, 'byte'],
      ['{"a" 1}', 5, 'byte'],
      ['{a:1}', 1, 'byte'],
      ['{"a":}', 5, 'byte'],
      ['{"a":1}x', 7, 'trailing'],
      ['{"messages":[1 2]}', 15, 'byte'],
      ['{"messages":[1,]}', 15, 'byte'],
      ['{"messages":["abc', 17, 'end'],
      ['{"a":1,', 7, 'end'],
    ];
    for (const [text, at, reason] of cases) {
      expect(scanBody(bytesOf(text), ARRAYS)?.fault, text).toEqual({ at, reason });
    }
  });

  it('is told from an object by its first byte', () => {
    for (const text of ['', '[]', '"{"', 'null', '\ufeff', '\ufeff[1]', '12'])
      expect(scanBody(bytesOf(text), ARRAYS)).toBeNull();
  });

  it('keeps the elements before a broken one', () => {
    const body = bytesOf('{"model":"m","messages":[{"a":1},"b",{"c":');
    const messages = fieldNamed(scanBody(body, ARRAYS) as Scan, 'messages');
    expect(messages?.whole).toBe(false);
    expect(messages?.elements?.map((element) => textAt(body, element))).toEqual(['{"a":1}', '"b"']);
  });
});

it('lists the whole fields of a small object by name', () => {
  const fields = fieldsOf(bytesOf('{"a":1,"b":[2],"a":3,"c":'));
  expect([...fields.keys()]).toEqual(['a', 'b']);
  expect(fields.get('a')).toEqual({ start: 19, end: 20 });
});
