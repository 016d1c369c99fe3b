import { z } from 'zod';
import type { Uuid } from '../kernel/ids.ts';

/** The agents whose own files can be imported. */
export const transcriptAgent = z.enum(['claude-code', 'codex']);

/** What became of a session of an agent. */
export const importedTranscript = z.object({
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
    agent: z.infer<typeof transcriptAgent>,
    pieces: AsyncIterable<Uint8Array>,
  ): Promise<z.input<typeof importedTranscript> | null>;
}
