import fc from 'fast-check';

/** Any JavaScript string: NUL, control characters, quotes, backslashes, lone surrogates, pairs. */
export const anyText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: 0x20, max: 0x7e }) },
      {
        weight: 2,
        arbitrary: fc.constantFrom(0x22, 0x5c, 0x0a, 0x00, 0x1f, 0x7f, 0x2028, 0xfeff, 0x5b, 0x7d),
      },
      { weight: 1, arbitrary: fc.integer({ min: 0xd800, max: 0xdfff }) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 0xffff }) },
    ),
    { maxLength: 60 },
  )
  .map((units) => String.fromCharCode(...units));

const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

/** One of the ways to write a string: as JSON.stringify does, or with everything escaped by number. */
export const stringText: fc.Arbitrary<string> = fc.tuple(anyText, fc.boolean()).map(([text, escapeAll]) => {
  if (!escapeAll) return JSON.stringify(text);
  const units = Array.from({ length: text.length }, (_, index) =>
    text.charCodeAt(index).toString(16).padStart(4, '0'),
  );
  return `"${units.map((unit) => `\\u${unit}`).join('')}"`;
});

/** Numbers in forms that JavaScript would not write. */
export const numberText: fc.Arbitrary<string> = fc.oneof(
  fc.stringMatching(/^-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,12})?([eE][+-]?[0-9]{1,3})?$/),
  fc.constantFrom('0', '-0', '1.10', '12345678901234567890', '1e3', '1E+3', '-0.0e-1'),
);

/** Texts of JSON values with odd whitespace, escapes, numbers, key order and duplicate keys. */
export const { value: jsonText } = fc.letrec<{ value: string; array: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('null', 'true', 'false'),
    numberText,
    stringText,
    tie('array'),
    tie('object'),
  ),
  array: fc
    .tuple(space, fc.array(fc.tuple(space, tie('value'), space), { maxLength: 5 }))
    .map(
      ([inner, items]) => `[${items.length === 0 ? inner : items.map((item) => item.join('')).join(',')}]`,
    ),
  object: fc
    .tuple(
      space,
      fc.array(
        fc.tuple(
          space,
          fc.oneof(stringText, fc.constantFrom('"a"', '"b"', '""')),
          space,
          tie('value'),
          space,
        ),
        {
          maxLength: 5,
        },
      ),
    )
    .map(([inner, entries]) => {
      const texts = entries.map(
        ([before, key, middle, value, after]) => `${before}${key}${middle}:${value}${after}`,
      );
      return `{${texts.length === 0 ? inner : texts.join(',')}}`;
    }),
}));

/** Bytes of UTF-8 texts; lone surrogates cannot stand in them. */
export function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'utf8');
}
