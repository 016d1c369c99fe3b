import { z } from 'zod';
import type { ImportedSession } from '../archive/types.ts';
import { asContextModeError, ContextModeError } from '../kernel/errors.ts';
import { IMPORT_FACTS } from './memory-transfer.ts';
import { IMPORT_TRANSCRIPT } from './transcripts.ts';
import type { UploadEndpoint } from './upload-endpoint.ts';

/** Longest line of an import, and most bytes of a key file. */
const LINE_BYTES = 256 * 1024 * 1024;
const KEY_FILE_BYTES = 10_000;

/** What a key file says that it is. */
const KEY_FORMAT = 'context-mode-key';
const KEY_VERSION = 1;
const KEY_WARNING =
  'SECRET. With this key somebody can tell which secrets stand behind the masks of your archive, by trying. Keep it apart from your exports, and delete it when you have imported them.';

const keyFile = z.object({
  format: z.literal(KEY_FORMAT),
  version: z.literal(KEY_VERSION),
  warning: z.string(),
  key: z.string().regex(/^[0-9a-f]{64}$/),
});

const importAnswer = z.object({
  sessions: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      state: z
        .enum(['imported', 'extended', 'present'])
        .describe('new; there already and more of it came; all of it was there'),
      events: z.int().describe('events that were written'),
    }),
  ),
});

/** Every call under `/api/v1` that takes a body. All are POST. */
export const UPLOAD_ENDPOINTS: readonly UploadEndpoint[] = [
  {
    path: '/import',
    operationId: 'importSessions',
    summary: 'Sessions from exports, one behind the other; each comes whole or not at all',
    mime: 'application/x-ndjson',
    parameters: [
      {
        name: 'foreign',
        description:
          '`true`: sessions that were made under another key are taken as they are; their agents begin anew',
      },
    ],
    output: importAnswer,
    async answer(ctx, body, query) {
      const { accountId, transfer } = ctx.services;
      const sessions: ImportedSession[] = [];
      const foreign = query.get('foreign') === 'true';
      try {
        for await (const one of transfer.importSessions(accountId, linesOf(body), { foreign }))
          sessions.push(one);
      } catch (thrown) {
        throw sessions.length === 0 ? thrown : afterSome(thrown, sessions.length);
      }
      return { sessions };
    },
  },
  IMPORT_TRANSCRIPT,
  IMPORT_FACTS,
  {
    path: '/keys/export',
    operationId: 'exportKey',
    summary: 'The key that ids and masks are made with: secret, for an import into an empty archive',
    mime: null,
    parameters: [],
    output: keyFile,
    async answer({ services: { accountId, transfer } }) {
      const key = Buffer.from(await transfer.readKey(accountId)).toString('hex');
      return { format: KEY_FORMAT, version: KEY_VERSION, warning: KEY_WARNING, key };
    },
  },
  {
    path: '/keys/import',
    operationId: 'importKey',
    summary: 'Takes a key over into an archive that holds nothing yet',
    mime: 'application/json',
    parameters: [],
    output: z.object({ state: z.enum(['taken', 'same']) }),
    async answer({ services: { accountId, transfer } }, body) {
      const file = keyFile.safeParse(parsed(await textOf(body)));
      if (!file.success) {
        throw new ContextModeError('bad_request', 'This is not a key file of Context Mode.', {
          hint: 'Give the file that "context-mode export --keys" wrote, as it was written.',
        });
      }
      return { state: await transfer.takeKey(accountId, Buffer.from(file.data.key, 'hex')) };
    },
  },
];

/** The call that a path names; null: none. */
export function matchUpload(path: string): UploadEndpoint | null {
  return UPLOAD_ENDPOINTS.find((endpoint) => endpoint.path === path) ?? null;
}

/** The body of a request piece by piece; nothing where it has none. */
export async function* piecesOfBody(request: Request): AsyncGenerator<Uint8Array> {
  const reader = request.body?.getReader();
  if (reader === undefined) return;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/**
 * The lines of a text that comes in pieces, without their ends.
 * @throws ContextModeError `bad_request` where a line is not UTF-8, `too_large` where it is beyond all reason
 */
export async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let waiting: Uint8Array[] = [];
  let size = 0;
  let number = 1;
  const line = () => {
    try {
      return decoder.decode(Buffer.concat(waiting));
    } catch (cause) {
      throw new ContextModeError('bad_request', `Line ${number} is not UTF-8.`, {
        hint: 'Give the file as it was exported, neither compressed nor converted.',
        cause,
      });
    }
  };
  for await (const piece of pieces) {
    let from = 0;
    for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, from)) {
      waiting.push(piece.subarray(from, end));
      yield line();
      from = end + 1;
      number += 1;
      waiting = [];
      size = 0;
    }
    waiting.push(piece.subarray(from));
    size += piece.length - from;
    if (size > LINE_BYTES) {
      throw new ContextModeError('too_large', `Line ${number} is longer than any line of an export.`, {
        hint: 'Give the file as it was exported.',
      });
    }
  }
  if (size > 0) yield line();
}

function afterSome(thrown: unknown, count: number): unknown {
  // The archive may be built apart from this module, so that its class of errors is another one.
  const { code, message, hint } = asContextModeError(thrown);
  if (code === 'internal') return thrown;
  const before = count === 1 ? 'The session before it is in' : `The ${count} sessions before it are in`;
  return new ContextModeError(code, `${message} ${before}.`, { hint, cause: thrown });
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > KEY_FILE_BYTES) return '';
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
