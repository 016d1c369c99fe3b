/** The name of our one tool. */
export const RETRIEVAL_TOOL = 'context-mode-search';

/** Version of the definition's bytes. A thread keeps the one that it began with, so that the cache is never missed by it. */
export const RETRIEVAL_TOOL_RULES = 1;

const DESCRIPTION =
  'Reads back what was said and done earlier, word for word: in this conversation, also in the part that is no longer in ' +
  'view, and in earlier ones of this project. Give `q` to search with a few of the words that were used (quoted phrases, ' +
  '-word and prefix* are understood); it answers with the places that fit best and their ids. Give `docid` to read one ' +
  'place whole; with `offset` to read on where an answer says so. Use it before asking the user again and before ' +
  'running something again only to see an old result. Call it directly, never from inside another tool.';

const PARAMETERS = {
  type: 'object',
  properties: {
    q: { type: 'string', description: 'Words to look for.' },
    docid: { type: 'string', description: 'The id of a place, such as context-mode-msg-3f2a9c0b1d4e5f60.' },
    offset: { type: 'integer', minimum: 0, description: 'With docid: the character to read on from.' },
  },
  additionalProperties: false,
} as const;

/** The tool's definition as JSON text, for the list of tools of a protocol. */
export function retrievalToolJson(protocol: 'anthropic' | 'openai'): string {
  return JSON.stringify(
    protocol === 'anthropic'
      ? { name: RETRIEVAL_TOOL, description: DESCRIPTION, input_schema: PARAMETERS }
      : {
          type: 'function',
          name: RETRIEVAL_TOOL,
          description: DESCRIPTION,
          parameters: PARAMETERS,
          strict: false,
        },
  );
}

/** What a call of the tool asks for; `wrong` is the answer to a call that asks for nothing it can give. */
export type RetrievalCall =
  | { readonly ask: 'search'; readonly q: string }
  | { readonly ask: 'read'; readonly docid: string; readonly offset: number }
  | { readonly ask: 'wrong'; readonly answer: string };

/** Reads a call's input. Models write numbers as texts and add what nobody asked for: what is meant is taken. */
export function readRetrievalCall(input: string): RetrievalCall {
  const fields = parsed(input);
  if (fields === null) return { ask: 'wrong', answer: `The input is not a JSON object. ${HOW}` };
  const docid = typeof fields.docid === 'string' ? fields.docid.trim() : '';
  const q = typeof fields.q === 'string' ? fields.q.trim() : '';
  if (docid !== '') {
    const offset = Number(fields.offset ?? 0);
    if (Number.isSafeInteger(offset) && offset >= 0) return { ask: 'read', docid, offset };
    return { ask: 'wrong', answer: `\`offset\` is a whole number of characters from the beginning. ${HOW}` };
  }
  if (q !== '') return { ask: 'search', q };
  return { ask: 'wrong', answer: `Neither \`q\` nor \`docid\` was given. ${HOW}` };
}

const HOW = 'Call it as {"q": "words to look for"} or as {"docid": "context-mode-msg-…"}.';

function parsed(input: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}
