import { z } from 'zod';
import { ContextModeError } from '../kernel/errors.ts';
import type { Uuid } from '../kernel/ids.ts';
import type { ApiContext } from './trpc.ts';

const agentName = z.enum(['claude-code', 'codex']);

const imported = z.object({
  id: z.string(),
  clientSessionId: z.string().describe('the session as its agent names it'),
  state: z
    .enum(['imported', 'extended', 'present'])
    .describe('new; there already and more of it came; all of it was there'),
  messages: z.int().describe('messages in the files'),
  added: z.int().describe('messages that were written'),
  leftOut: z
    .array(z.object({ what: z.string(), count: z.int() }))
    .readonly()
    .describe('what was not taken over'),
  faults: z
    .array(z.object({ file: z.string(), line: z.int(), reason: z.string() }))
    .readonly()
    .describe('lines that could not be read: the first 20'),
});

/** What the procedures need to take agents' own files in. */
export interface TranscriptImports {
  /** Archives the session whose files come in pieces; null where no line of them names a session. */
  importSession(
    accountId: Uuid,
    agent: z.infer<typeof agentName>,
    pieces: AsyncIterable<Uint8Array>,
  ): Promise<z.input<typeof imported> | null>;
}

/** The call that takes the files of one session of an agent. */
export const IMPORT_TRANSCRIPT = {
  path: '/transcripts',
  operationId: 'importTranscript',
  summary:
    "The agent's own files of one session, each behind a line `{file, bytes}` and before a line feed: its main file and those of its sub-agents",
  mime: 'application/octet-stream',
  parameters: [{ name: 'agent', description: '`claude-code` or `codex`' }],
  output: z.object({ session: imported.nullable().describe('null: the files name no session') }),
  async answer(ctx: ApiContext, body: AsyncIterable<Uint8Array>, query: URLSearchParams) {
    const { accountId, transcripts, env } = ctx.services;
    const named = agentName.safeParse(query.get('agent'));
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
