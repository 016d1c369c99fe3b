import fc from 'fast-check';

/** The protocols whose bodies are made up. */
export type FuzzedProtocol = 'anthropic' | 'openai';

/** What agents and models really write, and what breaks whoever reads it by the book. */
const NUMBERS = [
  '0',
  '-0',
  '1.10',
  '1e0',
  '1E+2',
  '-1.5e-7',
  '12345678901234567890',
  '9007199254740993',
  '1e999',
];
const STRING_PIECES = [
  'hello',
  ' ',
  'é',
  '😀',
  '\u2028',
  '\\n',
  '\\"',
  '\\\\',
  '\\/',
  '\\u0041',
  '\\u0000',
  '\\ud83d',
  '\\ude00',
  '\\ud83d\\ude00',
  '{"a":[1,2',
  '"}]}',
  '</system-reminder>',
  'data: [DONE]\n\n',
  '\u0000',
  '\u001b[31m',
];
const KEYS = [
  'role',
  'content',
  'type',
  'text',
  'id',
  'input',
  'model',
  '__proto__',
  'constructor',
  '',
  '\\u0072ole',
];
const SPACES = ['', '', '', ' ', '\n', '\t', ' \r\n '];

const space = fc.constantFrom(...SPACES);
const string = fc
  .array(fc.oneof(fc.constantFrom(...STRING_PIECES), fc.string({ unit: 'grapheme', maxLength: 8 })), {
    maxLength: 6,
  })
  .map((pieces) => `"${pieces.join('')}"`);

/** JSON-like text, written in every odd way that the grammar has and some that it has not. */
const value: fc.Arbitrary<string> = fc.letrec<{ value: string; array: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom('null', 'true', 'false', 'NaN', ''),
    fc.constantFrom(...NUMBERS),
    string,
    tie('array'),
    tie('object'),
  ),
  array: fc
    .array(fc.tuple(space, tie('value')), { maxLength: 4 })
    .map((items) => `[${items.map(([gap, item]) => gap + item).join(',')}]`),
  object: fc
    .array(fc.tuple(space, fc.constantFrom(...KEYS), tie('value')), { maxLength: 5 })
    .map((fields) => `{${fields.map(([gap, key, item]) => `${gap}"${key}"${gap}:${item}`).join(',')}}`),
})).value;

const ELEMENTS: Readonly<Record<FuzzedProtocol, string>> = { anthropic: 'messages', openai: 'input' };
const ROLES = ['user', 'assistant', 'system', 'developer', 'tool', ''];

/** A request in the protocol's shape with anything in its places. */
function request(protocol: FuzzedProtocol): fc.Arbitrary<string> {
  const message = fc
    .tuple(fc.constantFrom(...ROLES), value)
    .map(([role, content]) => `{"role":"${role}","content":${content}}`);
  return fc
    .tuple(fc.array(message, { maxLength: 5 }), value, value, space)
    .map(([messages, system, extra, gap]) =>
      [
        `{${gap}"model":"m"`,
        `${gap}"${ELEMENTS[protocol]}":[${messages.join(`,${gap}`)}]`,
        `"system":${system}`,
        `"stream":true`,
        `"extra":${extra}}`,
      ].join(','),
    );
}

const EVENTS = [
  'message_start',
  'content_block_delta',
  'ping',
  'error',
  'response.completed',
  'never.heard.of',
];
const ENDS = ['\n\n', '\r\n\r\n', '\r\r', '\n'];

/** An event stream of the kind that providers send, broken in every way. */
const stream = fc
  .array(fc.tuple(fc.constantFrom(...EVENTS), value, fc.constantFrom(...ENDS)), { maxLength: 12 })
  .map((events) => events.map(([name, data, end]) => `event: ${name}\ndata: ${data}${end}`).join(''));

const damage = fc.oneof(
  { weight: 4, arbitrary: fc.constant(null) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('cut', 'flip', 'insert'), at: fc.nat(), byte: fc.nat(255) }),
  },
);

/** Text as bytes, sometimes cut short, with a byte changed or a stray one put in. */
function damaged(text: fc.Arbitrary<string>): fc.Arbitrary<Buffer> {
  return fc.tuple(text, damage).map(([whole, harm]) => {
    const bytes = Buffer.from(whole);
    if (harm === null || bytes.length === 0) return bytes;
    const at = harm.at % bytes.length;
    if (harm.kind === 'cut') return bytes.subarray(0, at);
    if (harm.kind === 'insert')
      return Buffer.concat([bytes.subarray(0, at), Buffer.of(harm.byte), bytes.subarray(at)]);
    bytes[at] = harm.byte;
    return bytes;
  });
}

const deep = fc.integer({ min: 1, max: 20_000 }).map((depth) => Buffer.from('[{"a":'.repeat(depth)));
const long = fc
  .integer({ min: 1, max: 300_000 })
  .map((size) => Buffer.from(`{"messages":[{"content":"${'é\\n'.repeat(size / 4)}"}]}`));
const marked = fc.constantFrom(
  Buffer.from('\ufeff{}'),
  Buffer.from('7b2261223a22eda080227d', 'hex'),
  Buffer.alloc(0),
);
const noise = fc.uint8Array({ maxLength: 3_000 }).map((bytes) => Buffer.from(bytes));

/** Request bodies of a protocol: shaped, damaged, deep, long, and no JSON at all. */
export function requestBodies(protocol: FuzzedProtocol): fc.Arbitrary<Buffer> {
  return fc.oneof(
    { weight: 12, arbitrary: damaged(request(protocol)) },
    { weight: 4, arbitrary: damaged(value) },
    { weight: 2, arbitrary: noise },
    { weight: 1, arbitrary: marked },
    { weight: 1, arbitrary: deep },
    { weight: 1, arbitrary: long },
  );
}

/** Answer bodies: event streams, JSON, errors, noise. */
export const answerBodies: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 8, arbitrary: damaged(stream) },
  { weight: 4, arbitrary: damaged(value) },
  { weight: 2, arbitrary: noise },
  { weight: 1, arbitrary: long },
);
