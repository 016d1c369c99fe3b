import { z } from 'zod';
import { ContextModeError } from '../kernel/errors.ts';
import { document } from './schemas.ts';
import { type ApiContext, reading, router } from './trpc.ts';
import { wireDocument } from './wire.ts';

/** Characters of a document's text that are given where no length is asked for. */
const DEFAULT_LENGTH = 200_000;
/** Bytes that one call of the exact view gives at most. */
const MAX_CHUNK_BYTES = 1_048_576;

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

/** The exact stored bytes of a document. @throws ContextModeError `not_found`. */
export async function rawBytesOf(ctx: ApiContext, docid: string): Promise<Uint8Array> {
  const bytes = await ctx.services.archive.readRaw(ctx.services.accountId, docid);
  if (bytes === null) throw noDocument(docid);
  return bytes;
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
      if ('missing' in answer) throw noDocument(docid);
      throw new ContextModeError(
        'conflict',
        `${docid} is the beginning of more than one id: ${answer.ambiguous.join(', ')}.`,
        {
          hint: 'Give more digits of the id.',
        },
      );
    }),

  /** A part of the exact bytes in base64, for a view that loads what it shows. */
  bytes: reading
    .input(bytesInput)
    .output(z.object({ base64: z.string(), offset: z.int(), total: z.int() }))
    .query(async ({ ctx, input }) => {
      const bytes = await rawBytesOf(ctx, input.docid);
      const part = bytes.subarray(input.offset, input.offset + input.length);
      return { base64: Buffer.from(part).toString('base64'), offset: input.offset, total: bytes.length };
    }),
});
