import fc from 'fast-check';

/** Pieces of texts: all that words are made of, and what breaks careless code. */
export const bits = fc.constantFrom(
  ...[
    'refund',
    'Window',
    'HTTP',
    '_',
    '-',
    '.',
    '/',
    ' ',
    '\n',
    "'s",
    '’',
    '0x1F',
    '42',
    'é',
    'e\u0301',
    'ß',
    'İ',
  ],
  ...[
    '返金',
    '期',
    '환불',
    'ก็',
    '𝄞',
    '🚀',
    '\ud800',
    '\udc00',
    '\0',
    '\\n',
    '\\u00e9',
    '"',
    'the',
    'a',
    'x',
    'Я',
    '٣',
  ],
);
/** Short texts of such pieces. */
export const texts = fc
  .array(fc.oneof({ weight: 5, arbitrary: bits }, fc.string({ unit: 'binary', maxLength: 4 })), {
    maxLength: 60,
  })
  .map((some) => some.join(''));
/** Texts of several chunks. */
export const long = fc.array(texts, { maxLength: 200 }).map((some) => some.join(' '));
/** Whether a text cut there would cut a character. */
export const isCut = (text: string, at: number) =>
  /[\ud800-\udbff]/.test(text.charAt(at - 1)) && /[\udc00-\udfff]/.test(text.charAt(at));
