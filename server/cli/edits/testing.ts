import fc from 'fast-check';
import { type ParseError, parse as parseJson } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';

/** Blanks, line endings and comments as people leave them between the tokens of a document. */
const trivia = (ending: string) =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom('', '', ' ', '\t', '  ', ending, `${ending}  `, `${ending}\t\t`),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        `// "env": {${ending}`,
        `/* , } ${ending} { */`,
        `//${ending}`,
        '/**/',
        ` // é 😀${ending}`,
      ),
    },
  );

const key = fc.oneof(
  fc.constantFrom('model', 'a', 'é', 'with "quotes"', 'ENABLE', '', '__proto__', 'permissions'),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);

/** A written JSON value of bounded depth. */
function value(ending: string, depth: number): fc.Arbitrary<string> {
  const leaf = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => JSON.stringify(text)),
    fc.constantFrom(
      '1',
      '-0.50e+3',
      'true',
      'null',
      '12345678901234567890',
      '"\\u00e9\\n\\/"',
      '"// no comment"',
    ),
  );
  if (depth === 0) return leaf;
  return fc.oneof(leaf, object(ending, depth, fc.constant([])), array(ending, depth));
}

function array(ending: string, depth: number): fc.Arbitrary<string> {
  const item = fc.tuple(trivia(ending), value(ending, depth - 1), trivia(ending));
  return fc
    .tuple(fc.array(item, { maxLength: 3 }), trivia(ending), fc.boolean())
    .map(([items, inside, trailing]) =>
      items.length === 0
        ? `[${inside}]`
        : `[${items.map((parts) => parts.join('')).join(',')}${trailing ? `,${inside}` : ''}]`,
    );
}

function object(
  ending: string,
  depth: number,
  more: fc.Arbitrary<readonly (readonly [string, string])[]>,
): fc.Arbitrary<string> {
  const gap = trivia(ending);
  const pair = fc.tuple(
    key.map((name) => JSON.stringify(name)),
    value(ending, depth - 1),
  );
  return fc
    .tuple(
      fc.array(pair, { maxLength: 4 }),
      more,
      fc.array(fc.tuple(gap, gap, gap, gap), { minLength: 8, maxLength: 8 }),
      gap,
      fc.boolean(),
    )
    .map(([pairs, extra, gaps, inside, trailing]) => {
      const all = [...pairs, ...extra];
      if (all.length === 0) return `{${inside}}`;
      const written = all.map(([name, text], index) => {
        const [a = '', b = '', c = '', d = ''] = gaps[index % gaps.length] ?? [];
        return `${a}${name}${b}:${c}${text}${d}`;
      });
      return `{${written.join(',')}${trailing ? `,${inside}` : ''}}`;
    });
}

/** A settings file: any object, with or without an `env` object, and with blanks around it. */
export const settingsTexts = fc.constantFrom('\n', '\r\n').chain((ending) => {
  const text = fc.string({ unit: 'grapheme', maxLength: 5 }).map((inner) => JSON.stringify(inner));
  const env = fc
    .array(
      fc.tuple(
        fc.constantFrom('"HTTP_X"', '"DISABLE"', '"ENABLE_TOOL_SEARCH"', '"ANTHROPIC_BASE_URL"'),
        text,
      ),
      {
        maxLength: 3,
      },
    )
    .chain((pairs) => object(ending, 1, fc.constant(pairs)));
  const more = fc.option(env).map((written) => (written === null ? [] : ([['"env"', written]] as const)));
  return fc
    .tuple(trivia(ending), object(ending, 2, more), trivia(ending))
    .map((parts) => parts.join(''))
    .filter((document) => isEditable(document));
});

/** A text whose `env` is made twice or is no object is refused, not edited; that has a test of its own. */
function isEditable(document: string): boolean {
  const errors: ParseError[] = [];
  const parsed = parseJson(document, errors, { allowTrailingComma: true });
  return (
    errors.length === 0 &&
    (parsed.env === undefined || (typeof parsed.env === 'object' && parsed.env !== null))
  );
}

/** One line of a root table or of another table; `{key}` gives way to a key that is used once. */
const tomlValue = (ending: string) =>
  fc.constantFrom(
    '1',
    '-1.5e3',
    'true',
    '1979-05-27T07:32:00Z',
    '"a # b"',
    "'c:\\d'",
    '"\\u00e9 \\" \\\\"',
    '[ 1, 2 ]',
    `[${ending}  "a]", # ] "${ending}  [ "b" ],${ending}]`,
    '{ a = "}", b = [1] }',
    `"""${ending}[not a table]${ending}openai_base_url = "no"${ending}"""`,
    `'''${ending}[x]''`.concat(`${ending}'''`),
    '""""quoted""""',
    '12345678901234567890123'.slice(0, 18),
  );

const tomlKey = fc.constantFrom(
  'model',
  'a-b',
  '"quoted key"',
  "'literal.key'",
  'x.y',
  '"open\\u0061i"',
  'x . z',
  '1',
);
const blank = (ending: string) =>
  fc.constantFrom('', '', ending, `# [c] = "x"${ending}`, `   ${ending}`, `\t# é${ending}`);

function lines(ending: string, prefix: string): fc.Arbitrary<string> {
  const line = fc.tuple(
    blank(ending),
    fc.constantFrom('', ' ', '\t'),
    tomlKey,
    fc.constantFrom('=', ' = ', '\t= '),
    tomlValue(ending),
    fc.constantFrom('', ' ', ' # c [x]', '#'),
  );
  return fc.array(line, { maxLength: 4 }).map((all) =>
    all
      .map(([before, indent, name, equals, written, behind], index) => {
        const unique = /^[x]/.test(name)
          ? `${prefix}${index}_${name}`
          : name.replace(/^(["']?)/, `$1${prefix}${index}_`);
        return `${before}${indent}${unique}${equals}${written}${behind}${ending}`;
      })
      .join(''),
  );
}

/** Codex's settings as a person may have written them: keys, tables and comments, in either line ending. */
export const configTexts = fc.constantFrom('\n', '\r\n').chain((ending) => {
  const table = fc
    .tuple(fc.constantFrom('[t.NAME]', ' [ "t" . NAME ]', '[[list_NAME]]'), lines(ending, 'k'), blank(ending))
    .map(([header, body, after]) => ({ header, body, after }));
  return fc
    .tuple(blank(ending), lines(ending, 'r'), fc.array(table, { maxLength: 3 }), fc.boolean())
    .map(([head, root, tables, open]) => {
      const rest = tables.map(
        ({ header, body, after }, index) =>
          `${header.replaceAll('NAME', `n${index}`)}${ending}${body}${after}`,
      );
      const text = head + root + rest.join('');
      return open ? text.replace(/\r?\n$/, '') : text;
    })
    .filter((text) => isToml(text));
});

function isToml(text: string): boolean {
  try {
    parseToml(text);
    return true;
  } catch {
    return false;
  }
}
