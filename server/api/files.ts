import { ContextModeError } from '../kernel/errors.ts';
import { type DocumentBytes, documentBytes } from './documents.ts';
import { paramsOf } from './endpoints.ts';
import { EXPORTS } from './exports.ts';
import { attachment, type FileEndpoint, INERT, linesOf, streamOf } from './file-endpoint.ts';
import { EXPORT_FACTS } from './memory-transfer.ts';
import { sessionIdOf } from './sessions.ts';
import type { ApiContext } from './trpc.ts';

/** Pictures that a browser shows without running anything. SVG is not one of them. */
const SHOWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp']);

/** Bytes of a document that are asked of the database at once. */
const PIECE_BYTES = 4 * 1024 * 1024;

function body(bytes: Uint8Array): ArrayBuffer {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
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
      const first = await documentBytes(ctx, docid, { offset: 0, length: PIECE_BYTES });
      return new Response(streamOf(piecesOf(ctx, first)), {
        headers: {
          ...INERT,
          'content-type': 'application/octet-stream',
          'content-length': String(first.total),
          'content-disposition': attachment(`${first.docid}.txt`),
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
          'content-disposition': attachment(shown ? `${hash}.${found.mime.split('/')[1]}` : hash),
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
      return new Response(streamOf(linesOf(ctx.services.archive.exportSession(ctx.services.accountId, id))), {
        headers: {
          ...INERT,
          'content-type': 'application/x-ndjson; charset=utf-8',
          'content-disposition': attachment(`session-${id}.jsonl`),
        },
      });
    },
  },
  ...EXPORTS,
  EXPORT_FACTS,
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

/** The bytes of a document piece by piece: none is asked of the database before the one before it has left. */
async function* piecesOf(ctx: ApiContext, first: DocumentBytes): AsyncGenerator<Uint8Array> {
  yield first.bytes;
  for (let offset = first.bytes.length; offset < first.total; ) {
    const { bytes } = await documentBytes(ctx, first.docid, { offset, length: PIECE_BYTES });
    // Deleted meanwhile: an answer that ends before its length is seen as broken off.
    if (bytes.length === 0) throw new Error('the document went while it was read');
    yield bytes;
    offset += bytes.length;
  }
}
