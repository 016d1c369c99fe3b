import { ContextModeError } from '../kernel/errors.ts';
import { rawBytesOf } from './documents.ts';
import { paramsOf } from './endpoints.ts';
import { sessionIdOf } from './sessions.ts';
import type { ApiContext } from './trpc.ts';

/** A call of the public API that answers bytes instead of JSON. */
export interface FileEndpoint {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly mime: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: 'path' | 'query';
    readonly description: string;
  }[];
  answer(ctx: ApiContext, params: Record<string, string>, query: URLSearchParams): Promise<Response>;
}

/**
 * Headers of content that came from a conversation: whatever it is, no browser runs it or guesses what it might be,
 * also when it is opened by its own address.
 */
const INERT = {
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-store',
};

/** Pictures that a browser shows without running anything. SVG is not one of them. */
const SHOWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp']);

function body(bytes: Uint8Array): ArrayBuffer {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
}

function attachment(name: string): string {
  return `attachment; filename="${name.replace(/[^\w.-]/g, '_')}"`;
}

/** Every call under `/api/v1` that answers bytes. */
export const FILE_ENDPOINTS: readonly FileEndpoint[] = [
  {
    path: '/documents/{docid}/raw',
    operationId: 'getDocumentRaw',
    summary: 'The exact stored bytes of a document',
    mime: 'application/octet-stream',
    parameters: [{ name: 'docid', in: 'path', description: 'whole, or a prefix that is unique' }],
    async answer(ctx, params) {
      const docid = params.docid ?? '';
      const bytes = await rawBytesOf(ctx, docid);
      return new Response(body(bytes), {
        headers: {
          ...INERT,
          'content-type': 'application/octet-stream',
          'content-disposition': attachment(`${docid}.txt`),
        },
      });
    },
  },
  {
    path: '/blobs/{hash}',
    operationId: 'getBlob',
    summary: 'An image or a file of a document, byte for byte',
    mime: 'application/octet-stream',
    parameters: [{ name: 'hash', in: 'path', description: 'as `media` of a document names it' }],
    async answer(ctx, params) {
      const hash = params.hash ?? '';
      const found = await ctx.services.archive.readBlob(ctx.services.accountId, hash);
      if (found === null) {
        throw new ContextModeError('not_found', 'There is no stored file with this hash.', {
          hint: 'The hashes of a document stand in its `media`.',
        });
      }
      const shown = SHOWN.has(found.mime.toLowerCase());
      return new Response(body(found.bytes), {
        headers: {
          ...INERT,
          'cache-control': 'private, max-age=86400, immutable',
          'content-type': shown ? found.mime.toLowerCase() : 'application/octet-stream',
          ...(shown ? {} : { 'content-disposition': attachment(hash) }),
        },
      });
    },
  },
  {
    path: '/export/session',
    operationId: 'exportSession',
    summary: 'A session as JSON Lines, header first',
    mime: 'application/x-ndjson',
    parameters: [{ name: 'id', in: 'query', description: 'id of the session' }],
    async answer(ctx, _params, query) {
      const id = sessionIdOf(query.get('id') ?? '');
      const known = await ctx.services.archive.getSession(ctx.services.accountId, id);
      if (known === null) {
        throw new ContextModeError('not_found', 'There is no session with this id.', {
          hint: 'Name it as ?id=…',
        });
      }
      return new Response(linesOf(ctx.services.archive.exportSession(ctx.services.accountId, id)), {
        headers: {
          ...INERT,
          'content-type': 'application/x-ndjson; charset=utf-8',
          'content-disposition': attachment(`session-${id}.jsonl`),
        },
      });
    },
  },
];

/** The file call that a path names, with its parameters; null: none. */
export function matchFile(
  path: string,
): { readonly endpoint: FileEndpoint; readonly params: Record<string, string> } | null {
  for (const endpoint of FILE_ENDPOINTS) {
    const params = paramsOf(endpoint.path, path);
    if (params !== null) return { endpoint, params };
  }
  return null;
}

/** Lines as a byte stream that asks for the next line only when the reader has taken the last. */
function linesOf(lines: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const iterator = lines[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value.endsWith('\n') ? value : `${value}\n`));
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
