const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** What the driver asks for the form of a value. */
interface Written {
  toPostgres(): string;
}

/**
 * Texts as one `text[]` value of a statement. The driver's own way makes something on the heap for each character that it
 * escapes: for a text of millions of quotes or backslashes that is seconds of collecting garbage. None may hold what
 * PostgreSQL refuses (NUL, lone surrogates).
 */
export function textArray(texts: readonly (string | null)[]): Written {
  return { toPostgres: () => `{${texts.map((text) => (text === null ? 'NULL' : quoted(text))).join(',')}}` };
}

function quoted(text: string): string {
  if (!text.includes('\\') && !text.includes('"')) return `"${text}"`;
  const bytes = Buffer.from(text);
  const written = Buffer.allocUnsafe(bytes.length * 2 + 2);
  let at = 0;
  written[at++] = QUOTE;
  for (const byte of bytes) {
    if (byte === QUOTE || byte === BACKSLASH) written[at++] = BACKSLASH;
    written[at++] = byte;
  }
  written[at++] = QUOTE;
  return written.toString('utf8', 0, at);
}
