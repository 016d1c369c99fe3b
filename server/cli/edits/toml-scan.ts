/** One `key = value` line before the first table of a TOML text. Offsets in UTF-16 units. */
export interface Statement {
  /** The key's parts; a bare or quoted key has one, a dotted key several. */
  readonly key: readonly string[];
  readonly start: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** The root part of a TOML text: what stands before the first table header. */
export interface RootPart {
  readonly statements: readonly Statement[];
  /** Offset of the first table header's line, or the text's length. */
  readonly end: number;
}

/**
 * Finds the statements before the first table header of a TOML text that a TOML reader has accepted. Knows
 * strings of all four kinds, comments, arrays and inline tables over several lines. Returns null where it meets
 * something that it does not know: the caller must not edit then.
 */
export function scanRoot(text: string): RootPart | null {
  const statements: Statement[] = [];
  let at = 0;
  while (at < text.length) {
    at = skipBlank(text, at);
    if (at >= text.length) break;
    if (text[at] === '[') return { statements, end: at };
    const statement = readStatement(text, at);
    if (statement === null) return null;
    statements.push(statement);
    at = statement.valueEnd;
  }
  return { statements, end: text.length };
}

function readStatement(text: string, start: number): Statement | null {
  const key: string[] = [];
  let at = start;
  for (;;) {
    const part = readKeyPart(text, at);
    if (part === null) return null;
    key.push(part.name);
    at = skipSpace(text, part.end);
    if (text[at] !== '.') break;
    at = skipSpace(text, at + 1);
  }
  if (text[at] !== '=') return null;
  const valueStart = skipSpace(text, at + 1);
  const valueEnd = valueEndFrom(text, valueStart);
  return valueEnd === null || valueEnd === valueStart ? null : { key, start, valueStart, valueEnd };
}

function readKeyPart(text: string, at: number): { name: string; end: number } | null {
  const bare = /^[A-Za-z0-9_-]+/.exec(text.slice(at, at + 1_000));
  if (bare) return { name: bare[0], end: at + bare[0].length };
  if (text[at] !== '"' && text[at] !== "'") return null;
  const end = stringEnd(text, at);
  if (end === null) return null;
  const inner = text.slice(at + 1, end - 1);
  return { name: text[at] === '"' ? unescaped(inner) : inner, end };
}

/** The end of a value: strings end at their quotes, brackets at their partner, all else at the line or comment. */
function valueEndFrom(text: string, start: number): number | null {
  let at = start;
  let depth = 0;
  while (at < text.length) {
    const character = text[at];
    if (character === '"' || character === "'") {
      const end = stringEnd(text, at);
      if (end === null) return null;
      at = end;
      if (depth === 0) return at;
    } else if (character === '[' || character === '{') {
      depth += 1;
      at += 1;
    } else if (character === ']' || character === '}') {
      depth -= 1;
      at += 1;
      if (depth === 0) return at;
      if (depth < 0) return null;
    } else if (depth > 0 && character === '#') {
      at = skipLine(text, at);
    } else if (depth === 0 && /[#\r\n]/.test(character ?? '')) {
      return trimmedEnd(text, start, at);
    } else {
      at += 1;
    }
  }
  return depth === 0 ? trimmedEnd(text, start, at) : null;
}

function stringEnd(text: string, start: number): number | null {
  const quote = text[start] ?? '';
  const triple = quote.repeat(3);
  const many = text.startsWith(triple, start);
  let at = start + (many ? 3 : 1);
  while (at < text.length) {
    if (quote === '"' && text[at] === '\\') {
      at += 2;
    } else if (many && text.startsWith(triple, at)) {
      at += 3;
      while (text[at] === quote) at += 1;
      return at;
    } else if (!many && text[at] === quote) {
      return at + 1;
    } else if (!many && text[at] === '\n') {
      return null;
    } else {
      at += 1;
    }
  }
  return null;
}

function unescaped(inner: string): string {
  try {
    return String(JSON.parse(`"${inner}"`));
  } catch {
    return inner;
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  return at;
}

function skipBlank(text: string, from: number): number {
  let at = from;
  for (;;) {
    if (/[ \t\r\n]/.test(text[at] ?? '')) at += 1;
    else if (text[at] === '#') at = skipLine(text, at);
    else return at;
  }
}

function skipLine(text: string, from: number): number {
  const found = text.indexOf('\n', from);
  return found === -1 ? text.length : found;
}

function trimmedEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && /[ \t]/.test(text[at - 1] ?? '')) at -= 1;
  return at;
}
