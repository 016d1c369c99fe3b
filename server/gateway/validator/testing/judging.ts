import type { Edit, EditedBody, Verdict } from '../index.ts';
import { validateAnthropic, validateOpenai } from '../index.ts';

/** The name of our tool in these tests. */
export const OWN_TOOL = 'context-mode-search';

/** What a judgement depends on beside the bodies. */
export type Settings = Partial<Omit<EditedBody, 'client' | 'edited' | 'edits'>>;

const bytesOf = (body: unknown): Uint8Array =>
  body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));

function bodyOf(client: unknown, edited: unknown, edits: readonly Edit[], settings: Settings): EditedBody {
  return {
    client: bytesOf(client),
    edited: bytesOf(edited),
    edits,
    ownTool: OWN_TOOL,
    latestThinking: 'untouched',
    window: null,
    estimate: () => 0,
    ...settings,
  };
}

/** Judges bodies of the Messages API, given as values, texts or bytes. */
export function judgeMessages(
  client: unknown,
  edited: unknown = client,
  edits: readonly Edit[] = [],
  settings: Settings = {},
): Verdict {
  return validateAnthropic(bodyOf(client, edited, edits, settings));
}

/** Judges bodies of the Responses API, given as values, texts or bytes. */
export function judgeResponses(
  client: unknown,
  edited: unknown = client,
  edits: readonly Edit[] = [],
  settings: Settings = {},
): Verdict {
  return validateOpenai(bodyOf(client, edited, edits, settings));
}

/** The rule that a verdict names, and where; `ok` where it names none. */
export function ruleOf(verdict: Verdict): string {
  return verdict.ok ? 'ok' : `${verdict.rule} ${verdict.where}`;
}
