import { z } from 'zod';
import type { DocId } from '../archive/types.ts';
import { ContextModeError } from '../kernel/errors.ts';
import { document } from './schemas.ts';
import { type ApiContext, reading, router } from './trpc.ts';
import { wireDocument } from './wire.ts';

/** Characters of a document's text that are given where no length is asked for. */
const DEFAULT_LENGTH = 200_000;
/** Bytes that one call of the exact view gives at most. */
const MAX_CHUNK_BYTES = 1_048_576;

/** A document by its id, and how much of its text: from `offset`, `length` characters. */
export const documentInput = z.object({
  docid: z.string().min(1).max(200).describe('whole, or a prefix that is unique'),
  offset: z.coerce.number().int().min(0).default(0).describe('first character'),
  length: z.coerce.number().int().min(0).max(20_000_000).default(DEFAULT_LENGTH).describe('characters'),
});

const bytesInput = z.object({
  docid: z.string().min(1).max(200),
  offset: z.number().int().min(0).default(0),
  length: z.number().int().min(1).max(MAX_CHUNK_BYTES).default(MAX_CHUNK_BYTES),
});

function noDocument(docid: string): ContextModeError {
  return new ContextModeError('not_found', `There is no document ${docid}.`, {
    hint: 'Ids begin with context-mode-msg-; a prefix is enough if it is unique.',
  });
}

function ambiguousDocument(docid: string, candidates: readonly DocId[]): ContextModeError {
  return new ContextModeError(
    'conflict',
    `${docid} is the beginning of more than one id: ${candidates.join(', ')}.`,
    { hint: 'Give more digits of the id.' },
  );
}

/** A part of the exact stored bytes of a document. */
export interface DocumentBytes {
  readonly docid: DocId;
  readonly bytes: Uint8Array;
  /** Bytes of the whole. */
  readonly total: number;
}

/**
 * Reads a part of the exact stored bytes of a document.
 * @throws ContextModeError `not_found`, or `conflict` where the id is the beginning of several.
 */
export async function documentBytes(
  ctx: ApiContext,
  docid: string,
  part: { readonly offset: number; readonly length: number },
): Promise<DocumentBytes> {
  const answer = await ctx.services.archive.readBytes(ctx.services.accountId, docid, part);
  if ('found' in answer) return answer.found;
  throw 'missing' in answer ? noDocument(docid) : ambiguousDocument(docid, answer.ambiguous);
}

/** One document: readable text, exact bytes. */
export const documentsRouter = router({
  get: reading
    .input(documentInput)
    .output(document)
    .query(async ({ ctx, input }) => {
      const { docid, offset, length } = input;
      const answer = await ctx.services.archive.readDocument(ctx.services.accountId, docid, {
        offset,
        length,
      });
      if ('found' in answer) return wireDocument(answer.found);
      throw 'missing' in answer ? noDocument(docid) : ambiguousDocument(docid, answer.ambiguous);
    }),

  /** A part of the exact bytes in base64, for a view that loads what it shows. */
  bytes: reading
    .input(bytesInput)
    .output(z.object({ base64: z.string(), offset: z.int(), total: z.int() }))
    .query(async ({ ctx, input }) => {
      const { bytes, total } = await documentBytes(ctx, input.docid, input);
      const { buffer, byteOffset, byteLength } = bytes;
      const base64 = Buffer.from(buffer, byteOffset, byteLength).toString('base64');
      return { base64, offset: input.offset, total };
    }),
});
