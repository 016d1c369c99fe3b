import { z } from 'zod';
import { ContextModeError } from '../kernel/errors.ts';
import { importedTranscript, transcriptAgent } from './transcript-imports.ts';
import type { ApiContext } from './trpc.ts';

/** The call that takes the files of one session of an agent. */
export const IMPORT_TRANSCRIPT = {
  path: '/transcripts',
  operationId: 'importTranscript',
  summary:
    "The agent's own files of one session, each behind a line `{file, bytes}` and before a line feed: its main file and those of its sub-agents",
  mime: 'application/octet-stream',
  parameters: [{ name: 'agent', description: '`claude-code` or `codex`' }],
  output: z.object({ session: importedTranscript.nullable().describe('null: the files name no session') }),
  async answer(ctx: ApiContext, body: AsyncIterable<Uint8Array>, query: URLSearchParams) {
    const { accountId, transcripts, env } = ctx.services;
    const named = transcriptAgent.safeParse(query.get('agent'));
    if (!named.success) {
      throw new ContextModeError('bad_request', 'No agent whose files can be read is named.', {
        hint: 'Name it as ?agent=claude-code or ?agent=codex.',
      });
    }
    const free = await ctx.services.freeBytes();
    if (free !== null && free < env.leastFreeBytes) {
      throw new ContextModeError('unavailable', 'The disk that the archive lies on is nearly full.', {
        hint: 'Make room, then import again: what is there already is left as it is.',
      });
    }
    return { session: await transcripts.importSession(accountId, named.data, body) };
  },
};
